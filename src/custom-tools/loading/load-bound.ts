/**
 * Bounds one load: a watchdog interrupts code in a loop, a timer a promise that never settles. A loop after an `await`
 * cannot be interrupted on this thread.
 */
import { isWatchdogTimeout, runWatched } from "../../io/watchdog.ts"
import { longestTimer } from "../../pipeline/schedule/longest-timer.ts"

const slack = 5

export class LoadBound {
  private readonly owner: string
  private readonly milliseconds: number
  private readonly deadline: number

  /** Starts the time. `owner`: the resolved file. */
  constructor(owner: string, milliseconds: number) {
    this.owner = owner
    this.milliseconds = milliseconds
    this.deadline = performance.now() + milliseconds
  }

  /** Runs synchronous code; throws if it does not end in time. */
  run<T>(work: () => T): T {
    try {
      return runWatched(work, this.rest)
    } catch (error) {
      // Foreign code can use its own watchdogs. The clocks differ slightly.
      throw isWatchdogTimeout(error) && performance.now() > this.deadline - slack ? this.late() : error
    }
  }

  /** Waits for a promise; rejects if it does not settle in time. */
  async wait<T>(promise: PromiseLike<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(this.late()), this.rest)
    })
    try {
      return await Promise.race([promise, late])
    } finally {
      clearTimeout(timer)
    }
  }

  private get rest(): number {
    return Math.max(1, Math.min(longestTimer, Math.ceil(this.deadline - performance.now())))
  }

  private late(): Error {
    return new Error(`${this.owner} did not finish loading within ${this.milliseconds} ms`)
  }
}
