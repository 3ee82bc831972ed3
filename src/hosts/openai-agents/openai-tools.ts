/**
 * The tools of an executor as function tools of OpenAI Agents. The SDK makes the calls; the executor checks, orders and runs
 * them. The SDK is an argument, so that nothing is loaded here.
 */

import type { ToolDefinition } from "../../model/tool-definition.ts"
import type { ToolTypes } from "../../model/tool-types.ts"
import type { ToolContent } from "../../output/content.ts"
import { textOf } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { resolveName } from "../../resolve/definition.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import {
  AgentLoop,
  type AgentLoopOptions,
  isAllText,
  type LoopResult,
  resourceText,
  toldBlocks,
} from "../agent-loop/agent-loop.ts"

/** The used part of the SDK: `import * as sdk from "@openai/agents"`. */
export interface OpenAiAgentsSdk {
  tool(options: never): unknown
}

/** A tool as the SDK receives it. */
interface FunctionToolOptions {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly strict: false
  isEnabled(): boolean
  needsApproval(run: unknown, params: unknown, callId?: string): Promise<boolean>
  execute(params: unknown, run: RunContext, details?: CallDetails): Promise<string | Array<OutputPart>>
}

interface CallDetails {
  readonly toolCall?: { readonly callId: string; readonly status?: string }
  readonly signal?: AbortSignal
}

/** The used part of a run. */
interface RunContext {
  readonly context?: unknown
  isToolApproved(call: { readonly toolName: string; readonly callId: string }): boolean | undefined
}

/**
 * Call it once for an agent, for all its runs: the tools count the turns of a preview. Tools that the agent may not call are
 * disabled. Throws a TypeError for two names that the SDK does not distinguish: it keeps only letters, digits and `_`.
 *
 * @example
 * const agent = new sdk.Agent({ name: "Coder", tools: openaiTools(sdk, executor, { agentId: "main" }) })
 */
export const openaiTools = <Sdk extends OpenAiAgentsSdk, T extends ToolTypes>(
  sdk: Sdk,
  executor: ToolExecutor<T>,
  options: AgentLoopOptions = {},
): Array<ReturnType<Sdk["tool"]>> => {
  const calls = new AgentLoop(executor, options)
  const { agent } = calls
  let isNewTurn = true

  // The SDK calls this for each tool before each turn of the model.
  const isOffered = (name: string): boolean => {
    isNewTurn = true
    if (agent.toolChoice()?.mode === "force") return name === resolveName
    return agent.definitions().some((tool) => tool.name === name)
  }

  const beginTurn = (): void => {
    if (isNewTurn) calls.nextTurn()
    isNewTurn = false
  }

  const functionTool = sdk.tool as (options: FunctionToolOptions) => { readonly name: string }

  const toolOf = ({ name, description, parameters }: ToolDefinition) => {
    const tool = functionTool({
      name,
      description,
      // The executor checks the parameters, with messages that help the model.
      parameters,
      strict: false,
      isEnabled: () => isOffered(name),
      needsApproval: async (_run, params, callId = "") => {
        beginTurn()
        return (await calls.decide({ callId, name, params })).verdict === "ask"
      },
      execute: async (params, run, details) => {
        beginTurn()
        const callId = details?.toolCall?.callId ?? crypto.randomUUID()
        const isApproved = (id: string) => run.isToolApproved({ toolName: tool.name, callId: id }) === true
        const approval = isApproved(callId) ? JSON.stringify([callId, name, params]) : undefined
        // With the SDK's `alwaysApprove`, even a call that does not exist is approved.
        const isStanding = isApproved(crypto.randomUUID())
        const truncated = details?.toolCall?.status === "incomplete"
        const { context } = run
        const options = { signal: details?.signal, approval, context, isStanding, truncated }
        return told(await calls.run({ callId, name, params }, options))
      },
    })
    made.add(tool)
    return tool
  }

  const definitions = agent.definitions({ withResolve: true })
  const tools = definitions.map(toolOf)
  assertDistinct(tools, definitions)
  return tools as Array<ReturnType<Sdk["tool"]>>
}

/** The used part of an approval that the SDK asks for. */
interface Approval {
  readonly name?: string | undefined
  readonly arguments?: string | undefined
  readonly agent: { readonly tools: ReadonlyArray<object> }
}

/** A result of the SDK that waits for approvals: the used part. */
interface Interrupted<Item> {
  readonly interruptions: ReadonlyArray<Item>
  readonly state: { approve(item: Item): void }
}

const made = new WeakSet<object>()

/** Whether the SDK cannot read the arguments of a call of our tools: it runs nothing then, approved or not. */
const cannotRun = ({ name, arguments: text, agent }: Approval): boolean => {
  if (
    text === undefined ||
    !agent.tools.some((tool) => made.has(tool) && "name" in tool && tool.name === name)
  )
    return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

/**
 * The approvals of a result that a person has to give. The SDK asks about a call whose arguments are not JSON, too, without asking its
 * tool whether it should, although it cannot run. Such a call is let through, for the model to read that.
 *
 * @example
 * while (result.interruptions.length > 0) {
 *   for (const question of openQuestions(result)) result.state.approve(question)
 *   result = await runner.run(agent, result.state)
 * }
 */
export const openQuestions = <Item extends Approval>({
  interruptions,
  state,
}: Interrupted<Item>): Array<Item> =>
  interruptions.filter((item) => {
    const isOpen = !cannotRun(item)
    // A rejection would tell the model that a person refused.
    if (!isOpen) state.approve(item)
    return isOpen
  })

const assertDistinct = (
  tools: ReadonlyArray<{ readonly name: string }>,
  definitions: ReadonlyArray<ToolDefinition>,
): void => {
  const names = new Map<string, string>()
  for (const [index, { name }] of tools.entries()) {
    const own = definitions[index]!.name
    const other = names.get(name)
    if (other !== undefined) {
      throw new TypeError(`The tools "${other}" and "${own}" are both "${name}" to OpenAI Agents: rename one`)
    }
    names.set(name, own)
  }
}

type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: { readonly data: string; readonly mediaType: string } }
  | {
      readonly type: "file"
      readonly file: { readonly data: string; readonly mediaType: string; readonly filename: string }
    }

const partOf = (block: ToolContent): OutputPart => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type === "image") return { type: "image", image: { data: block.data, mediaType: block.mimeType } }
  if (block.type === "resource" && block.resource.blob !== undefined) {
    const { uri, blob, mimeType = "application/octet-stream" } = block.resource
    const filename = uri.split("/").at(-1) || "file"
    return { type: "file", file: { data: blob, mediaType: mimeType, filename } }
  }
  return { type: "text", text: resourceText(block) }
}

/** The text or parts of a result for the model. */
const told = (result: LoopResult): string | Array<OutputPart> => {
  const blocks = toldBlocks(result)
  if (!isAllText(blocks)) return blocks.map(partOf)
  return textOf({ content: blocks })
}
