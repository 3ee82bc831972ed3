/** The events of the call that cleans up after a dropped action. */
import type { ToolEvent } from "../../model/event.ts"
import type { EventQueue } from "./event-queue.ts"
import type { EventSink } from "./event-sink.ts"

/** The sink of that call. Effects go to the executor's queue; of the call's end, only the cleanup errors are reported. */
export class CleanupSink implements EventSink {
  readonly answers = true
  private readonly queue: EventQueue
  private readonly ended: (cleanupErrors: ReadonlyArray<string> | undefined) => void

  constructor(queue: EventQueue, ended: (cleanupErrors: ReadonlyArray<string> | undefined) => void) {
    this.queue = queue
    this.ended = ended
  }

  push(event: ToolEvent): void {
    if (event._tag === "Delegate") this.queue.push(event)
    else if (event._tag === "Cancelled") this.ended(event.cleanupErrors)
  }

  get sequence(): number {
    return this.queue.sequence
  }

  isUnread(sequence: number): boolean {
    return this.queue.isUnread(sequence)
  }

  delta(): undefined {}
}
