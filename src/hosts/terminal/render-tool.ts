/** A tool's own renderers, kept at arm's length: one that throws, or gives no string, counts as none. */
import { textOutput } from "../../pipeline/output.ts"
import { type Block, isFinished } from "./block.ts"
import { clip, columnsOf, expandTabs } from "./columns.ts"
import { printable } from "./printable.ts"
import type { RenderBlockOptions } from "./render-block.ts"

/** Colours stay where the host has them, and end with their line. */
const safeLine = (line: string, { width, colors }: RenderBlockOptions): string => {
  const kept = expandTabs(printable(line, { keepColors: colors }))
  if (columnsOf(kept) > width) return clip(expandTabs(printable(line)), width)
  return kept.includes("\u001b") ? `${kept}\u001b[0m` : kept
}

const drawn = (draw: () => string | undefined, options: RenderBlockOptions): Array<string> | undefined => {
  try {
    const text: unknown = draw()
    if (typeof text !== "string") return undefined
    return text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => safeLine(line, options))
  } catch {
    return undefined
  }
}

const viewOf = ({ width, maxLines }: RenderBlockOptions) => ({
  width,
  expanded: maxLines === Number.POSITIVE_INFINITY,
})

/** What the tool draws for a call, where it does. */
export const drawnCall = (block: Block, options: RenderBlockOptions): Array<string> | undefined => {
  const { tool } = options
  if (tool?.renderCall === undefined) return undefined
  return drawn(() => tool.renderCall!(block.params, viewOf(options)), options)
}

/** What the tool draws for the result of a call that has ended, where it does. */
export const drawnResult = (block: Block, options: RenderBlockOptions): Array<string> | undefined => {
  const { tool } = options
  if (tool?.renderResult === undefined || !isFinished(block)) return undefined
  const { status, text, details } = block
  const output = details === undefined ? textOutput(text) : { ...textOutput(text), details }
  const result = { status, content: text, output, isError: status !== "complete" }
  return drawn(() => tool.renderResult!(result, viewOf(options), block.params), options)
}
