/** How a call ends, before it is told: the one place that words terminal events. */
import type { ToolCall } from "./call.ts"
import type {
  CompletedEvent,
  DeniedBy,
  ErrorReason,
  FinalStatus,
  TerminalEvent,
  ToolResult,
} from "./event.ts"
import { type ToolOutput, textOf, textOutput } from "./output.ts"

export type Outcome = { readonly _tag: "Completed" } | Stopped

/** Everything but success. */
export type Stopped =
  | {
      readonly _tag: "Error"
      readonly reason: ErrorReason
      readonly message: string
      readonly cause?: unknown
    }
  | { readonly _tag: "Denied"; readonly by: DeniedBy; readonly message: string }
  | { readonly _tag: "Cancelled"; readonly message: string }

export const failed = (reason: ErrorReason, message: string, cause?: unknown): Stopped =>
  cause === undefined ? { _tag: "Error", reason, message } : { _tag: "Error", reason, message, cause }

export const noBackground = (name: string): Stopped =>
  failed("invalid", `Tool "${name}" cannot run in the background. Call it without \`background\`.`)

export const deniedByUser = (reason?: string): Stopped => ({
  _tag: "Denied",
  by: "user",
  message: reason === undefined || reason === "" ? "Denied by user" : String(reason),
})

export const deniedByPolicy = (message: string): Stopped => ({ _tag: "Denied", by: "policy", message })

export const cancelled = (reason?: string): Stopped => ({
  _tag: "Cancelled",
  message: reason === undefined || reason === "" ? "Cancelled" : String(reason),
})

/** What surrounds an outcome when it is told. */
export interface Ended {
  readonly call: ToolCall
  readonly outcome: Outcome
  readonly output: ToolOutput | undefined
  /** What the call streamed, for those that ended before they had an output. */
  readonly streamed: string
  readonly edited: boolean
  readonly staged: CompletedEvent["staged"]
  readonly cleanupErrors: ReadonlyArray<string> | undefined
}

const nothing: ToolOutput = { content: [] }

const withOutputSoFar = (message: string, { output, streamed }: Ended): string => {
  const soFar = output === undefined ? streamed : textOf(output)
  return soFar === "" ? message : `${message}\n${soFar}`
}

export const terminalEvent = (ended: Ended): TerminalEvent => {
  const { call, outcome, output, cleanupErrors } = ended
  const { agentId, callId, name } = call
  const cleanup = cleanupErrors === undefined ? undefined : { cleanupErrors }
  const edited = ended.edited ? { editedParams: call.params } : undefined
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
        ...(ended.staged !== undefined && { staged: ended.staged }),
        ...edited,
        ...cleanup,
      }
    }
    case "Error": {
      const { reason, message, cause } = outcome
      const content = reason === "timeout" ? withOutputSoFar(message, ended) : message
      return {
        _tag: "Error",
        agentId,
        callId,
        name,
        content,
        reason,
        ...(output !== undefined && { output }),
        ...(cause !== undefined && { cause }),
        ...edited,
        ...cleanup,
      }
    }
    case "Denied":
      return { _tag: "Denied", agentId, callId, name, content: outcome.message, by: outcome.by, ...cleanup }
    case "Cancelled":
      return {
        _tag: "Cancelled",
        agentId,
        callId,
        name,
        content: withOutputSoFar(outcome.message, ended),
        ...cleanup,
      }
  }
}

const statuses = {
  Completed: "complete",
  Error: "error",
  Denied: "denied",
  Cancelled: "cancelled",
} as const satisfies Record<TerminalEvent["_tag"], FinalStatus>

export const statusOf = (event: TerminalEvent): FinalStatus => statuses[event._tag]

/** The failure's text; what hosts were to know of it stays. */
const failureOutput = (event: TerminalEvent): ToolOutput => {
  const details = event._tag === "Error" ? event.output?.details : undefined
  return details === undefined ? textOutput(event.content) : { ...textOutput(event.content), details }
}

export const resultOf = (event: TerminalEvent): ToolResult => {
  const { content } = event
  const output = event._tag === "Completed" ? event.output : failureOutput(event)
  const result = { status: statusOf(event), content, output, isError: event._tag !== "Completed" }
  return output.terminate === true ? { ...result, terminate: true } : result
}
