/** Where a call's events go. */
import type { DeltaEvent, ToolEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"

/** A delta as it was told, to add to while it is unread. */
export interface SentDelta {
  readonly event: Mutable<DeltaEvent>
  readonly sequence: number
  /** For one past the bound: the one before it, which takes it in should the handler not wait for room. */
  readonly before?: SentDelta | undefined
}

/** A call's unread deltas. */
export interface DeltaSource {
  readonly agentId: string
  readonly callId: string
  /** A background task's deltas never wait: its host may be waiting for the task alone. */
  readonly background: boolean
  lastDelta: SentDelta | undefined
  room: Room | undefined
}

/** What a handler waits for that awaits its deltas. */
export interface Room {
  readonly promise: Promise<void>
  readonly open: () => void
}

/** Where a call's events go: the queue, or the `onEvent` of `run`. */
export interface EventSink {
  /** Whether somebody can answer what an event asks. */
  readonly answers: boolean
  push(event: ToolEvent): void
  /** Whether the event that was pushed as the queue's `sequence`th still waits for a reader. */
  isUnread(sequence: number): boolean
  /** How many events it was told so far, where somebody reads them later. */
  readonly sequence: number
  /** A promise where the consumer has no room. */
  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined
}

/** The event of a delta, without the stamp that it gets when it is told. */
export const deltaEvent = (source: DeltaSource, content: string, partial: unknown): Mutable<DeltaEvent> =>
  partial === undefined
    ? { _tag: "Delta", agentId: source.agentId, callId: source.callId, content, seq: 0, at: 0 }
    : { _tag: "Delta", agentId: source.agentId, callId: source.callId, content, partial, seq: 0, at: 0 }
