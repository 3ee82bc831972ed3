/** A chat model of LangChain that does what a script says, a turn after the other, and keeps what it was told. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages"
import type { ChatResult } from "@langchain/core/outputs"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"

/** What the model does in one turn: text, or calls. */
export type ScriptedTurn =
  | string
  | ReadonlyArray<{ readonly id: string; readonly name: string; readonly params?: object }>

const messageOf = (turn: ScriptedTurn, isCut: boolean): AIMessage =>
  typeof turn === "string"
    ? new AIMessage(turn)
    : new AIMessage({
        content: "",
        tool_calls: turn.map(({ id, name, params = {} }) => ({
          id,
          name,
          args: params as Record<string, unknown>,
          type: "tool_call" as const,
        })),
        response_metadata: { finish_reason: isCut ? "length" : "tool_calls" },
      })

export class ScriptedModel extends BaseChatModel {
  readonly asked: Array<ReadonlyArray<BaseMessage>> = []
  /** The tools, as OpenAI gets them, that it was offered last. */
  offered: ReadonlyArray<unknown> = []
  private readonly turns: ReadonlyArray<ScriptedTurn>
  private readonly isCut: boolean

  constructor(turns: ReadonlyArray<ScriptedTurn>, { isCut = false } = {}) {
    super({})
    this.turns = turns
    this.isCut = isCut
  }

  override _llmType(): string {
    return "scripted"
  }

  override bindTools(tools: ReadonlyArray<unknown>): this {
    this.offered = tools.map((tool) => convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]))
    return this
  }

  override async _generate(messages: Array<BaseMessage>): Promise<ChatResult> {
    const turn = this.turns[messages.filter(AIMessage.isInstance).length]
    this.asked.push(messages)
    if (turn === undefined) throw new Error("The script has no further turn")
    return { generations: [{ text: "", message: messageOf(turn, this.isCut) }] }
  }
}

/** What the model was told of its calls, by call. */
export const toldIn = (messages: ReadonlyArray<BaseMessage>): Record<string, ToolMessage> =>
  Object.fromEntries(
    messages.filter(ToolMessage.isInstance).map((message) => [message.tool_call_id, message]),
  )
