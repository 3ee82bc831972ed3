/** Bounds how long foreign listeners block the host. The time of questions to the user does not count. */
import { AsyncLocalStorage } from "node:async_hooks"

/** Time limit for one listener of an event, in milliseconds. */
export const listenerTimeout = 10_000

/** Time limit for a listener that a call waits for, which can run programs before it answers. */
export const hookTimeout = 30_000

class Deadline {
  readonly over: Promise<never>
  private readonly milliseconds: number
  private reject: (error: Error) => void = () => undefined
  private timer: NodeJS.Timeout | undefined
  private questions = 0

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds
    this.over = new Promise((_resolve, reject) => {
      this.reject = reject
    })
    this.over.catch(() => undefined)
    this.start()
  }

  pause(): void {
    this.questions++
    this.stop()
  }

  resume(): void {
    this.questions--
    if (this.questions === 0) this.start()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Ends the deadline, so that no later question restarts it. */
  end(): void {
    this.questions++
    this.stop()
  }

  private start(): void {
    const { milliseconds } = this
    this.timer = setTimeout(() => {
      this.reject(new Error(`it did not settle within ${milliseconds / 1000} s, and is no longer waited for`))
    }, milliseconds)
  }
}

const current = new AsyncLocalStorage<Deadline>()

/** Rejects with the error of `work`, or once it has taken too long; then `work` continues, and its result is ignored. */
export const settleWithin = async <T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> => {
  const deadline = new Deadline(milliseconds)
  try {
    return await Promise.race([current.run(deadline, work), deadline.over])
  } finally {
    deadline.end()
  }
}

/** Wraps the answer of a user: the time of the listener that asked is stopped meanwhile, and starts anew afterwards. */
export const asked = <T>(answer: T): T => {
  const deadline = current.getStore()
  if (deadline !== undefined && answer instanceof Promise) {
    deadline.pause()
    const resume = () => deadline.resume()
    answer.then(resume, resume)
  }
  return answer
}
