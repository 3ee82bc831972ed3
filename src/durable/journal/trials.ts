/**
 * Handlers on their last attempt: processes ended while each of them ran, but perhaps because of only one of them. They run one
 * at a time, so that another end of the process does not use up the last attempt of the others.
 */
import type { Call } from "../../pipeline/call/call.ts"

/** The milliseconds before a third attempt, doubled before each further one. A second attempt begins at once. */
const firstPause = 1000
const longestPause = 30_000

/** The milliseconds until the next handler begins anyway: the running one may wait for it. */
const patience = 10_000

interface Waiting {
  readonly call: Call
  readonly begin: () => void
}

export class Trials {
  private readonly isLast: (call: Call) => boolean
  private running: Call | undefined
  private readonly waiting: Array<Waiting> = []
  private timer: NodeJS.Timeout | undefined
  /** The attempt before which a call has paused. */
  private readonly paused = new WeakMap<Call, number>()
  /** The timers of pauses. They keep the process alive: nothing else may do so. */
  private readonly pausing = new Set<NodeJS.Timeout>()

  /** @param isLast Whether this is the last attempt that the call's handler may make. */
  constructor(isLast: (call: Call) => boolean) {
    this.isLast = isLast
  }

  /**
   * Pauses before another attempt of a handler that has ended two processes, so that a fault from outside can pass. Returns false if there
   * is no pause.
   */
  pauses(call: Call, begin: () => void): boolean {
    const { attempts } = call
    if (attempts < 3 || this.paused.get(call) === attempts) return false
    this.paused.set(call, attempts)
    const over = () => {
      this.pausing.delete(timer)
      begin()
    }
    const timer = setTimeout(over, Math.min(firstPause * 2 ** (attempts - 3), longestPause))
    this.pausing.add(timer)
    return true
  }

  /** Ends all pauses: another process runs the handlers. */
  close(): void {
    for (const timer of this.pausing) clearTimeout(timer)
    this.pausing.clear()
  }

  /** Whether the call's handler has to wait for another one. If not, it runs from here on. */
  mustWait(call: Call): boolean {
    if (!this.isOnTrial(call)) return false
    this.running ??= call
    return this.running !== call
  }

  wait(call: Call, begin: () => void): void {
    this.waiting.push({ call, begin })
    this.timer ??= setTimeout(() => this.next(), patience).unref()
  }

  /** Lets the next handler begin if this call's handler has ended or waits. */
  moved(call: Call): void {
    if (this.running === call && !this.isOnTrial(call)) this.next()
  }

  private next(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.running = undefined
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      if (!this.isOnTrial(next.call)) continue
      this.running = next.call
      // Later, because the change that caused this is still being carried out.
      queueMicrotask(next.begin)
      break
    }
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.next(), patience).unref()
  }

  private isOnTrial(call: Call): boolean {
    const { _tag } = call.state
    return call.attempts > 1 && (_tag === "Running" || _tag === "Cleaning") && this.isLast(call)
  }
}
