/** What a tool produces for the model (`content`) and for its host alone (`details`). */

/** A block of text. */
export interface TextContent {
  readonly type: "text"
  readonly text: string
}

/** A block with an image. */
export interface ImageContent {
  readonly type: "image"
  /** The image's bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** One block of what the model is shown. */
export type ToolContent = TextContent | ImageContent

/** What a tool produces. Plain JSON. */
export interface ToolOutput {
  readonly content: ReadonlyArray<ToolContent>
  /** For hosts and renderers; never shown to the model. Plain JSON. */
  readonly details?: unknown
  /** Asks the host to end the model's turn after this result. */
  readonly terminate?: boolean
}

/** An output of one text block. */
export const textOutput = (text: string): ToolOutput => ({ content: [{ type: "text", text }] })

/** The text blocks of an output, joined by newlines. Images have no text. */
export const textOf = (output: ToolOutput | undefined): string => {
  if (output === undefined) return ""
  const { content } = output
  if (content.length === 1 && content[0]!.type === "text") return content[0]!.text
  return content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
}

const isContent = (block: unknown): block is ToolContent => {
  if (typeof block !== "object" || block === null) return false
  const { type, text, data, mimeType } = block as Record<string, unknown>
  if (type === "text") return typeof text === "string"
  return type === "image" && typeof data === "string" && typeof mimeType === "string"
}

/**
 * Reads a string or an output that somebody else made (a handler in JavaScript, a host's answer).
 * Gives undefined for anything that is neither.
 */
export const toOutput = (value: unknown): ToolOutput | undefined => {
  if (typeof value === "string") return textOutput(value)
  if (typeof value !== "object" || value === null) return undefined
  const { content } = value as { content?: unknown }
  return Array.isArray(content) && content.every(isContent) ? (value as ToolOutput) : undefined
}
