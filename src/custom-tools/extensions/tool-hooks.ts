/**
 * The executor's hooks, answered by the extensions' listeners in order: `tool_call` can block a call or change its arguments
 * and fails closed, `tool_result` can rewrite the result and fails open. Without listeners they cost nothing.
 */
import { isDeepStrictEqual } from "node:util"
import { orAborted } from "../../io/or-aborted.ts"
import type { ToolCall } from "../../model/call.ts"
import type { ToolResult } from "../../model/event.ts"
import type { AfterCall, BeforeCall, Hooks } from "../../model/options.ts"
import { toOutput } from "../../output/output.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ToolCallEvent, ToolResultEvent } from "../session-events.ts"
import { hookTimeout, settleWithin } from "./settle-within.ts"

/** A listener, bound to the context of a call. */
export interface HookListener {
  hear(event: ToolCallEvent | ToolResultEvent, call: ToolCall, signal: AbortSignal): unknown
  /** Logs a warning that names the extension. */
  warn(message: string): void
}

export const makeToolHooks = (
  listenersOf: (type: "tool_call" | "tool_result") => ReadonlyArray<HookListener>,
): Hooks => ({
  beforeCall: (call, context) => {
    const listeners = listenersOf("tool_call")
    return listeners.length === 0 ? undefined : tellCall(listeners, call, context.signal)
  },
  afterCall: (call, result, context) => {
    const listeners = listenersOf("tool_result")
    return listeners.length === 0 ? undefined : tellResult(listeners, call, result, context.signal)
  },
})

const tellCall = async (
  listeners: ReadonlyArray<HookListener>,
  call: ToolCall,
  signal: AbortSignal,
): Promise<BeforeCall> => {
  const input = structuredClone(call.params) as Record<string, unknown>
  const event: ToolCallEvent = { type: "tool_call", toolCallId: call.callId, toolName: call.name, input }
  for (const listener of listeners) {
    const before = event.input
    try {
      const answer = answerOf(await untilAborted(signal, () => listener.hear(event, call, signal)), listener)
      if (event.input !== before && !isPlainObject(event.input)) {
        event.input = before
        listener.warn("Ignored what a tool_call listener put in place of `input`: it is no object")
      }
      if (answer.block) {
        return { block: true, reason: textOf(answer.reason) ?? "Blocked by an extension, without a reason" }
      }
      if (answer.input === undefined) continue
      if (isPlainObject(answer.input)) event.input = answer.input
      else listener.warn("Ignored the answer of a tool_call listener: its `input` is no object")
    } catch (error) {
      signal.throwIfAborted()
      listener.warn(`A tool_call listener failed, and so blocked a call of ${call.name}: ${messageOf(error)}`)
      return { block: true, reason: messageOf(error) }
    }
  }
  return isDeepStrictEqual(event.input, call.params) ? undefined : { params: event.input }
}

const tellResult = async (
  listeners: ReadonlyArray<HookListener>,
  call: ToolCall,
  result: ToolResult,
  signal: AbortSignal,
): Promise<AfterCall | undefined> => {
  // A copy, because listeners can modify it in place.
  let content = structuredClone(result.output.content)
  let { details } = result.output
  let { isError } = result
  let isRewritten = false
  for (const listener of listeners) {
    const { callId: toolCallId, name: toolName } = call
    const input = call.params as Record<string, unknown>
    const event: ToolResultEvent = {
      type: "tool_result",
      toolCallId,
      toolName,
      input,
      content,
      details,
      isError,
    }
    try {
      const answer = answerOf(await untilAborted(signal, () => listener.hear(event, call, signal)), listener)
      const rewritten = answer.content === undefined ? undefined : toOutput({ content: answer.content })
      if (rewritten !== undefined) content = [...rewritten.content]
      else if (answer.content !== undefined) {
        listener.warn("Ignored the `content` of a tool_result listener: it is no array of content blocks")
      }
      if (answer.details !== undefined) details = answer.details
      isRewritten ||= rewritten !== undefined || answer.details !== undefined
      if (typeof answer.isError === "boolean") isError = answer.isError
    } catch (error) {
      signal.throwIfAborted()
      listener.warn(`A tool_result listener failed: ${messageOf(error)}`)
    }
  }
  if (!isRewritten && isError === result.isError) return undefined
  return {
    ...(isRewritten && { output: { ...result.output, content, ...(details !== undefined && { details }) } }),
    ...(isError !== result.isError && { isError }),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** Reads an answer; undefined and null count as an empty one. */
const answerOf = (answer: unknown, listener: HookListener): Readonly<Record<string, unknown>> => {
  if (answer === undefined || answer === null) return {}
  if (isPlainObject(answer)) return answer
  listener.warn(`Ignored the answer of a listener: ${Array.isArray(answer) ? "an array" : typeof answer}`)
  return {}
}

/**
 * Rejects with the signal's reason on abort, or if the listener takes too long; then the listener continues, and its result
 * is ignored.
 */
const untilAborted = async (signal: AbortSignal, work: () => unknown): Promise<unknown> => {
  signal.throwIfAborted()
  return orAborted(settleWithin(hookTimeout, work), signal)
}
