/**
 * The tools of an executor as tools of LangChain, for LangGraph. The graph makes the calls; the executor checks, orders and runs them. A
 * gate interrupts the graph. The package is an argument, so that nothing is loaded here.
 */

import type { ToolTypes } from "../../model/tool-types.ts"
import type { ToolContent } from "../../output/content.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import {
  AgentLoop,
  type AgentLoopOptions,
  type LoopCall,
  type LoopResult,
  resourceText,
  toldBlocks,
} from "../agent-loop/agent-loop.ts"
import type { LoopAnswer } from "../agent-loop/first-answer.ts"
import { Threads } from "../agent-loop/threads.ts"
import { unchecked } from "../agent-loop/unchecked-schema.ts"
import { type AskedCall, answersIn, questionOf } from "./decision.ts"

export type { LangGraphAction, LangGraphQuestion } from "./decision.ts"

/** The used part of the package: `import * as langchain from "langchain"`, or both names from `@langchain/core`. */
export interface LangChainSdk {
  tool(run: never, options: never): unknown
  readonly ToolMessage: new (fields: never) => unknown
}

/** Options of `langGraphTools`. */
export interface LangGraphOptions extends AgentLoopOptions {
  /** Default: the `thread_id` of the run, so that each conversation is a separate agent; `"main"` for a run without one. */
  readonly agentId?: string
}

/** The used part of what a tool receives. */
interface Runtime {
  readonly toolCall?: { readonly id?: string | undefined }
  readonly signal?: AbortSignal
  readonly configurable?: {
    readonly thread_id?: unknown
    readonly __pregel_task_id?: unknown
    /** One object for each run of a task. */
    readonly __pregel_scratchpad?: object
  }
  /** `lg_tool_call` if the call is a separate task. */
  readonly state?: { readonly messages?: ReadonlyArray<unknown>; readonly lg_tool_call?: unknown }
  /** Absent outside of a graph. */
  readonly interrupt?: (question: unknown) => unknown
  readonly writer?: ((chunk: unknown) => void) | undefined
}

type Answers = ReadonlyMap<string, LoopAnswer>

const noAnswers: Promise<Answers> = Promise.resolve(new Map())

const askedTwice =
  "This node of the graph has asked about another call already, and can ask only once. Run the calls of a message with a ToolNode, or each in a node of its own."

interface ModelMessage {
  readonly id?: string
  readonly tool_calls?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly args: unknown }>
  readonly response_metadata?: { readonly finish_reason?: unknown; readonly stop_reason?: unknown }
}

/** The model's message with this call, if the graph has its messages in `messages`. */
const messageOf = ({ state, toolCall }: Runtime): ModelMessage =>
  (state?.messages?.findLast((message) => {
    const { tool_calls } = Object(message) as ModelMessage
    return Array.isArray(tool_calls) && tool_calls.some(({ id }) => id === toolCall?.id)
  }) as ModelMessage | undefined) ?? {}

/** All calls of one message are one turn. The number of a step is that of another run, too, where nothing keeps checkpoints. */
const turnOf = ({ id, tool_calls }: ModelMessage): unknown =>
  tool_calls === undefined ? {} : JSON.stringify([id, tool_calls.map((call) => call.id)])

/** Whether the model's answer was cut at its limit. */
const isTruncated = ({ response_metadata: { finish_reason, stop_reason } = {} }: ModelMessage): boolean =>
  finish_reason === "length" || stop_reason === "max_tokens"

/**
 * Call it once, for all runs of a graph: the tools count the turns of a preview. A gate interrupts the graph with a `LangGraphQuestion`;
 * resume it with `{ decisions: [{ type: "approve" }] }`.
 *
 * @example
 * const agent = createAgent({ model, tools: langGraphTools(langchain, executor), checkpointer })
 */
