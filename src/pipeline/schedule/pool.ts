/**
 * Places for running background pipelines, handed out in order. A free one costs a count; only a call that has to wait
 * for one stands in a p-queue, which is loaded then.
 */
import type PQueue from "p-queue"

/** Who asks for a place. */
export interface PlaceTaker {
  /** There is a place. False where it is not wanted any more. */
  accept(): boolean
}

export class Pool {
  private free: number
  /** How many wait for a place. */
  private waiting = 0
  /** The waiting line, one at its head. */
  private line: Promise<PQueue> | undefined
  /** The head of the line, while no place is free. */
  private head: (() => void) | undefined

  constructor(places: number) {
    this.free = places
  }

  /** Calls `accept` once there is a place: at once where one is free. */
  acquire(taker: PlaceTaker): void {
    if (this.waiting === 0 && this.free > 0) return this.offer(taker)
    this.waiting += 1
    this.line ??= import("p-queue").then(({ default: PQueue }) => new PQueue({ concurrency: 1 }))
    void this.line.then((line) => line.add(() => this.nextPlace(taker)))
  }

  /** Waits at the head of the line. */
  private async nextPlace(taker: PlaceTaker): Promise<void> {
    while (this.free === 0) await new Promise<void>((resolve) => (this.head = resolve))
    this.waiting -= 1
    this.offer(taker)
  }

  /** Gives a place back. */
  release(): void {
    this.free += 1
    this.head?.()
    this.head = undefined
  }

  private offer(taker: PlaceTaker): void {
    this.free -= 1
    if (!taker.accept()) this.release()
  }
}
