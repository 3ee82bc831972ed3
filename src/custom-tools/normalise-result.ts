/** Reads whatever a foreign tool answers or streams: nothing that it makes up reaches a host as it is. */
import { type ToolContent, type ToolOutput, textOf } from "../pipeline/model/output.ts"
import type { AgentToolResult } from "./agent-tool-result.ts"
import { toPlainJson } from "./plain-json.ts"

type PlainRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is PlainRecord => typeof value === "object" && value !== null

const text = (value: unknown): ToolContent => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
})

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

const toBlocks = (block: unknown): Array<ToolContent> => {
  if (isNothing(block)) return []
  if (!isRecord(block)) return [text(block)]
  const { type, text: words, data, mimeType } = block
  if (type === "text") return isNothing(words) ? [] : [text(words)]
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return [{ type, data, mimeType }]
  }
  return [text(block)]
}

const besideContent = new Set(["details", "isError", "terminate"])

const contentOf = (result: unknown): Array<ToolContent> => {
  if (Array.isArray(result)) return result.flatMap(toBlocks)
  if (!isRecord(result)) return toBlocks(result)
  const { type, content, output } = result
  if (!isNothing(content)) return Array.isArray(content) ? content.flatMap(toBlocks) : toBlocks(content)
  if (typeof output === "string") return [text(output)]
  if (type === "text" || type === "image") return toBlocks(result)
  return Object.keys(result).every((key) => besideContent.has(key) || isNothing(result[key]))
    ? []
    : [text(result)]
}

const detailsOf = (result: unknown): { readonly details?: unknown } => {
  const details = isRecord(result) ? result.details : undefined
  return details === undefined ? {} : { details }
}

/**
 * The output that a result stands for. A string is its text, `output` with a string too; blocks that are neither text
 * nor an image, and results without content, are shown as JSON; nothing gives no content. `details` come as plain JSON,
 * as they would after the session was read back: see `toPlainJson`.
 */
export const toToolOutput = (result: unknown): { readonly output: ToolOutput; readonly isError: boolean } => {
  const plain = toPlainJson(result)
  const { isError, terminate } = isRecord(plain) ? plain : {}
  const output = {
    content: contentOf(plain),
    ...detailsOf(plain),
    ...(terminate === true && { terminate }),
  }
  return { output, isError: isError === true }
}

/** The same for a partial result, with its text. */
export const toPartial = (update: unknown): { readonly text: string; readonly partial: AgentToolResult } => {
  const plain = toPlainJson(update)
  const partial = { content: contentOf(plain), ...detailsOf(plain) }
  return { text: textOf(partial), partial }
}
