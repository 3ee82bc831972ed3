/**
 * Handlers on their last attempt: processes ended while each of them ran, but perhaps only because of one of them. They run one at a
 * time, so that if another process ends, the others have not used up their last attempt.
 */
import type { Call } from "../../pipeline/call/call.ts"

/** Milliseconds until the next one begins all the same: the one that runs may wait for it. */
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

  /** @param isLast Whether the call's handler may not begin once more after this attempt. */
  constructor(isLast: (call: Call) => boolean) {
    this.isLast = isLast
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

  /** The call's data has changed: if its handler has ended, or waits for somebody, the next one begins. */
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
      // Later: the change that brought this about is still being carried out.
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
