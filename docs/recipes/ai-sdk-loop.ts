/**
 * An agent loop on the AI SDK, with a person who approves: where a call has a gate, the SDK stops before it, and goes on with
 * the answer. Until then nothing of the call has run, and the messages may be kept anywhere.
 */
import * as sdk from "ai"
import type { ToolExecutor } from "stepline"
import { aiSdkTools } from "stepline/hosts/ai-sdk"

/** What is put to the person. */
export interface Question {
  readonly toolName: string
  readonly input: unknown
}

export const converse = async (
  model: sdk.LanguageModel,
  executor: ToolExecutor,
  prompt: string,
  ask: (question: Question) => Promise<{ approved: boolean; reason?: string }>,
): Promise<string> => {
  const { tools, toolApproval, prepareStep } = aiSdkTools(sdk, executor, { agentId: "main" })
  const messages: Array<sdk.ModelMessage> = [{ role: "user", content: prompt }]
  const stopWhen = sdk.stepCountIs(50)
  while (true) {
    const { content, responseMessages, text } = await sdk.generateText({
      model,
      messages,
      tools,
      toolApproval,
      prepareStep,
      stopWhen,
    })
    // In version 6 they are in `response.messages`.
    messages.push(...responseMessages)
    const answers: Array<sdk.ToolApprovalResponse> = []
    for (const part of content) {
      // Those that rules have answered are there too.
      if (part.type !== "tool-approval-request" || part.isAutomatic === true) continue
      const { approvalId, toolCall } = part
      answers.push({ type: "tool-approval-response", approvalId, ...(await ask(toolCall)) })
    }
    if (answers.length === 0) return text
    messages.push({ role: "tool", content: answers })
  }
}
