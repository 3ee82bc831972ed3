/** The outcomes of calls. Only this file words the texts of terminal events. */

import { type ToolOutput, textOf, textOutput } from "../output/output.ts"
import type { ToolCall } from "./call.ts"
import {
  byCall,
  byUser,
  byUserBecause,
  type CancellingParty,
  type DecidedBy,
  reasonText,
} from "./decision.ts"
import type {
  CompletedEvent,
  DeniedBy,
  EndReason,
  ErrorEvent,
  ErrorReason,
  FinalStatus,
  TaskEnd,
  TerminalEvent,
  ToolResult,
} from "./event.ts"
import type { Mutable } from "./mutable.ts"

/** How a call ended. */
export type Outcome = { readonly _tag: "Completed" } | Stopped

/** Every outcome but success. */
export type Stopped =
  | {
      readonly _tag: "Error"
      readonly reason: ErrorReason
      readonly message: string
      readonly cause?: unknown
    }
  | {
      readonly _tag: "Denied"
      readonly by: DeniedBy
      readonly message: string
      readonly decidedBy: DecidedBy
    }
  | { readonly _tag: "Cancelled"; readonly message: string; readonly decidedBy: CancellingParty }

/** The outcome of a failure; `message` is for the model, `cause` for the host. */
export const failed = (reason: ErrorReason, message: string, cause?: unknown): Stopped =>
  cause === undefined ? { _tag: "Error", reason, message } : { _tag: "Error", reason, message, cause }

/** The outcome of a call whose id is in use. */
export const duplicate = (callId: string): Stopped =>
  failed("duplicate", `Call id "${callId}" is in use. Use a new id for every call.`)

/** The outcome of a background call of a tool that may not run in the background. */
export const noBackground = (name: string): Stopped =>
  failed("invalid", `Tool "${name}" cannot run in the background. Call it without \`background\`.`)

/**
 * The outcome of a call that may not begin: it was truncated, it has a `refusal`, or the host denied it when it enqueued the
 * call.
 */
export const notTaken = ({ truncated }: ToolCall, refusal?: Stopped): Stopped =>
  truncated
    ? failed(
        "truncated",
        "Your answer was cut at its token limit, so this call may be incomplete, and nothing of it ran. Send the call again, shorter: for example as several small ones.",
      )
    : (refusal ?? deniedByUser(undefined, byCall))

/** The outcome of a denial. Default reason: `Denied by user`. */
export const deniedByUser = (reason?: string, decidedBy = byUserBecause(reason)): Stopped => ({
  _tag: "Denied",
  by: "user",
  message: reasonText(reason) ?? "Denied by user",
  decidedBy,
})

/** The outcome of a call that a deny rule, a hook or a reviewer denies. */
export const deniedByPolicy = (message: string, decidedBy: DecidedBy): Stopped => ({
  _tag: "Denied",
  by: "policy",
  message,
  decidedBy,
})

/** The outcome of a cancel. Default reason: `Cancelled`. */
export const cancelled = (reason?: string, by: CancellingParty = byUser): Stopped => {
  const given = reasonText(reason)
  const decidedBy = given === undefined ? by : { ...by, reason: given }
  return { _tag: "Cancelled", message: given ?? "Cancelled", decidedBy }
}

/** An outcome with the other data of its terminal event. */
export interface Ended {
  readonly call: ToolCall
  readonly outcome: Outcome
  readonly output: ToolOutput | undefined
  /** The streamed text, for calls that ended before they had an output. */
  readonly streamed: string
  /** The party that decided the last gate, if any. */
  readonly decidedBy: DecidedBy | undefined
  /** Whether `Started` has reported the parameters. */
  readonly started: boolean
  readonly edited: boolean
  readonly deduplicated: boolean
  readonly staged: CompletedEvent["staged"]
  readonly cleanupErrors: ReadonlyArray<string> | undefined
}

const nothing: ToolOutput = { content: [] }

const withOutputSoFar = (message: string, { output, streamed }: Ended): string => {
  const soFar = output === undefined ? streamed : textOf(output)
  return soFar === "" ? message : `${message}\n${soFar}`
}

/** Set one by one: most properties are absent, and every call pays for this. */
export const terminalEvent = (ended: Ended): TerminalEvent => {
  const event: Mutable<TerminalEvent> = bareEvent(ended)
  const { outcome } = ended
  const isStopped = outcome._tag === "Denied" || outcome._tag === "Cancelled"
  const decidedBy = isStopped ? outcome.decidedBy : ended.decidedBy
  if (decidedBy !== undefined) event.decidedBy = decidedBy
  if (ended.cleanupErrors !== undefined) event.cleanupErrors = ended.cleanupErrors
  if (event._tag === "Completed" || event._tag === "Error") {
    if (ended.edited) event.editedParams = ended.call.params
  }
  if (event._tag === "Completed" && ended.staged !== undefined) event.staged = ended.staged
  if (ended.deduplicated) event.deduplicated = true
  if (event._tag === "Denied" && !ended.started) event.params = ended.call.params
  return event
}

