/**
 * Places for running background pipelines, handed out in order. A free one costs a count; only a call that has to wait
 * for one stands in a p-queue, which is loaded then.
 */
import type PQueue from "p-queue"

/** Gives a place back. */
export type Release = () => void

type Granted = (release: Release) => void

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

  /** Calls `granted` once there is a place: at once where one is free. */
  acquire(granted: Granted): void {
    if (this.waiting === 0 && this.free > 0) return this.grant(granted)
    this.waiting += 1
    this.line ??= import("p-queue").then(({ default: PQueue }) => new PQueue({ concurrency: 1 }))
    void this.line.then((line) => line.add(() => this.nextPlace(granted)))
  }

  /** Waits at the head of the line. */
  private async nextPlace(granted: Granted): Promise<void> {
    while (this.free === 0) await new Promise<void>((resolve) => (this.head = resolve))
    this.waiting -= 1
    this.grant(granted)
  }

  private grant(granted: Granted): void {
    this.free -= 1
    granted(() => {
      this.free += 1
      this.head?.()
      this.head = undefined
    })
  }
}
