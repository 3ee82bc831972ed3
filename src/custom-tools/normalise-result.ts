/** Normalises whatever a foreign tool returns or streams: hosts never get it unchecked. */
import { isContent, type ToolContent } from "../output/content.ts"
import { type ToolOutput, textOf } from "../output/output.ts"
import { toPlainJson } from "../output/to-plain-json.ts"
import type { AgentToolResult } from "./agent-tool-result.ts"

type PlainRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is PlainRecord => typeof value === "object" && value !== null

const text = (value: unknown): ToolContent => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
})

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

const knownFields = new Set([
  "type",
  "text",
  "data",
  "mimeType",
  "resource",
  "uri",
  "name",
  "title",
  "description",
  "size",
  "annotations",
  "_meta",
])

const withKnownFields = (block: ToolContent): ToolContent =>
  Object.fromEntries(
    Object.entries(block).filter(([field]) => knownFields.has(field)),
  ) as unknown as ToolContent

const toBlocks = (block: unknown): Array<ToolContent> => {
  if (isNothing(block)) return []
  if (!isRecord(block)) return [text(block)]
  const { type, text: words } = block
  if (type === "text" && typeof words !== "string") return isNothing(words) ? [] : [text(words)]
  return [isContent(block) ? withKnownFields(block) : text(block)]
}

const besideContent = new Set(["details", "isError", "terminate"])

const contentOf = (result: unknown): Array<ToolContent> => {
  if (Array.isArray(result)) return result.flatMap(toBlocks)
  if (!isRecord(result)) return toBlocks(result)
  const { type, content, output } = result
  if (!isNothing(content)) return Array.isArray(content) ? content.flatMap(toBlocks) : toBlocks(content)
  if (typeof output === "string") return [text(output)]
  if (type === "text" || isContent(result)) return toBlocks(result)
  return Object.keys(result).every((key) => besideContent.has(key) || isNothing(result[key]))
    ? []
    : [text(result)]
}

const detailsOf = (result: unknown): { readonly details?: unknown } => {
  const details = isRecord(result) ? result.details : undefined
  return details === undefined ? {} : { details }
}

/**
 * Converts a result to an output. A string becomes its text, and so does a string in `output`; invalid content blocks, and
 * results without content, are shown as JSON; an empty result has no content. `details` are converted to plain JSON, as
 * after reading a session from disk: see `toPlainJson`.
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

/** Converts a partial result, with its text. */
export const toPartial = (update: unknown): { readonly text: string; readonly partial: AgentToolResult } => {
  const plain = toPlainJson(update)
  const partial = { content: contentOf(plain), ...detailsOf(plain) }
  return { text: textOf(partial), partial }
}
