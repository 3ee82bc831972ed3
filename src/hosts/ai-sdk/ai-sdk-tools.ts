/**
 * The tools of an executor as tools of the AI SDK, versions 6 and 7. The SDK makes the calls; the executor checks, orders and
 * runs them. The SDK is an argument, so that nothing is loaded here and both versions do.
 */

import { textOf } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolTypes } from "../../pipeline/model/tool-types.ts"
import { resolveName } from "../../resolve/definition.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import { type AgentLoopOptions, LoopCalls, type LoopResult } from "../agent-loop/loop-calls.ts"
import { TextSoFar } from "../agent-loop/text-so-far.ts"
import { approvalIn } from "./approval-in.ts"
import { type AiSdkModelOutput, modelOutput } from "./model-output.ts"

/** What is used of the SDK: `import * as sdk from "ai"`. Its versions differ in the types of their parameters. */
export interface AiSdk {
  jsonSchema(schema: never): unknown
  dynamicTool(options: never): unknown
}

/** What a call's `execute` is told of it. */
interface CallOptions {
  readonly toolCallId: string
  readonly messages: ReadonlyArray<unknown>
  readonly abortSignal?: AbortSignal | undefined
}

/** A tool, as it is given to the SDK. */
interface AiSdkTool {
  readonly description: string
  readonly inputSchema: unknown
  needsApproval(input: unknown, options: CallOptions): Promise<boolean>
  execute(input: unknown, options: CallOptions): AsyncIterable<AiSdkOutput>
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput
}

/** What a tool's part of a message holds: what it streamed so far, then its result. Plain JSON. */
export type AiSdkOutput = { readonly status: "running"; readonly content: string } | LoopResult

/** What AI SDK 7 takes as the answer of `toolApproval`. */
export type AiSdkApproval =
  | undefined
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "user-approval"; readonly reason: string }

/** What `prepareStep` sets. The SDK's own settings hold where there is nothing to set. */
export interface AiSdkStep<Message> {
  readonly activeTools: Array<string>
  readonly toolChoice?: { readonly type: "tool"; readonly toolName: "resolve" }
  readonly messages?: Array<Message | { readonly role: "user"; readonly content: string }>
}

/** For `generateText` and `streamText`, as they are. */
export interface AiSdkTools<Sdk extends AiSdk> {
  /** Those that the agent may call now, and `resolve`. */
  readonly tools: Record<string, ReturnType<Sdk["dynamicTool"]>>
  /** AI SDK 7: what rules deny is denied with its reason. Version 6 asks the tools themselves, and is told it as their result. */
  toolApproval(options: { readonly toolCall: ToolCallPart }): Promise<AiSdkApproval>
  /** Offers `resolve` while a preview waits, reminds of it, and in the end forces it. */
  prepareStep<Message>(options: { readonly messages: Array<Message> }): AiSdkStep<Message>
}

interface ToolCallPart {
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
}

/**
 * Make it once for an agent, for all that its model is asked: it counts the turns of a preview.
 *
 * @example
 * const { tools, toolApproval, prepareStep } = aiSdkTools(sdk, executor, { agentId: "main" })
 * const result = await sdk.generateText({ model, messages, tools, toolApproval, prepareStep, stopWhen })
 */
export const aiSdkTools = <Sdk extends AiSdk, T extends ToolTypes>(
  sdk: Sdk,
  executor: ToolExecutor<T>,
  options: AgentLoopOptions = {},
): AiSdkTools<Sdk> => {
  const calls = new LoopCalls(executor as unknown as ToolExecutor, options)
  const { agent } = calls
  // Only there since version 7, in which a model is given media in another shape.
  const isSeven = "isStepCount" in sdk

  const jsonSchema = sdk.jsonSchema as (schema: JsonSchema) => unknown
  const dynamicTool = sdk.dynamicTool as (options: AiSdkTool) => unknown

  const toolOf = (name: string, description: string, parameters: JsonSchema): unknown =>
    dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      needsApproval: async (params, { toolCallId, messages }) => {
        // An approval that is there already is not to be found needless by a rule that was added meanwhile.
        if (approvalIn(messages, toolCallId) !== undefined) return true
        return (await calls.decide({ callId: toolCallId, name, params })).verdict === "ask"
      },
      async *execute(params, { toolCallId, messages, abortSignal }) {
        const controller = new AbortController()
        const signals = abortSignal === undefined ? [] : [abortSignal]
        const text = new TextSoFar()
        const running = calls.run(
          { callId: toolCallId, name, params },
          {
            signal: AbortSignal.any([controller.signal, ...signals]),
            approval: approvalIn(messages, toolCallId),
            onDelta: (delta) => text.push(delta),
          },
        )
        try {
          for await (const content of text.until(running)) yield { status: "running", content }
          yield told(await running)
        } finally {
          // Whoever leaves the loop wants no more of it.
          controller.abort()
        }
      },
      toModelOutput: ({ output }) => modelOutput(output as LoopResult, isSeven),
    })

  return {
    get tools() {
      const tools: Record<string, unknown> = {}
      for (const { name, description, parameters } of agent.definitions()) {
        tools[name] = toolOf(name, description, parameters)
      }
      const resolve = agent.tool(resolveName)!
      tools[resolveName] = toolOf(resolveName, resolve.description, resolve.parameters)
      return tools as AiSdkTools<Sdk>["tools"]
    },

    async toolApproval({ toolCall: { toolCallId, toolName, input } }) {
      // The tools of others are theirs to ask for.
      if (agent.tool(toolName) === undefined) return undefined
      const call = { callId: toolCallId, name: toolName, params: input }
      const { verdict, reason = "", applies } = await calls.decide(call)
      if (verdict === "deny") return { type: "denied", reason }
      if (verdict !== "ask") return undefined
      const preview = textOf(applies?.preview)
      return { type: "user-approval", reason: preview === "" ? reason : `${reason}\n\n${preview}` }
    },

    prepareStep({ messages }) {
      const choice = calls.nextTurn()
      const activeTools = agent.definitions().map(({ name }) => name)
      if (choice?.mode === "force") {
        return { activeTools: [resolveName], toolChoice: { type: "tool", toolName: resolveName } }
      }
      if (choice?.mode !== "remind") return { activeTools }
      return { activeTools, messages: [...messages, { role: "user", content: choice.reminder.text }] }
    },
  }
}

/** A failure is the SDK's tool error, unless it holds more than text, which an error cannot. */
const told = (result: LoopResult): LoopResult => {
  const { status, content, output } = result
  const isLost = output.content.some((block) => block.type !== "text")
  if ((status === "error" || status === "cancelled") && !isLost) throw new Error(content)
  return result
}
