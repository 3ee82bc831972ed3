/** Calls a tool's own renderers safely: one that throws, or does not return a string, counts as missing. */
import { textOutput } from "../../output/output.ts"
import { type Block, isFinished } from "./block.ts"
import { clip, columnsOf, expandTabs, wrap } from "./columns.ts"
import { printable } from "./printable.ts"
import type { RenderBlockOptions } from "./render-options.ts"

/** Narrows a line that is too wide. */
type Narrow = (line: string, width: number) => Array<string>

const cut: Narrow = (line, width) => [clip(line, width)]

/** Colours are kept if the host uses them and the line is not too wide; they end with the line. */
const safeLines = (line: string, { width, colors }: RenderBlockOptions, narrow: Narrow): Array<string> => {
  const kept = expandTabs(printable(line, { keepColors: colors }))
  if (columnsOf(kept) > width) return narrow(expandTabs(printable(line)), width)
  return [kept.includes("\u001b") ? `${kept}\u001b[0m` : kept]
}

const drawn = (
  draw: () => string | undefined,
  options: RenderBlockOptions,
  narrow: Narrow,
): Array<string> | undefined => {
  try {
    const text: unknown = draw()
    if (typeof text !== "string") return undefined
    return text
      .replace(/\n$/, "")
      .split("\n")
      .flatMap((line) => safeLines(line, options, narrow))
  } catch {
    return undefined
  }
}

const viewOf = ({ width, maxLines }: RenderBlockOptions) => ({
  width,
  expanded: maxLines === Number.POSITIVE_INFINITY,
})

/** What the tool's renderer draws for a call, if it has one. */
export const drawnCall = (block: Block, options: RenderBlockOptions): Array<string> | undefined => {
  const { tool } = options
  if (tool?.renderCall === undefined) return undefined
  return drawn(() => tool.renderCall!(block.params, viewOf(options)), options, cut)
}

/** The text of the tool's renderer, without colours and otherwise unchanged. */
export const drawnCallText = ({ params }: Block, options: RenderBlockOptions): string | undefined => {
  try {
    const text: unknown = options.tool?.renderCall?.(params, viewOf(options))
    return typeof text === "string" ? text.replace(/\u001b\[[\d;:]*m/g, "").replace(/\n$/, "") : undefined
  } catch {
    return undefined
  }
}

/** What the tool's renderer draws for the result of an ended call, if it has one. */
export const drawnResult = (block: Block, options: RenderBlockOptions): Array<string> | undefined => {
  const { tool } = options
  if (tool?.renderResult === undefined || !isFinished(block)) return undefined
  const { status, text, details } = block
  const output = details === undefined ? textOutput(text) : { ...textOutput(text), details }
  const result = { status, content: text, output, isError: status !== "complete" }
  return drawn(() => tool.renderResult!(result, viewOf(options), block.params), options, wrap)
}
