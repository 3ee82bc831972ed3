/** The interface of tracers. All methods are called in the async context of the call's enqueuer. */
import type * as Effect from "effect/Effect"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { TerminalEvent } from "../model/event.ts"
import type { ToolKind } from "../model/tool.ts"

/** The properties of a tool that tracers see. */
export interface TracedTool {
  readonly name: string
  readonly description: string
  readonly kind: ToolKind
}

/** Traces calls, their handlers and their waits. A tracer that throws loses the span; the call is not affected. */
export interface Tracer {
  /**
   * A call has its turn, or is refused. `tool`: absent for an unknown tool. `from`: the `traceParent` from the earlier process of a
   * restored call, of the outer call of a nested one, or the `traceparent` of the call's `meta`.
   */
  call(call: ToolCall, tool: TracedTool | undefined, from?: string): CallTrace
}

/** One call, from its start to its end, waits included. */
export interface CallTrace {
  /** The id of the trace, if it has one. Hosts show it. */
  readonly traceId?: string | undefined
  /** A W3C `traceparent` that names the call's span. Snapshots store it. */
  readonly traceParent?: string | undefined
  /** The call is a `resolve` that applies or discards what the call of that `traceParent` staged. */
  link?(traceParent: string): void
  /** A handler, which may be a finally handler, is called next. */
  handler(name: string): HandlerTrace
  /** The call waits for `approval`, or for the answer to an effect with that tag. Returns a function that ends the wait. */
  wait(what: string): (decidedBy: DecidedBy | undefined) => void
  /** The call ended with this event; also called for background tasks. */
  end(event: TerminalEvent): void
  /** Another process continues the call: its trace ends here without a terminal event. */
  leave?(): void
}

/** One run of a handler. */
export interface HandlerTrace {
  /** Runs the handler. Called once for most handlers, and once for each step of a generator. */
  run<A>(work: () => A): A
  /** Wraps the Effect that the handler returned. */
  wrap<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** `failure`: undefined if the handler succeeded. */
  end(failure: unknown): void
}