export const langGraphTools = <Sdk extends LangChainSdk, T extends ToolTypes>(
  sdk: Sdk,
  executor: ToolExecutor<T>,
  options: LangGraphOptions = {},
): Array<ReturnType<Sdk["tool"]>> => {
  const threads = new Threads((agentId) => new AgentLoop(executor, { ...options, agentId }), options.agentId)
  const definitions = executor.agent(options.agentId).definitions({ withResolve: true })
  const schemas = new Map(definitions.map(({ name, parameters }) => [name, parameters]))
  const makeTool = sdk.tool as (run: unknown, options: unknown) => unknown
  const ToolMessage = sdk.ToolMessage as new (fields: unknown) => unknown

  const ask = async (
    loop: AgentLoop<T>,
    calls: ReadonlyArray<LoopCall>,
    interrupt: Runtime["interrupt"],
    before: Answers,
  ): Promise<Answers> => {
    if (interrupt === undefined) return before
    const asked: Array<AskedCall> = []
    for (const call of calls) {
      const parameters = schemas.get(call.name)
      // Tools from elsewhere ask by themselves.
      if (parameters === undefined) continue
      const decision = await loop.decide(call)
      if (decision.verdict === "ask") asked.push({ call, decision, parameters })
    }
    if (asked.length === 0) return before
    if (before.size > 0) throw new Error(askedTwice)
    return answersIn(interrupt(questionOf(asked)), asked)
  }

  // A task interrupts once, for all of its calls: answers to several interrupts are matched only by the order of the
  // interrupts, which a rule added meanwhile would change.
  const answers = new WeakMap<object, Promise<Answers>>()
  const answersOf = (
    loop: AgentLoop<T>,
    own: LoopCall,
    runtime: Runtime,
    { tool_calls = [] }: ModelMessage,
  ) => {
    const { configurable, state, interrupt } = runtime
    const isAlone = state?.lg_tool_call !== undefined || tool_calls.length < 2
    const calls = tool_calls.map(({ id, name, args }) => ({ callId: id ?? "", name, params: args }))
    const key = configurable?.__pregel_scratchpad ?? runtime
    const known = answers.get(key)
    if (known !== undefined && !isAlone) return known
    const given = (known ?? noAnswers).then((before) => ask(loop, isAlone ? [own] : calls, interrupt, before))
    answers.set(key, given)
    return given
  }

  const tools = definitions.map(({ name, description, parameters }) => {
    const run = async (params: unknown, runtime: Runtime) => {
      const { toolCall, signal, writer } = runtime
      const callId = toolCall?.id ?? crypto.randomUUID()
      const call = { callId, name, params }
      const message = messageOf(runtime)
      const loop = threads.of(runtime.configurable?.thread_id, turnOf(message))
      const answer = (await answersOf(loop, call, runtime, message)).get(callId)
      // A checkpoint that is resumed twice has the same task.
      const approval = JSON.stringify([runtime.configurable?.__pregel_task_id, call])
      const result = await loop.run(call, {
        signal,
        ...(answer !== undefined && { approval, answer }),
        context: runtime.configurable,
        truncated: isTruncated(message),
        onDelta: (delta) => writer?.({ callId, name, delta }),
      })
      const status = result.isError ? "error" : "success"
      return new ToolMessage({
        content: contentOf(result),
        artifact: result,
        status,
        tool_call_id: callId,
        name,
      })
    }
    return makeTool(run, { name, description, schema: unchecked(parameters) })
  })
  return tools as Array<ReturnType<Sdk["tool"]>>
}

/** Blocks in LangChain's own shapes; text alone as a string. */
const contentOf = (result: LoopResult): string | Array<object> => {
  const blocks = toldBlocks(result).map(blockOf)
  return blocks.every(({ type }) => type === "text")
    ? blocks.map((block) => ("text" in block ? block.text : "")).join("\n")
    : blocks
}

type LangChainBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio" | "file"; readonly data: string; readonly mimeType: string }

const blockOf = (block: ToolContent): LangChainBlock => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type === "image" || block.type === "audio")
    return { type: block.type, data: block.data, mimeType: block.mimeType }
  if (block.type === "resource" && block.resource.blob !== undefined)
    return {
      type: "file",
      data: block.resource.blob,
      mimeType: block.resource.mimeType ?? "application/octet-stream",
    }
  return { type: "text", text: resourceText(block) }
}
