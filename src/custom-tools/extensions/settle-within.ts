/** Bounds how long foreign listeners block the host. The time of questions to the user does not count. */
import { AsyncLocalStorage } from "node:async_hooks"

/** Time limit for one listener of an event, in milliseconds. */
export const listenerTimeout = 10_000

/** Time limit for a listener that a call waits for, which can run programs before it answers. */
export const hookTimeout = 30_000

/** The time limit of the running listener. */
interface Deadline {
  pause(): void
  resume(): void
}

const current = new AsyncLocalStorage<Deadline>()

/** Rejects with the error of `work`, or once it has taken too long; then `work` continues, and its result is ignored. */
export const settleWithin = <T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let pauses = 0
    const start = () => {
      timer = setTimeout(() => {
        pause()
        reject(new Error(`it did not settle within ${milliseconds / 1000} s, and is no longer waited for`))
      }, milliseconds)
    }
    const pause = () => {
      pauses++
      clearTimeout(timer)
    }
    const resume = () => {
      pauses--
      if (pauses === 0) start()
    }
    const settle = async () => {
      try {
        resolve(await current.run({ pause, resume }, work))
      } catch (error) {
        reject(error)
      } finally {
        // No later question starts it again.
        pause()
      }
    }
    start()
    void settle()
  })

/** Wraps the answer of a user: the time of the listener that asked is stopped meanwhile, and starts anew afterwards. */
export const asked = <T>(answer: T): T => {
  const deadline = current.getStore()
  if (deadline !== undefined && answer instanceof Promise) {
    deadline.pause()
    answer.then(deadline.resume, deadline.resume)
  }
  return answer
}
