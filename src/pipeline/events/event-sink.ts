/** Where a call's events go. */
import type { DeltaEvent, ToolEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"

/** An emitted delta, to which text can be added while it is unread. */
export interface SentDelta {
  readonly event: Mutable<DeltaEvent>
  readonly sequence: number
  /** Set for a delta past the limit: the delta before it, into which it merges if its handler does not wait for room. */
  readonly before?: SentDelta | undefined
}

/** A call's unread deltas. */
export interface DeltaSource {
  readonly agentId: string
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string | undefined
  /** A background task's deltas never wait, because the host may be waiting for the task and not reading. */
  readonly background: boolean
  lastDelta: SentDelta | undefined
  room: Room | undefined
}

/** The promise that a handler awaits until the consumer has room. */
export interface Room {
  readonly promise: Promise<void>
  readonly open: () => void
}

/** The receiver of a call's events: the queue, or `onEvent` of `run`. */
export interface EventSink {
  /** Whether the receiver can answer questions. */
  readonly answers: boolean
  push(event: ToolEvent): void
  /** Whether the event that was pushed as the queue's `sequence`th still waits for a reader. */
  isUnread(sequence: number): boolean
  /** The number of events that were pushed so far, for a sink that keeps them unread. */
  readonly sequence: number
  /** Emits a delta. Returns a promise if the consumer has no room. */
  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined
}

/** The event of a delta. It is stamped when it is emitted. */
export const deltaEvent = (source: DeltaSource, content: string, partial: unknown): Mutable<DeltaEvent> => {
  const { agentId, callId, parentId } = source
  const event: Mutable<DeltaEvent> =
    partial === undefined
      ? { _tag: "Delta", agentId, callId, content, seq: 0, at: 0 }
      : { _tag: "Delta", agentId, callId, content, partial, seq: 0, at: 0 }
  if (parentId !== undefined) event.parentId = parentId
  return event
}
