/**
 * Runs a foreign tool's `execute` as a handler. A generator, because a cancel does not wait for it, whatever the tool does
 * with the signal, and because a failure can have an output.
 */

import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { type ToolOutput, textOf, textOutput } from "../output/output.ts"
import { toPlainJson } from "../output/to-plain-json.ts"
import { messageOf } from "../text/message-of.ts"
import type { CurrentCall } from "./current-call.ts"
import type { AgentToolUpdateCallback } from "./custom-tool.ts"
import { loggerOf } from "./file-logger.ts"
import type { CustomToolHost } from "./host.ts"
import { copyOf, isolatedCall, runOutside } from "./loading/isolation.ts"
import { writableSession } from "./memory-session.ts"
import { toPartial, toToolOutput } from "./normalise-result.ts"

/** The arguments of an execution, which an adapter puts into the order of its runtime. */
export interface Execution {
  readonly params: unknown
  readonly call: CurrentCall
  readonly onUpdate: AgentToolUpdateCallback
  /** The executor's working directory. */
  readonly cwd: string
}

/** Streams updates until `close`. It never throws: tools call it from anywhere, at any time. */
const makeUpdates = (context: HandlerContext) => {
  let isOpen = true
  let last = ""
  const onUpdate = (update: unknown): void => {
    if (!isOpen || context.signal.aborted) return
    const { text, partial } = toPartial(update)
    // An update replaces the previous one, whereas a delta continues it.
    const added = text.startsWith(last) ? text.slice(last.length) : text
    if (text !== "") last = text
    // The receiver is not foreign code.
    runOutside(() => void context.delta(added, partial))
  }
  const close = () => {
    isOpen = false
  }
  return { onUpdate, close }
}

/** The message for the model about a tool's error. */
export const failureText = (name: string, cause: unknown): string => {
  const text = cause === undefined || cause === null ? "" : messageOf(cause)
  // The text of a plain Error without a message is its name.
  return text === "" || text === "Error" ? `Tool "${name}" failed without a reason` : text
}

/** Records a result in the session, as the published runtimes do. */
const record = (
  host: CustomToolHost,
  context: HandlerContext,
  output: ToolOutput,
  isError: boolean,
): void => {
  const session = writableSession(host)
  if (session === undefined || context.signal.aborted) return
  const { callId, name } = context.call
  const { content, details } = output
  const message = {
    role: "toolResult",
    toolCallId: callId,
    toolName: name,
    content,
    // Tools read their state from here and change it.
    ...(details !== undefined && { details: toPlainJson(details) }),
    isError,
    timestamp: Date.now(),
  }
  session.append({ type: "message", message })
}

type Result =
  | { readonly output: ToolOutput; readonly isError: boolean }
  | { readonly failure: string; readonly cause: unknown }

/** Reads a tool's result or error while the guards are active, because any property can be a getter. */
export const resultOf = async (name: string, execute: () => unknown): Promise<Result> => {
  try {
    return toToolOutput(await execute())
  } catch (cause) {
    return { failure: failureText(name, cause), cause }
  }
}

export const executeTool = (
  name: string,
  host: CustomToolHost,
  params: unknown,
  execute: (execution: Execution) => unknown,
): EffectHandler => {
  async function* run(context: HandlerContext): AsyncGenerator<Step> {
    const { agent, changes, cwd, onShutdown, signal } = context
    const updates = makeUpdates(context)
    const given = { callId: context.call.callId, agent, signal, onShutdown, changes }
    const { call, isolated } = isolatedCall<CurrentCall>(name, given, loggerOf(host))
    const execution = { params: copyOf(params), call, onUpdate: updates.onUpdate, cwd }
    const result = await isolated(() => resultOf(name, () => execute(execution)))
    updates.close()
    if ("failure" in result) {
      const { failure, cause } = result
      record(host, context, textOutput(failure), true)
      return Step.Error(failure, { cause })
    }
    const { output, isError } = result
    record(host, context, output, isError)
    yield Step.Output(output)
    if (isError) return Step.Error(textOf(output) || failureText(name, undefined))
  }
  return handler("ExecuteTool", run, { retry: "never" })
}
