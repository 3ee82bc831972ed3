/** Bounds how long foreign listeners hold the host. The time in which a user is asked does not count. */
import { AsyncLocalStorage } from "node:async_hooks"

/** How long one listener of an event is waited for, in milliseconds. */
export const listenerTimeout = 10_000

/** The same for one that a call waits for: it may run programs before it answers. */
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

  /** Whoever ended the waiting lets no question start it anew. */
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

/** Rejects with what `work` throws, or once it has taken too long; `work` itself goes on then, unheard. */
export const settleWithin = async <T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> => {
  const deadline = new Deadline(milliseconds)
  try {
    return await Promise.race([current.run(deadline, work), deadline.over])
  } finally {
    deadline.end()
  }
}

/** The answer of a user. While it is open, the listener that asked has time; then it has all of its time again. */
export const asked = <T>(answer: T): T => {
  const deadline = current.getStore()
  if (deadline !== undefined && answer instanceof Promise) {
    deadline.pause()
    const resume = () => deadline.resume()
    answer.then(resume, resume)
  }
  return answer
}
