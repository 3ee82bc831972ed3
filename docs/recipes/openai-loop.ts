/**
 * An agent loop on the `openai` package and its Responses API: the model's turn, the calls of it, their results, until it
 * calls nothing more. The executor checks, orders and runs the calls; gates and effects are put to `onEvent`.
 */
import type OpenAI from "openai"
import type { ToolContent, ToolEvent, ToolExecutor } from "stepline"

export const converse = async (
  client: OpenAI,
  model: string,
  executor: ToolExecutor,
  prompt: string,
  onEvent: (event: ToolEvent) => unknown,
): Promise<string> => {
  const agent = executor.agent("main")
  const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: prompt }]
  while (true) {
    // While a preview waits, `resolve` is among the tools; in the end it is the only choice.
    const choice = agent.toolChoice()
    const tools = agent.definitions().map(({ name, description, parameters }) => ({
      type: "function" as const,
      name,
      description,
      parameters: { ...parameters },
      strict: false,
    }))
    const response = await client.responses.create({
      model,
      input,
      tools,
      ...(choice?.mode === "force" && { tool_choice: { type: "function" as const, name: choice.toolName } }),
    })
    input.push(...(response.output as Array<OpenAI.Responses.ResponseInputItem>))
    const calls = response.output.filter((item) => item.type === "function_call")
    // Also a turn without calls: a preview may be waiting to be resolved.
    const results = await agent.runTurn(
      calls.map((call) => ({ callId: call.call_id, name: call.name, params: parsed(call.arguments) })),
      onEvent,
      { truncated: response.incomplete_details?.reason === "max_output_tokens" },
    )
    if (calls.length === 0) return response.output_text
    for (const [index, { output }] of results.entries()) {
      input.push({
        type: "function_call_output",
        call_id: calls[index]!.call_id,
        output: output.content.map(toPart),
      })
    }
    const next = agent.toolChoice()
    if (next?.mode === "remind") input.push({ role: "user", content: next.reminder.text })
  }
}

/** What is no JSON is refused by the executor, which tells the model so. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toPart = (block: ToolContent) => {
  if (block.type === "text") return { type: "input_text" as const, text: block.text }
  if (block.type !== "image") return { type: "input_text" as const, text: `[${block.type}]` }
  const { data, mimeType } = block
  return {
    type: "input_image" as const,
    image_url: `data:${mimeType};base64,${data}`,
    detail: "auto" as const,
  }
}
