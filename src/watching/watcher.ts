/** Who looks on while an executor works, beside those that read its events. */
import type { ToolCall } from "../pipeline/model/call.ts"
import type { Decision } from "../pipeline/model/decision.ts"
import type { ToolEvent } from "../pipeline/model/event.ts"
import type { Tracer } from "../tracing/tracer.ts"

/**
 * Told at once what an executor does, whoever reads its events, and whether anybody does. It is told inside of the executor's
 * work: it takes note, and acts later. What it throws is left alone.
 */
export interface ExecutorWatcher {
  /** A call was taken in. */
  queued?(call: ToolCall): void
  /** Every event, also those that go to `onEvent` of `run`. Deltas come one by one, also those that merge for a slow reader. */
  event?(event: ToolEvent): void
  /** Every decision, as `onDecision` is told it. */
  decided?(decision: Decision): void
  /** The result of a finished task is kept no longer: it was taken, or dropped. */
  forgotten?(taskId: string): void
  /** Told of the handlers and the waits of calls. */
  readonly tracer?: Tracer
}
