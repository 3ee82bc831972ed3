/**
 * Places for running background pipelines, handed out in order. Ours: a call that waits must be able to leave the line in
 * constant time, and a free place costs a count.
 */
import { Fifo } from "./fifo.ts"

/** Who asks for a place. */
export interface PlaceTaker {
  /** Whether it has one. The pool sets it. */
  hasPlace: boolean
}

/** A number of places, and the line of those who wait for one. */
export class Pool<T extends PlaceTaker> {
  private free: number
  private readonly waiting = new Fifo<T>()

  /** Told that there is a place. Gives false where it is not wanted any more. */
  private readonly placed: (taker: T) => boolean

  constructor(places: number, placed: (taker: T) => boolean) {
    this.free = places
    this.placed = placed
  }

  /** True where there is a place at once. Else `placed` is called when there is one, unless the taker leaves before. */
  take(taker: T): boolean {
    if (this.free === 0 || this.waiting.size > 0) {
      this.waiting.add(taker)
      return false
    }
    this.free -= 1
    taker.hasPlace = true
    return true
  }

  /** Gives the place back, or leaves the line. */
  release(taker: T): void {
    if (!taker.hasPlace) {
      this.waiting.delete(taker)
      return
    }
    taker.hasPlace = false
    this.free += 1
    this.handOut()
  }

  private handOut(): void {
    while (this.free > 0) {
      const taker = this.waiting.shift()
      if (taker === undefined) return
      this.free -= 1
      taker.hasPlace = true
      if (this.placed(taker)) continue
      taker.hasPlace = false
      this.free += 1
    }
  }
}
