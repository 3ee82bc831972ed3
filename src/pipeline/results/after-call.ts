/** Lets the host's hook rewrite a result: its output, and its error status in both directions. */

import type { ToolCall } from "../../model/call.ts"
import type { CompletedEvent, ErrorEvent, TerminalEvent, ToolResult } from "../../model/event.ts"
import type { Hooks } from "../../model/options.ts"
import { resultOf } from "../../model/outcome.ts"
import { type ToolOutput, textOf, textOutput, toOutput } from "../../output/output.ts"
import type { OutputCheck } from "../../schema/output-check.ts"

type Judged = CompletedEvent | ErrorEvent

/** Whether the hook may rewrite this event: only calls that completed or failed. */
export const isJudged = (event: TerminalEvent): event is Judged =>
  event._tag === "Completed" || event._tag === "Error"

/** Returns the event as the hook rewrites it. A hook that throws, or gives an invalid answer, changes nothing. */
export const judge = async (
  afterCall: NonNullable<Hooks["afterCall"]>,
  call: ToolCall,
  event: Judged,
  outputCheck: OutputCheck | undefined,
  signal: AbortSignal,
): Promise<Judged> => {
  try {
    const result = resultOf(event)
    const answer = await afterCall(call, result, { signal })
    if (answer === undefined || answer === null) return event
    const last = rewrite(event, result, answer)
    return (await breaksSchema(last, outputCheck)) ? event : last
  } catch {
    return event
  }
}

/** Whether the hook's `structured` breaks the tool's schema. The hook may leave `structured` out. */
const breaksSchema = async (event: Judged, check: OutputCheck | undefined): Promise<boolean> => {
  if (check === undefined || event._tag !== "Completed" || event.output.structured === undefined) return false
  return (await check(event.output.structured)).length > 0
}

/** The hook's answer. Unchecked, because the hook may be plain JavaScript. */
interface Answer {
  readonly output?: unknown
  readonly content?: unknown
  readonly isError?: unknown
}

/** The output that the hook changed. A hook may return the whole result: only properties that differ count as changes. */
const changedOutput = (result: ToolResult, { output, content }: Answer): ToolOutput | undefined => {
  if (output !== undefined && output !== result.output) return toOutput(output)
  if (typeof content !== "string" || content === result.content) return undefined
  const { details } = result.output
  return { ...textOutput(content), ...(details !== undefined && { details }) }
}

const rewrite = (event: Judged, result: ToolResult, answer: Answer): Judged => {
  const changed = changedOutput(result, answer)
  const content = changed === undefined ? event.content : textOf(changed)
  const isError = typeof answer.isError === "boolean" ? answer.isError : event._tag === "Error"
  if (isError) {
    const output = changed ?? event.output
    return { reason: "failed", ...event, _tag: "Error", content, ...(output !== undefined && { output }) }
  }
  const { reason: _reason, cause: _cause, ...shared } = event as ErrorEvent
  return { ...shared, _tag: "Completed", content, output: changed ?? result.output }
}
