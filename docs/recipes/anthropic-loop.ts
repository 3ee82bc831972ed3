/**
 * An agent loop on `@anthropic-ai/sdk`: the model's turn, the calls of it, their results, until it calls nothing more. The
 * executor checks, orders and runs the calls; gates and effects are put to `onEvent`.
 */
import type Anthropic from "@anthropic-ai/sdk"
import type { ToolContent, ToolEvent, ToolExecutor } from "stepline"

export const converse = async (
  client: Anthropic,
  model: Anthropic.Model,
  executor: ToolExecutor,
  prompt: string,
  onEvent: (event: ToolEvent) => unknown,
): Promise<string> => {
  const agent = executor.agent("main")
  const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: prompt }]
  while (true) {
    // While a preview waits, `resolve` is among the tools; in the end it is the only choice.
    const choice = agent.toolChoice()
    const tools = agent.definitions().map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters as Anthropic.Tool.InputSchema,
    }))
    const { content, stop_reason } = await client.messages.create({
      model,
      max_tokens: 8192,
      messages,
      tools,
      ...(choice?.mode === "force" && { tool_choice: { type: "tool" as const, name: choice.toolName } }),
    })
    messages.push({ role: "assistant", content })
    const calls = content.filter((block) => block.type === "tool_use")
    // Also a turn without calls: a preview may be waiting to be resolved.
    const results = await agent.runTurn(
      calls.map(({ id, name, input }) => ({ callId: id, name, params: input })),
      onEvent,
      { truncated: stop_reason === "max_tokens" },
    )
    if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("")
    const told: Array<Anthropic.ContentBlockParam> = results.map((result, index) => ({
      type: "tool_result",
      tool_use_id: calls[index]!.id,
      is_error: result.isError,
      content: result.output.content.map(toBlock),
    }))
    const next = agent.toolChoice()
    if (next?.mode === "remind") told.push({ type: "text", text: next.reminder.text })
    messages.push({ role: "user", content: told })
  }
}

type MediaType = Anthropic.Base64ImageSource["media_type"]

const toBlock = (block: ToolContent): Anthropic.TextBlockParam | Anthropic.ImageBlockParam => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type !== "image") return { type: "text", text: `[${block.type}]` }
  const { data, mimeType } = block
  return { type: "image", source: { type: "base64", data, media_type: mimeType as MediaType } }
}
