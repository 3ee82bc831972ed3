/** The output of a tool: for the model (`content`), for programs (`structured`), and for its host alone (`details`). */

import { messageOf } from "../text/message-of.ts"
import { contentFault, isContent, type ToolContent } from "./content.ts"
import { jsonFault } from "./plain-json.ts"
import { toPlainJson } from "./to-plain-json.ts"

/** The output of a tool. Plain JSON. */
export interface ToolOutput<Structured = unknown> {
  readonly content: ReadonlyArray<ToolContent>
  /**
   * The same as data, for programs. Plain JSON, checked against the tool's `outputSchema`, if it has one. If no block is
   * text, its JSON is added as a text block, so that the model can read it.
   */
  readonly structured?: Structured
  /** For hosts and renderers; never shown to the model. Plain JSON: any other value is replaced by a plain copy. */
  readonly details?: unknown
  /** Asks the host to end the model's turn after this result. */
  readonly terminate?: boolean
}

/** The accepted forms of an output: text only, a whole output, or data only, whose JSON becomes the text. */
export type GivenOutput =
  | string
  | ToolOutput
  | (Omit<ToolOutput, "content"> & { readonly content?: undefined; readonly structured: unknown })

/** An output of one text block. */
export const textOutput = (text: string): ToolOutput => ({ content: [{ type: "text", text }] })

/** The text blocks of an output, joined by newlines. Other blocks have no text. */
export const textOf = (output: ToolOutput | undefined): string => {
  if (output === undefined) return ""
  const { content } = output
  if (content.length === 1 && content[0]!.type === "text") return content[0]!.text
  return content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
}

const none: ReadonlyArray<ToolContent> = []

/** Converts data only to an output without blocks. A value that is not an output is returned unchanged. */
export const withContent = (output: GivenOutput): string | ToolOutput => {
  if (typeof output !== "object" || output === null || output.content !== undefined) return output
  return output.structured === undefined ? (output as object as ToolOutput) : { ...output, content: none }
}

/** Adds the JSON of `structured` as text if no block is text. */
const withStructuredText = (output: ToolOutput): ToolOutput => {
  const { content, structured } = output
  if (content.some((block) => block.type === "text")) return output
  return { ...output, content: [...content, { type: "text", text: JSON.stringify(structured) }] }
}

const faultIn = (value: unknown, place: string): string | undefined => {
  try {
    return jsonFault(value, place)
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`
  }
}

const withPlainDetails = ({ details, ...output }: ToolOutput): ToolOutput => {
  const plain = toPlainJson(details)
  return plain === undefined ? output : { ...output, details: plain }
}

/**
 * Reads a string or an output from outside (a handler in JavaScript, a host's answer). Returns undefined for anything
 * else: `outputFault` describes why.
 */
export const toOutput = (value: unknown): ToolOutput | undefined => {
  if (typeof value === "string") return textOutput(value)
  if (typeof value !== "object" || value === null) return undefined
  const output = withContent(value as ToolOutput) as ToolOutput
  const { content, structured, details } = output
  if (!Array.isArray(content) || !content.every(isContent)) return undefined
  if (structured !== undefined && faultIn(structured, "structured") !== undefined) return undefined
  const told = structured === undefined ? output : withStructuredText(output)
  return details === undefined || faultIn(details, "details") === undefined ? told : withPlainDetails(told)
}

/** The fault of an output that `toOutput` does not accept, as the end of a sentence that begins with its owner. */
export const outputFault = (value: unknown): string => {
  try {
    const { content, structured } = Object(withContent(value as GivenOutput)) as {
      readonly content?: unknown
      readonly structured?: unknown
    }
    if (!Array.isArray(content)) return "is neither text nor content blocks"
    for (const [index, block] of content.entries()) {
      const fault = contentFault(block)
      if (fault !== undefined) return `is not made of content blocks: \`content[${index}]\` ${fault}`
    }
    return `has a \`structured\` that is no plain JSON: ${faultIn(structured, "structured")}`
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}
