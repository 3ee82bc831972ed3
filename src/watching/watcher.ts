/** Watchers, which observe an executor without taking events from their readers. */
import type { ToolCall } from "../model/call.ts"
import type { Decision } from "../model/decision.ts"
import type { ToolEvent } from "../model/event.ts"
import type { Tracer } from "../tracing/tracer.ts"

/**
 * Observes an executor, whether or not anybody reads its events. The methods are called synchronously during the executor's work, so
 * they should record and act later. Errors that they throw are ignored.
 */
export interface ExecutorWatcher {
  /** A call was enqueued. */
  queued?(call: ToolCall): void
  /** A call waits at a limit of its tool, which the text describes, before it starts. */
  limited?(call: ToolCall, because: string): void
  /** Receives every event, also those for `onEvent` of `run`. Deltas arrive one by one, even if they merge for a slow reader. */
  event?(event: ToolEvent): void
  /** Receives every decision, like `onDecision`. */
  decided?(decision: Decision): void
  /** The result of a finished task was taken or dropped. */
  forgotten?(taskId: string): void
  /** A call was taken out of the executor with `leave`: it emits no further event here. */
  left?(callId: string): void
  /** A turn of the agent's model begins: `runTurn` or `beginTurn` was called. */
  turnBegan?(agentId: string): void
  /** The turn's calls are over: `runTurn` has their results, or `end` of the `beginTurn` was called. */
  turnEnded?(agentId: string): void
  /** Traces the handlers and the waits of calls. */
  readonly tracer?: Tracer
}