const bareEvent = (ended: Ended): TerminalEvent => {
  const { outcome, output } = ended
  const { agentId, callId, name } = ended.call
  switch (outcome._tag) {
    case "Completed": {
      const result = output ?? nothing
      return {
        _tag: "Completed",
        agentId,
        callId,
        name,
        content: textOf(result),
        output: result,
        seq: 0,
        at: 0,
      }
    }
    case "Error": {
      const { reason, message, cause } = outcome
      const content = reason === "timeout" ? withOutputSoFar(message, ended) : message
      const event: Mutable<ErrorEvent> = {
        _tag: "Error",
        agentId,
        callId,
        name,
        content,
        reason,
        seq: 0,
        at: 0,
      }
      if (output !== undefined) event.output = output
      if (cause !== undefined) event.cause = cause
      return event
    }
    case "Denied":
      return {
        _tag: "Denied",
        agentId,
        callId,
        name,
        content: outcome.message,
        by: outcome.by,
        seq: 0,
        at: 0,
      }
    case "Cancelled": {
      const content = withOutputSoFar(outcome.message, ended)
      const by = outcome.decidedBy.kind
      return { _tag: "Cancelled", agentId, callId, name, content, by, seq: 0, at: 0 }
    }
  }
}

const statuses = {
  Completed: "complete",
  Error: "error",
  Denied: "denied",
  Cancelled: "cancelled",
} as const satisfies Record<TerminalEvent["_tag"], FinalStatus>

/** The status of a terminal event. */
export const statusOf = ({ _tag }: Pick<TerminalEvent, "_tag">): FinalStatus => statuses[_tag]

/** A failure as an output: its message, followed by the output before the failure, with that output's details. */
const failureOutput = (event: TerminalEvent): ToolOutput => {
  if (event._tag !== "Error" || event.output === undefined) return textOutput(event.content)
  const { details, structured } = event.output
  const output: Mutable<ToolOutput> = { content: failureContent(event.content, event.output) }
  if (structured !== undefined) output.structured = structured
  if (details !== undefined) output.details = details
  return output
}

/** The blocks of a failure with this text. Output text that is not part of `text` is for the host only, and left out. */
const failureContent = (text: string, output: ToolOutput): ToolOutput["content"] => {
  const said = textOf(output)
  if (said !== "" && said === text) return output.content
  if (said !== "" && text.endsWith(`\n${said}`)) {
    return [{ type: "text", text: text.slice(0, -said.length - 1) }, ...output.content]
  }
  return [{ type: "text", text }, ...output.content.filter((block) => block.type !== "text")]
}

/** Adds the reason of the end and the deciding party from the terminal event. */
const addWhy = (to: Mutable<EndReason>, event: TerminalEvent): void => {
  if (event._tag === "Denied" || event._tag === "Cancelled") to.by = event.by
  if (event._tag === "Error") to.reason = event.reason
  if (event.decidedBy !== undefined) to.decidedBy = event.decidedBy
  if (event._tag === "Error" && event.cause !== undefined) to.cause = event.cause
  if (event.bounded !== undefined) to.bounded = event.bounded
  if (event.deduplicated) to.deduplicated = true
}

/** Adds the other data of a task's end. Set one by one: most properties are absent. */
export const addTaskEnd = (to: Mutable<TaskEnd>, event: TerminalEvent): void => {
  addWhy(to, event)
  if ("editedParams" in event) to.editedParams = event.editedParams
  if ("staged" in event) to.staged = event.staged
  if (event.cleanupErrors !== undefined) to.cleanupErrors = event.cleanupErrors
}

/** The result of a call that continues as a background task. */
export const backgroundResult = (callId: string): ToolResult => {
  const content = `Running in background (task_id: ${callId})`
  return { status: "background", content, output: textOutput(content), isError: false, taskId: callId }
}

/** The result of `run` for a terminal event. */
export const resultOf = (event: TerminalEvent): ToolResult => {
  const { content } = event
  const output = event._tag === "Completed" ? event.output : failureOutput(event)
  const isError = event._tag !== "Completed"
  const result: Mutable<ToolResult> = { status: statusOf(event), content, output, isError }
  if (isError) addWhy(result, event)
  else {
    if (event.decidedBy !== undefined) result.decidedBy = event.decidedBy
    if (event.bounded !== undefined) result.bounded = event.bounded
    if (event.deduplicated) result.deduplicated = true
  }
  if (output.terminate === true) result.terminate = true
  return result
}
