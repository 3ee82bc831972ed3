/** What waits until all before it is stored, in its order, in the async context of whoever had it wait. */
import { AsyncResource } from "node:async_hooks"
import { Ring } from "../../pipeline/schedule/ring.ts"

interface Waiting {
  readonly act: () => void
  /** Of whoever had it wait. */
  readonly context: AsyncResource
  /** Told where that will never be. */
  readonly lost: ((error: Error) => void) | undefined
}

const manually = { requireManualDestroy: true }

/** Acts that are held until they are released. */
export class Held {
  private readonly waiting = new Ring<Waiting>()
  /** How many were ever added, done, and may be done. */
  private added = 0
  private done = 0
  private released = 0
  private isDoing = false

  get isEmpty(): boolean {
    return this.added === this.done
  }

  /** The place behind all that there are, for `release`. */
  get length(): number {
    return this.added
  }

  add(act: () => void, lost?: (error: Error) => void): void {
    this.waiting.push({ act, context: new AsyncResource("stepline.held", manually), lost })
    this.added += 1
  }

  /** Does all up to a place, in order, also what may be done meanwhile. What was lost is behind all places. */
  release(upTo: number): void {
    this.released = Math.max(this.released, Math.min(upTo, this.added))
    if (this.isDoing) return
    this.isDoing = true
    try {
      while (this.done < this.released) {
        this.done += 1
        const { act, context } = this.waiting.shift()!
        context.runInAsyncScope(act)
      }
    } finally {
      this.isDoing = false
    }
  }

  /** None of what was not released will be done. */
  lose(error: Error): void {
    const lost: Array<Waiting> = []
    while (this.added > this.released) {
      this.added -= 1
      lost.push(this.waiting.pop()!)
    }
    for (const { lost: tell } of lost.reverse()) tell?.(error)
  }
}
