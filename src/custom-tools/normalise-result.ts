/** Normalises whatever a foreign tool returns or streams: hosts never get it unchecked. */
import { isContent, type ToolContent } from "../output/content.ts"
import { type ToolOutput, textOf } from "../output/output.ts"
import { toPlainJson } from "../output/to-plain-json.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import type { AgentToolResult } from "./custom-tool.ts"

const text = (value: unknown): ToolContent => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
})

const knownFields = new Set(
  "type text data mimeType resource uri name title description size annotations _meta".split(" "),
)

const withKnownFields = (block: ToolContent): ToolContent =>
  Object.fromEntries(
    Object.entries(block).filter(([field]) => knownFields.has(field)),
  ) as unknown as ToolContent

const toBlocks = (block: unknown): Array<ToolContent> => {
  if (block == null) return []
  if (isContent(block)) return [withKnownFields(block)]
  if (!isPlainObject(block) || block.type !== "text" || typeof block.text === "string") return [text(block)]
  return block.text == null ? [] : [text(block.text)]
}

const besideContent = new Set(["details", "isError", "terminate"])

const contentOf = (result: unknown): Array<ToolContent> => {
  if (Array.isArray(result)) return result.flatMap(toBlocks)
  if (!isPlainObject(result)) return toBlocks(result)
  const { type, content, output } = result
  if (content != null) return Array.isArray(content) ? content.flatMap(toBlocks) : toBlocks(content)
  if (typeof output === "string") return [text(output)]
  if (type === "text" || isContent(result)) return toBlocks(result)
  return Object.keys(result).every((key) => besideContent.has(key) || result[key] == null)
    ? []
    : [text(result)]
}

/** The content of a result, and its details if it has any. */
const shownOf = (result: unknown): Pick<ToolOutput, "content" | "details"> => {
  const details = isPlainObject(result) ? result.details : undefined
  return { content: contentOf(result), ...(details !== undefined && { details }) }
}

/**
 * Converts a result to an output. A string becomes its text, and so does a string in `output`; invalid content blocks, and
 * results without content, are shown as JSON; an empty result has no content. `details` are converted to plain JSON, as
 * after reading a session from disk: see `toPlainJson`.
 */
export const toToolOutput = (result: unknown): { readonly output: ToolOutput; readonly isError: boolean } => {
  const plain = toPlainJson(result)
  const { isError, terminate } = isPlainObject(plain) ? plain : {}
  const output = { ...shownOf(plain), ...(terminate === true && { terminate }) }
  return { output, isError: isError === true }
}

/** Converts a partial result, with its text. */
export const toPartial = (update: unknown): { readonly text: string; readonly partial: AgentToolResult } => {
  const partial = shownOf(toPlainJson(update))
  return { text: textOf(partial), partial }
}
