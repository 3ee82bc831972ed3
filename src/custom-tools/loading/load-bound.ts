/**
 * Bounds one load: a watchdog interrupts code in a loop, a timer a promise that never settles. A loop after an `await`
 * cannot be interrupted on this thread.
 */

import { longestTimer } from "../../pipeline/time/longest-timer.ts"
import { isWatchdogTimeout, runWatched } from "../../text/watchdog.ts"

const slack = 5

export interface LoadBound {
  /** Runs synchronous code; throws if it does not end in time. */
  run<T>(work: () => T): T
  /** Waits for a promise; rejects if it does not settle in time. */
  wait<T>(promise: PromiseLike<T>): Promise<T>
}

/** Starts the time. `owner`: the resolved file. */
export const loadBound = (owner: string, milliseconds: number): LoadBound => {
  const deadline = performance.now() + milliseconds
  const rest = () => Math.max(1, Math.min(longestTimer, Math.ceil(deadline - performance.now())))
  const late = () =>
    new Error(
      `${owner} did not finish loading within ${milliseconds} ms. Raise \`loadTimeout\`, or leave the module out.`,
    )
  return {
    run: (work) => {
      try {
        return runWatched(work, rest())
      } catch (error) {
        // Foreign code can use its own watchdogs. The clocks differ slightly.
        throw isWatchdogTimeout(error) && performance.now() > deadline - slack ? late() : error
      }
    },
    wait: async (promise) => {
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(late()), rest())
      })
      try {
        return await Promise.race([promise, over])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
