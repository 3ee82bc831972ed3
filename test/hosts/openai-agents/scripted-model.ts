/** A model of OpenAI Agents that does what a script says, a turn after the other, and keeps what it was asked. */
import {
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  Usage,
} from "@openai/agents"

/** What the model does in one turn: text, or calls. */
export type ScriptedTurn =
  | string
  | ReadonlyArray<{
      id: string
      name: string
      params?: unknown
      /** In place of `params`. */
      arguments?: string
      status?: "completed" | "incomplete"
    }>

const outputOf = (turn: ScriptedTurn): ModelResponse["output"] =>
  typeof turn === "string"
    ? [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: turn }],
        },
      ]
    : turn.map(({ id, name, params = {}, arguments: text, status = "completed" }) => ({
        type: "function_call" as const,
        callId: id,
        name,
        status,
        arguments: text ?? JSON.stringify(params),
      }))

/** Its runner asks it, and nobody else. */
export const scripted = (turns: ReadonlyArray<ScriptedTurn>) => {
  const asked: Array<ModelRequest> = []
  const model: Model = {
    getResponse: async (request) => {
      const turn = turns[asked.length]
      asked.push(structuredClone({ ...request, signal: undefined, tracing: false }))
      if (turn === undefined) throw new Error("The script has no further turn")
      return { usage: new Usage({ requests: 1 }), output: outputOf(turn) }
    },
    getStreamedResponse: () => {
      throw new Error("The script is not streamed")
    },
  }
  const runner = new Runner({ modelProvider: { getModel: () => model }, tracingDisabled: true })
  return { runner, asked }
}

/** The names of the tools that it was offered. */
export const offeredIn = (request: ModelRequest | undefined): Array<string> =>
  request!.tools.map((tool) => tool.name)

/** What it was told of its calls, by call. */
export const toldIn = (request: ModelRequest | undefined): Record<string, unknown> => {
  const results: Record<string, unknown> = {}
  for (const item of request!.input as ReadonlyArray<AgentInputItem>) {
    if (item.type === "function_call_result") results[item.callId] = item.output
  }
  return results
}
