/** Passes the events of a nested call to the receiver of its outer call, with the outer call's id. */
import type { ToolEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { DeltaSource, EventSink } from "../events/event-sink.ts"

/** The sink of a nested call. */
export class NestedSink implements EventSink {
  private readonly to: EventSink
  private readonly parentId: string

  constructor(to: EventSink, parentId: string) {
    this.to = to
    this.parentId = parentId
  }

  get answers(): boolean {
    return this.to.answers
  }

  push(event: Mutable<ToolEvent>): void {
    // Events of pending actions belong to the agent.
    if ("callId" in event) event.parentId = this.parentId
    this.to.push(event)
  }

  isUnread(sequence: number): boolean {
    return this.to.isUnread(sequence)
  }

  get sequence(): number {
    return this.to.sequence
  }

  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined {
    return this.to.delta(source, content, partial)
  }
}
