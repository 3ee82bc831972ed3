/**
 * Runs a foreign tool's `execute` as a handler. A generator, because it is not waited for after a cancel, whatever the
 * tool does with the signal, and because a failure may come with an output.
 */
import { messageOf } from "../pipeline/failure.ts"
import { type EffectHandler, type HandlerContext, handler } from "../pipeline/handler.ts"
import { type ToolOutput, textOf, textOutput } from "../pipeline/output.ts"
import { Step } from "../pipeline/step.ts"
import type { AgentToolUpdateCallback } from "./agent-tool-result.ts"
import { type CurrentCall, currentCall } from "./current-call.ts"
import type { CustomToolHost } from "./host.ts"
import { runIsolated, runOutside } from "./loading/isolation.ts"
import { defaultSession } from "./memory-session.ts"
import { toPartial, toToolOutput } from "./normalise-result.ts"
import { toPlainJson } from "./plain-json.ts"

/** What an adapter puts into the order of its runtime. */
export interface Execution {
  readonly params: unknown
  readonly call: CurrentCall
  readonly onUpdate: AgentToolUpdateCallback
  /** The executor's. */
  readonly cwd: string
}

export interface ExecuteToolOptions {
  readonly name: string
  readonly host: CustomToolHost
  readonly params: unknown
  readonly execute: (execution: Execution) => unknown
}

/** Streams updates until `close`. It never throws: tools call it from anywhere, at any time. */
const makeUpdates = (context: HandlerContext) => {
  let isOpen = true
  let last = ""
  const onUpdate = (update: unknown): void => {
    if (!isOpen || context.signal.aborted) return
    const { text, partial } = toPartial(update)
    // An update replaces the one before, a delta goes on from it.
    const added = text.startsWith(last) ? text.slice(last.length) : text
    if (text !== "") last = text
    // Whoever is told is no foreign code.
    runOutside(() => void context.delta(added, partial))
  }
  const close = () => {
    isOpen = false
  }
  return { onUpdate, close }
}

const failureText = (name: string, cause: unknown): string =>
  cause === undefined || cause === null || cause === ""
    ? `Tool "${name}" failed without a reason`
    : messageOf(cause)

/** As the published runtimes write a result into their history. */
const record = (
  host: CustomToolHost,
  context: HandlerContext,
  output: ToolOutput,
  isError: boolean,
): void => {
  if (host.sessionManager !== undefined || context.signal.aborted) return
  const { callId, name } = context.call
  const { content, details } = output
  const message = {
    role: "toolResult",
    toolCallId: callId,
    toolName: name,
    content,
    // Tools take their state out of here and change it.
    ...(details !== undefined && { details: toPlainJson(details) }),
    isError,
    timestamp: Date.now(),
  }
  defaultSession(host).append({ type: "message", message })
}

/** The tool's own copy: hosts show the parameters that were approved. */
const copyOf = (params: unknown): unknown => {
  try {
    return structuredClone(params)
  } catch {
    return params
  }
}

export const executeTool = ({ name, host, params, execute }: ExecuteToolOptions): EffectHandler => {
  const run = async (execution: Execution) =>
    toToolOutput(await currentCall.run(execution.call, () => runIsolated(name, () => execute(execution))))

  return handler("ExecuteTool", async function* (context) {
    const { call, agent, signal, cwd } = context
    const updates = makeUpdates(context)
    let result: Awaited<ReturnType<typeof run>>
    try {
      result = await run({
        params: copyOf(params),
        call: { callId: call.callId, agent, signal },
        onUpdate: updates.onUpdate,
        cwd,
      })
    } catch (cause) {
      const text = failureText(name, cause)
      record(host, context, textOutput(text), true)
      return Step.Error(text, { cause })
    } finally {
      updates.close()
    }
    const { output, isError } = result
    record(host, context, output, isError)
    yield Step.Output(output)
    if (isError) return Step.Error(textOf(output) || failureText(name, undefined))
  })
}
