/** Acts that wait until everything before them is stored. Each runs in the async context of its caller. */
import { AsyncResource } from "node:async_hooks"
import { Ring } from "../../pipeline/schedule/ring.ts"

interface Waiting {
  readonly act: () => void
  /** The async context of the caller. */
  readonly context: AsyncResource
  /** Called if the act will never run. */
  readonly lost: ((error: Error) => void) | undefined
}

const manually = { requireManualDestroy: true }

/** Holds acts, in order, until they are released. */
export class Held {
  private readonly waiting = new Ring<Waiting>()
  /** The total numbers of acts that were added, done and released. */
  private added = 0
  private done = 0
  private released = 0
  private isDoing = false

  get isEmpty(): boolean {
    return this.added === this.done
  }

  /** The position after the last act, for `release`. */
  get length(): number {
    return this.added
  }

  add(act: () => void, lost?: (error: Error) => void): void {
    this.waiting.push({ act, context: new AsyncResource("stepline.held", manually), lost })
    this.added += 1
  }

  /** Runs all acts up to a position, in order, also those that are released meanwhile. Lost acts leave their positions empty. */
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

  /** Drops the acts that were not released, and calls their `lost` functions. */
  lose(error: Error): void {
    const lost: Array<Waiting> = []
    while (this.added > this.released) {
      this.added -= 1
      lost.push(this.waiting.pop()!)
    }
    for (const { lost: tell } of lost.reverse()) tell?.(error)
  }
}
