/** Measures the time in which code computes without an open call: on a busy machine, in which it would on an idle one. */

import { busyFactor } from "../io/busy-machine.ts"
import { longestTimer } from "../pipeline/time/longest-timer.ts"

/** The clock of one run. `late` is called once, when the time is used up. */
export class BusyClock {
  private left: number
  private open = 0
  private since = 0
  private factor = 1
  private timer: NodeJS.Timeout | undefined
  private readonly late: () => void

  constructor(millis: number, late: () => void) {
    this.left = millis
    this.late = late
  }

  start(): void {
    this.since = performance.now()
    this.factor = busyFactor()
    this.timer = setTimeout(this.late, Math.min(this.left * this.factor, longestTimer))
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.left = Math.max(0, this.left - (performance.now() - this.since) / this.factor)
  }

  /** Pauses the clock until the promise is settled. */
  async during<A>(call: Promise<A>): Promise<A> {
    if (this.open === 0) this.stop()
    this.open += 1
    try {
      return await call
    } finally {
      this.open -= 1
      if (this.open === 0) this.start()
    }
  }
}
