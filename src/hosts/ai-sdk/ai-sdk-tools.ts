/**
 * The tools of an executor as tools of the AI SDK, versions 6 and 7. The SDK makes the calls; the executor checks, orders and
 * runs them. The SDK is an argument, so that nothing is loaded here and either version works.
 */

import type { ToolTypes } from "../../model/tool-types.ts"
import { textOf } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { resolveName } from "../../resolve/definition.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import { AgentLoop, type AgentLoopOptions, type LoopResult } from "../agent-loop/agent-loop.ts"
import { TextSoFar } from "../agent-loop/text-so-far.ts"
import { approvalIn } from "./approval-in.ts"
import { type AiSdkModelOutput, type AiSdkOutput, modelOutput } from "./model-output.ts"

/** The used part of the SDK: `import * as sdk from "ai"`. Its versions differ in the types of their parameters. */
export interface AiSdk {
  jsonSchema(schema: never): unknown
  dynamicTool(options: never): unknown
}

/** What `execute` receives for a call. */
interface CallOptions {
  readonly toolCallId: string
  readonly messages: ReadonlyArray<unknown>
  readonly abortSignal?: AbortSignal | undefined
  /** Named `context` in version 7, `experimental_context` in version 6. */
  readonly context?: unknown
  readonly experimental_context?: unknown
}

/** A tool as the SDK receives it. */
interface AiSdkTool {
  readonly description: string
  readonly inputSchema: unknown
  needsApproval(input: unknown, options: CallOptions): Promise<boolean>
  execute(input: unknown, options: CallOptions): AsyncIterable<AiSdkOutput>
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput
}

/** The answer of `toolApproval` in AI SDK 7. */
export type AiSdkApproval =
  | undefined
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "user-approval"; readonly reason: string }

/** The settings of `prepareStep`. Missing settings keep the SDK's defaults. */
export interface AiSdkStep<Message> {
  readonly activeTools: Array<string>
  readonly toolChoice?: { readonly type: "tool"; readonly toolName: "resolve" }
  readonly messages?: Array<Message | { readonly role: "user"; readonly content: string }>
}

/** Options for `generateText` and `streamText`. */
export interface AiSdkTools<Sdk extends AiSdk> {
  /** The tools that the agent may call now, and `resolve` and `read_result`. */
  readonly tools: Record<string, ReturnType<Sdk["dynamicTool"]>>
  /**
   * For AI SDK 7: denies what rules deny, with the reason. Version 6 asks the tools themselves, and receives the reason as a
   * result.
   */
  toolApproval(options: { readonly toolCall: ToolCallPart }): Promise<AiSdkApproval>
  /** Offers `resolve` while a preview is pending, reminds of it, and in the end forces it. */
  prepareStep<Message>(options: { readonly messages: Array<Message> }): AiSdkStep<Message>
}

interface ToolCallPart {
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
}

/**
 * Call it once for an agent, for all its turns: the tools count the turns of a preview.
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
  const calls = new AgentLoop(executor, options)
  const { agent } = calls
  // Version 7 has this function, and expects media in another shape.
  const isSeven = "isStepCount" in sdk

  const jsonSchema = sdk.jsonSchema as (schema: JsonSchema) => unknown
  const dynamicTool = sdk.dynamicTool as (options: AiSdkTool) => unknown

  const toolOf = (name: string, description: string, parameters: JsonSchema): unknown =>
    dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      needsApproval: async (params, { toolCallId, messages }) => {
        // An approval stays valid, even if a rule that was added since makes it unnecessary.
        if (approvalIn(messages, toolCallId) !== undefined) return true
        return (await calls.decide({ callId: toolCallId, name, params })).verdict === "ask"
      },
      async *execute(params, { toolCallId, messages, abortSignal, context, experimental_context }) {
        const controller = new AbortController()
        const signals = abortSignal === undefined ? [] : [abortSignal]
        const text = new TextSoFar()
        const running = calls.run(
          { callId: toolCallId, name, params },
          {
            signal: AbortSignal.any([controller.signal, ...signals]),
            approval: approvalIn(messages, toolCallId),
            context: context ?? experimental_context,
            onDelta: (delta) => text.push(delta),
          },
        )
        try {
          for await (const content of text.until(running)) yield { status: "running", content }
          yield told(await running)
        } finally {
          // A reader that leaves the loop cancels the call.
          controller.abort()
        }
      },
      toModelOutput: ({ output }) => modelOutput(output as AiSdkOutput, isSeven),
    })

  return {
    get tools() {
      // `prepareStep` controls when `resolve` and `read_result` can be called.
      const tools = agent
        .definitions({ withResolve: true })
        .map(({ name, description, parameters }) => [name, toolOf(name, description, parameters)] as const)
      return Object.fromEntries(tools) as AiSdkTools<Sdk>["tools"]
    },

    async toolApproval({ toolCall: { toolCallId, toolName, input } }) {
      // Tools from elsewhere ask by themselves.
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

/** A failure becomes the SDK's tool error, unless it has more than text, which an error cannot hold. */
const told = (result: LoopResult): LoopResult => {
  const { status, content, output } = result
  const isLost = output.content.some((block) => block.type !== "text")
  if ((status === "error" || status === "cancelled") && !isLost) throw new Error(content)
  return result
}
