/** Places for running background pipelines, handed out in order. p-queue keeps them; it is loaded with the first one. */
import type PQueue from "p-queue"

/** Gives a place back. */
export type Release = () => void

export class Pool {
  private readonly concurrency: number
  private queue: PQueue | undefined
  private early: Array<(release: Release) => void> | undefined

  constructor(concurrency: number) {
    this.concurrency = concurrency
  }

  /** Calls `granted` once there is a place: at once where one is free. */
  acquire(granted: (release: Release) => void): void {
    if (this.queue !== undefined) this.add(this.queue, granted)
    else if (this.early !== undefined) this.early.push(granted)
    else {
      this.early = [granted]
      void this.load()
    }
  }

  private async load(): Promise<void> {
    const { default: PQueue } = await import("p-queue")
    const queue = new PQueue({ concurrency: this.concurrency })
    this.queue = queue
    for (const granted of this.early!) this.add(queue, granted)
    this.early = undefined
  }

  private add(queue: PQueue, granted: (release: Release) => void): void {
    void queue.add(() => new Promise<void>(granted))
  }
}
