/** What a tracer is told of calls. All of it is told in the async context of whoever enqueued the call. */
import type * as Effect from "effect/Effect"
import type { ToolCall } from "../pipeline/model/call.ts"
import type { DecidedBy } from "../pipeline/model/decision.ts"
import type { TerminalEvent } from "../pipeline/model/event.ts"
import type { ToolKind } from "../pipeline/model/tool.ts"

/** What a tracer sees of a tool. */
export interface TracedTool {
  readonly name: string
  readonly description: string
  readonly kind: ToolKind
}

/** Makes spans of calls, their handlers and their waits, or whatever it likes. What it throws costs a span, and no call. */
export interface Tracer {
  /**
   * A call has its turn, or is refused. `tool`: not there where nobody knows it. `from`: the `traceParent` of what was told of it
   * in an earlier process, where it goes on.
   */
  call(call: ToolCall, tool: TracedTool | undefined, from?: string): CallTrace
}

/** One call, from its start to its end, waits included. */
export interface CallTrace {
  /** The id of its trace, where it has one: hosts show it. */
  readonly traceId?: string | undefined
  /** A W3C `traceparent` that names its span, kept with a call that outlives its process. */
  readonly traceParent?: string | undefined
  /** A handler is called next. Finally handlers are told too. */
  handler(name: string): HandlerTrace
  /** It waits, for `approval` or for the answer to an effect of that tag. Gives what ends the wait. */
  wait(what: string): (decidedBy: DecidedBy | undefined) => void
  /** With its last event; a background task's too. */
  end(event: TerminalEvent): void
  /** It goes on in another process: here it is over without an end. */
  leave?(): void
}

/** One run of a handler. */
export interface HandlerTrace {
  /** Runs what the handler does. Called once for most; for a generator, for each of its steps. */
  run<A>(work: () => A): A
  /** The Effect that the handler gave. */
  wrap<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** `failure`: undefined where it went well. */
  end(failure: unknown): void
}
