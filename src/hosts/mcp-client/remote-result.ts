/** The answer of an MCP server as a step. */
import type { CallToolResult } from "@modelcontextprotocol/client"
import { Step } from "../../model/step.ts"
import { isContent, type ToolContent } from "../../output/content.ts"
import { type ToolOutput, textOf } from "../../output/output.ts"

interface UnknownBlock {
  readonly type?: unknown
  readonly mimeType?: unknown
  readonly name?: unknown
  readonly uri?: unknown
}

/** The blocks have the same shapes as ours. A block of any other type becomes a note, so that its loss is visible. */
const blockOf = (block: unknown): ToolContent => {
  if (isContent(block)) return block
  const { type, mimeType, name, uri } = Object(block) as UnknownBlock
  const known = [mimeType, name, uri].filter((about) => typeof about === "string")
  const about = known.length === 0 ? "" : ` (${known.join(", ")})`
  return {
    type: "text",
    text: `[The server sent content of the type ${JSON.stringify(type)}${about}, which cannot be shown.]`,
  }
}

/** Returns a server's message with only known blocks in its result: otherwise the SDK refuses the whole result. */
export const readableMessage = <M extends object>(message: M): M => {
  const { result } = message as { readonly result?: { readonly content?: unknown } }
  if (!Array.isArray(result?.content) || result.content.every(isContent)) return message
  return { ...message, result: { ...result, content: result.content.map(blockOf) } }
}

/** The step of a server's answer. */
export const remoteStep = ({ content = [], structuredContent, isError }: CallToolResult): Step => {
  const structured = structuredContent !== undefined && { structured: structuredContent }
  const output: ToolOutput = { content: content.map(blockOf), ...structured }
  if (isError !== true) return Step.Output(output)
  const message = textOf(output)
  // The texts are already in the message, so the model reads them once.
  const others = output.content.filter(({ type }) => type !== "text")
  return Step.Error(message === "" ? "The tool failed, and its server did not say why." : message, {
    output: { content: others, ...structured },
  })
}
