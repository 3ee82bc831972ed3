/** Lets the host's hook rewrite a result: its output, and its error status in both directions. */
import type { ToolCall } from "../model/call.ts"
import type { CompletedEvent, ErrorEvent, TerminalEvent, ToolResult } from "../model/event.ts"
import type { Hooks } from "../model/options.ts"
import { resultOf } from "../model/outcome.ts"
import { type ToolOutput, textOf, textOutput, toOutput } from "../model/output.ts"
import type { Engine } from "./engine.ts"

type Judged = CompletedEvent | ErrorEvent

/** Gives the event as the hook leaves it, in bounded time: a hook that throws, answers nonsense or hangs changes nothing. */
export const judge = (
  engine: Engine,
  call: ToolCall,
  event: TerminalEvent,
  then: (event: TerminalEvent) => void,
): void => {
  const { afterCall } = engine.settings.hooks
  if (afterCall === undefined || (event._tag !== "Completed" && event._tag !== "Error")) return then(event)
  const controller = new AbortController()
  let judged = false
  const end = (last: TerminalEvent) => {
    if (judged) return
    judged = true
    engine.deadlines.clear(timer)
    then(last)
  }
  const timer = engine.deadlines.after(engine.settings.finallyTimeout, () => {
    controller.abort(new DOMException("The hook took too long", "TimeoutError"))
    end(event)
  })
  void ask(afterCall, call, event, controller.signal).then(end)
}

const ask = async (
  afterCall: NonNullable<Hooks["afterCall"]>,
  call: ToolCall,
  event: Judged,
  signal: AbortSignal,
): Promise<Judged> => {
  try {
    const result = resultOf(event)
    const answer = await afterCall(call, result, { signal })
    return answer === undefined || answer === null ? event : rewrite(event, result, answer)
  } catch {
    return event
  }
}

/** Untrusted: the hook may be plain JavaScript. */
interface Answer {
  readonly output?: unknown
  readonly content?: unknown
  readonly isError?: unknown
}

/** A hook may give the whole result back: only what differs in it is meant. */
const changedOutput = (result: ToolResult, { output, content }: Answer): ToolOutput | undefined => {
  if (output !== undefined && output !== result.output) return toOutput(output)
  if (typeof content !== "string" || content === result.content) return undefined
  const { details } = result.output
  return { ...textOutput(content), ...(details !== undefined && { details }) }
}

const rewrite = (event: Judged, result: ToolResult, answer: Answer): Judged => {
  const changed = changedOutput(result, answer)
  const isError = typeof answer.isError === "boolean" ? answer.isError : event._tag === "Error"
  const { agentId, callId, name, editedParams, cleanupErrors, staged } = event
  const shared = {
    agentId,
    callId,
    name,
    content: changed === undefined ? event.content : textOf(changed),
    ...(editedParams !== undefined && { editedParams }),
    ...(cleanupErrors !== undefined && { cleanupErrors }),
    ...(staged !== undefined && { staged }),
  }
  const kept = event._tag === "Completed" ? event.output : undefined
  if (!isError) return { _tag: "Completed", ...shared, output: changed ?? kept ?? textOutput(event.content) }
  const output = changed ?? event.output
  const reason = event._tag === "Error" ? event.reason : "failed"
  const cause = event._tag === "Error" && event.cause !== undefined ? { cause: event.cause } : undefined
  return { _tag: "Error", ...shared, reason, ...(output !== undefined && { output }), ...cause }
}
