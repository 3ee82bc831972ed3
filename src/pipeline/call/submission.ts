/** What a call is enqueued with. */
import type { EventSink } from "../events/event-sink.ts"
import type { ToolCall } from "../model/call.ts"
import type { ToolResult } from "../model/event.ts"
import type { Tool } from "../model/tool.ts"
import type { Origin } from "./origin.ts"

/** Who is told of a call. */
export interface Recipient {
  readonly sink: EventSink
  /** Told the call's one result. */
  readonly onResult?: ((result: ToolResult) => void) | undefined
  /** Told where the executor is left before there is one: the call goes on with the next process. */
  readonly onLeft?: ((error: Error) => void) | undefined
  /** Its caller's: once it is aborted, the call does not start. */
  readonly signal?: AbortSignal | undefined
}

/** A call as it was enqueued: the executor's handle of it, from its enqueueing to its end. */
export interface Submission {
  readonly call: ToolCall
  readonly tool: Tool<unknown> | undefined
  readonly to: Recipient
  readonly origin: Origin
}
