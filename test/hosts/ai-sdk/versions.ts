/** Both versions of the AI SDK, each with its own mock model, which says what a test scripts. */
import * as sdk7 from "ai"
import { MockLanguageModelV4 } from "ai/test"
import * as sdk6 from "ai-6"
import { MockLanguageModelV3 } from "ai-6/test"

/** What the model does in one turn: text, or calls. */
export type ScriptedTurn = string | ReadonlyArray<{ id: string; name: string; params?: unknown }>

/** A model that does what a script says, a turn after the other, and keeps what it was asked. */
export interface ScriptedModel {
  readonly model: MockLanguageModelV4
  /** The prompt and the tools of each turn. */
  readonly asked: ReadonlyArray<{ prompt: unknown; tools: Array<string>; toolChoice: unknown }>
}

interface ModelOptions {
  readonly prompt: unknown
  readonly tools?: ReadonlyArray<{ readonly name: string }>
  readonly toolChoice?: unknown
  readonly abortSignal?: AbortSignal
}

/** A version under test. The tests are written against the types of 7. */
export interface Version {
  readonly name: string
  readonly sdk: typeof sdk7
  scripted(turns: ReadonlyArray<ScriptedTurn>): ScriptedModel
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

const contentOf = (turn: ScriptedTurn) =>
  typeof turn === "string"
    ? [{ type: "text" as const, text: turn }]
    : turn.map(({ id, name, params = {} }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        // A text is what the model wrote, such as broken JSON.
        input: typeof params === "string" ? params : JSON.stringify(params),
      }))

const finishOf = (turn: ScriptedTurn) => ({
  unified: typeof turn === "string" ? ("stop" as const) : ("tool-calls" as const),
  raw: undefined,
})

const scriptedWith =
  (Mock: typeof MockLanguageModelV4) =>
  (turns: ReadonlyArray<ScriptedTurn>): ScriptedModel => {
    const asked: Array<{ prompt: unknown; tools: Array<string>; toolChoice: unknown }> = []
    const next = (options: ModelOptions) => {
      // As those do that ask a server.
      options.abortSignal?.throwIfAborted()
      const turn = turns[asked.length]
      const tools = (options.tools ?? []).map((tool) => tool.name)
      asked.push({ prompt: structuredClone(options.prompt), tools, toolChoice: options.toolChoice })
      if (turn === undefined) throw new Error("The script has no further turn")
      return turn
    }
    const model = new Mock({
      doGenerate: async (options) => {
        const turn = next(options)
        return { content: contentOf(turn), finishReason: finishOf(turn), usage, warnings: [] }
      },
      doStream: async (options) => {
        const turn = next(options)
        const parts =
          typeof turn === "string"
            ? [
                { type: "text-start" as const, id: "1" },
                { type: "text-delta" as const, id: "1", delta: turn },
                { type: "text-end" as const, id: "1" },
              ]
            : contentOf(turn)
        return {
          stream: sdk7.simulateReadableStream({
            chunks: [
              { type: "stream-start" as const, warnings: [] },
              ...parts,
              { type: "finish" as const, finishReason: finishOf(turn), usage },
            ] as never,
          }),
        }
      },
    })
    return { model, asked }
  }

export const versions: ReadonlyArray<Version> = [
  {
    name: "AI SDK 6",
    sdk: sdk6 as unknown as typeof sdk7,
    scripted: scriptedWith(MockLanguageModelV3 as unknown as typeof MockLanguageModelV4),
  },
  { name: "AI SDK 7", sdk: sdk7, scripted: scriptedWith(MockLanguageModelV4) },
]

/** The results that the model was told of in its last turn, by call. */
export const toldIn = (prompt: unknown): Record<string, unknown> => {
  const messages = prompt as Array<{ role: string; content: unknown }>
  const results: Record<string, unknown> = {}
  for (const { role, content } of messages) {
    if (role !== "tool") continue
    for (const part of content as Array<{ type: string; toolCallId: string; output: unknown }>) {
      if (part.type === "tool-result") results[part.toolCallId] = part.output
    }
  }
  return results
}
