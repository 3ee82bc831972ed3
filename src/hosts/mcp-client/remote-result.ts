/** The answer of an MCP server as a step. */
import type { CallToolResult } from "@modelcontextprotocol/client"
import { isContent, type ToolContent } from "../../output/content.ts"
import { type ToolOutput, textOf } from "../../output/output.ts"
import { Step } from "../../pipeline/model/step.ts"

/** The blocks have the same shapes as ours. A block of any other type becomes a note, so that its loss shows. */
const blockOf = (block: unknown): ToolContent => {
  if (isContent(block)) return block
  const { type } = (block ?? {}) as { type?: unknown }
  return {
    type: "text",
    text: `[The server sent content of the type ${JSON.stringify(type)}, which cannot be shown.]`,
  }
}

/** The step of a server's answer. */
export const remoteStep = ({ content = [], structuredContent, isError }: CallToolResult): Step => {
  const output: ToolOutput = {
    content: content.map(blockOf),
    ...(structuredContent !== undefined && { structured: structuredContent }),
  }
  if (isError !== true) return Step.Output(output)
  const message = textOf(output)
  return Step.Error(message === "" ? "The tool failed, and its server did not say why." : message, { output })
}
