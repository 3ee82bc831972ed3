/**
 * The tools of an executor as tools of Mastra. The SDK makes the calls; the executor checks, orders and runs them. A gate suspends the
 * run. The package is an argument, so that nothing is loaded here.
 */

import { got } from "../../model/got.ts"
import type { ToolTypes } from "../../model/tool-types.ts"
import type { ToolContent } from "../../output/content.ts"
import { textOf } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import {
  AgentLoop,
  type AgentLoopOptions,
  isAllText,
  type LoopResult,
  resourceText,
  toldBlocks,
} from "../agent-loop/agent-loop.ts"
import { Threads } from "../agent-loop/threads.ts"
import { unchecked } from "../agent-loop/unchecked-schema.ts"
import { actionOf, answerOf, type LangGraphAction } from "../langgraph/decision.ts"

/** The used part of the package: `import * as mastra from "@mastra/core/tools"`. */
export interface MastraSdk {
  createTool(options: never): unknown
}

/** Options of `mastraTools`. */
export interface MastraOptions extends AgentLoopOptions {
  /** Default: the thread of the run, so that each conversation is an agent of its own; `"main"` for a run without one. */
  readonly agentId?: string
}

/** The payload of a suspended run: the call that waits for its approval. */
export interface MastraQuestion extends LangGraphAction {
  /** The schema of `args`, for editors. */
  readonly argsSchema: JsonSchema
}

/** The used part of what a tool receives. */
interface ToolContext {
  readonly abortSignal?: AbortSignal
  readonly requestContext?: unknown
  readonly writer?: { write(chunk: unknown): Promise<void> }
  /** Missing where no agent calls the tool. */
  readonly agent?: {
    readonly toolCallId: string
    readonly threadId?: string
    readonly resumeData?: unknown
    suspend(question: MastraQuestion): Promise<void>
  }
}

/**
 * Call it once, for all runs of an agent: the tools count the turns of a preview. A gate suspends the run with a `MastraQuestion`; resume
 * it with `{ type: "approve" }`, `{ type: "reject", message }` or `{ type: "edit", editedAction: { args } }`.
 *
 * @example
 * const agent = new Agent({ id: "coder", name: "Coder", instructions, model, tools: mastraTools(mastra, executor) })
 */
export const mastraTools = <Sdk extends MastraSdk, T extends ToolTypes>(
  sdk: Sdk,
  executor: ToolExecutor<T>,
  options: MastraOptions = {},
): Record<string, ReturnType<Sdk["createTool"]>> => {
  const threads = new Threads((agentId) => new AgentLoop(executor, { ...options, agentId }), options.agentId)
  // Mastra does not tell in which step a call is. A step begins with a call while no other one of its conversation runs.
  const steps = new Map<string | undefined, { calls: number }>()
  const createTool = sdk.createTool as (options: unknown) => unknown
  const definitions = executor.agent(options.agentId).definitions({ withResolve: true })
  const tools = definitions.map(({ name, description, parameters }) => {
    const run = async (
      loop: AgentLoop<T>,
      params: unknown,
      context: ToolContext,
    ): Promise<LoopResult | undefined> => {
      const { agent, abortSignal: signal, requestContext, writer } = context
      const { toolCallId: callId = crypto.randomUUID(), resumeData } = agent ?? {}
      const call = { callId, name, params }
      const decision = await loop.decide(call)
      if (decision.verdict === "ask" && resumeData === undefined && agent !== undefined) {
        await agent.suspend({ ...actionOf({ call, decision, parameters }), argsSchema: parameters })
        return undefined
      }
      const answer = resumeData === undefined ? undefined : answerOf(resumeData)
      if (resumeData !== undefined && answer === undefined)
        throw new TypeError(
          `Resume a suspended call with { type: "approve" }, { type: "reject", message } or { type: "edit", editedAction: { args } }, ${got(resumeData)}`,
        )
      return loop.run(call, {
        signal,
        // A snapshot that is resumed twice has the same call.
        ...(answer !== undefined && { approval: JSON.stringify([agent?.threadId, call]), answer }),
        context: requestContext,
        // Nobody listens after the run's end.
        onDelta: (delta) => void writer?.write({ callId, name, delta }).catch(() => {}),
      })
    }
    const execute = async (params: unknown, context: ToolContext) => {
      const { threadId, resumeData } = context.agent ?? {}
      const step = steps.get(threadId) ?? { calls: 0 }
      steps.set(threadId, step)
      step.calls += 1
      try {
        return await run(threads.of(threadId, resumeData === undefined ? step : undefined), params, context)
      } finally {
        step.calls -= 1
        if (step.calls === 0) steps.delete(threadId)
      }
    }
    return [
      name,
      createTool({ id: name, description, inputSchema: unchecked(parameters), execute, toModelOutput }),
    ]
  })
  return Object.fromEntries(tools) as Record<string, ReturnType<Sdk["createTool"]>>
}

const partOf = (block: ToolContent): object => {
  if (block.type === "image" || block.type === "audio")
    return { type: "media", data: block.data, mediaType: block.mimeType }
  return { type: "text", text: block.type === "text" ? block.text : resourceText(block) }
}

/** The text or content of a result for the model. */
const toModelOutput = (result: LoopResult): object => {
  const content = toldBlocks(result)
  return isAllText(content)
    ? { type: "text", value: textOf({ content }) }
    : { type: "content", value: content.map(partOf) }
}
