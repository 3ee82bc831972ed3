/**
 * Bounds one load: code that spins by a watchdog, a promise that never settles by a timer. What spins after an `await`
 * no watchdog of this thread reaches.
 */
import { isWatchdogTimeout, runWatched } from "../../io/watchdog.ts"
import { longestTimer } from "../../pipeline/schedule/longest-timer.ts"

const slack = 5

export class LoadBound {
  private readonly owner: string
  private readonly milliseconds: number
  private readonly deadline: number

  /** The time starts now. `owner` is the resolved file. */
  constructor(owner: string, milliseconds: number) {
    this.owner = owner
    this.milliseconds = milliseconds
    this.deadline = performance.now() + milliseconds
  }

  /** Runs synchronous code; throws where it does not end in time. */
  run<T>(work: () => T): T {
    try {
      return runWatched(work, this.rest)
    } catch (error) {
      // Foreign code may use watchdogs of its own. The clocks differ a little.
      throw isWatchdogTimeout(error) && performance.now() > this.deadline - slack ? this.late() : error
    }
  }

  /** Waits for a promise; rejects where it does not settle in time. */
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
