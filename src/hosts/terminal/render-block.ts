/**
 * Draws a block as lines for a terminal. A pure function of the block, the width and the time.
 * Everything that a tool or a model wrote is untrusted: it is cleaned, indented and cut to the width.
 */
import { repeatedNote } from "../repeated-note.ts"
import { type Block, isFinished } from "./block.ts"
import { diffOf, isUnifiedDiff, renderDiff } from "./render-diff.ts"
import { askedRows, renderGate } from "./render-gate.ts"
import { renderHeader } from "./render-header.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { indent } from "./render-parts.ts"
import { clippedLines, foldLines, visibleLine, wrappedLines } from "./render-text.ts"
import { drawnCall, drawnResult } from "./render-tool.ts"
import { type Style, styleOf } from "./style.ts"

const deniedText = (text: string): string => {
  if (text === "") return "Denied"
  return /^denied\b/i.test(text) ? text : `Denied: ${text}`
}

const failureLines = (text: string, width: number, mark: (line: string) => string): Array<string> => {
  const [first, ...rest] = wrappedLines(text, width)
  return first === undefined ? [] : [mark(first), ...rest]
}

const resultDiff = ({ status, text, details }: Block): string | undefined =>
  status === "complete" ? (diffOf(details) ?? (isUnifiedDiff(text) ? text : undefined)) : undefined

/** The lines of a result. A diff is drawn in its place in the text, or else below the text. */
const completeLines = (block: Block, width: number, style: Style): Array<string> => {
  const { text } = block
  const diff = resultDiff(block)
  if (diff === undefined) return wrappedLines(text, width)
  const at = text.indexOf(diff)
  const end = at === -1 ? text.length : at
  return [
    ...wrappedLines(text.slice(0, end), width),
    ...renderDiff(diff, width, style),
    ...wrappedLines(text.slice(end + diff.length).replace(/^\n+/, ""), width),
  ]
}

const outputLines = (block: Block, width: number, style: Style): Array<string> => {
  switch (block.status) {
    case "queued":
      return []
    case "denied":
      return [deniedText(block.text), ...(block.why === undefined ? [] : [visibleLine(block.why)])]
        .flatMap((text) => wrappedLines(text, width))
        .map(style.dim)
    case "error":
      return failureLines(block.text, width, style.bad)
    case "cancelled":
      return failureLines(block.text === "" ? "Cancelled" : block.text, width, style.ask)
    case "pending":
    case "running":
      // Running output is cut, so that a block does not jump; ended output can be read whole.
      return clippedLines(block.text, width)
    case "complete":
      return completeLines(block, width, style)
  }
}

const cleanupLines = ({ cleanupErrors = [] }: Block, width: number, style: Style): Array<string> =>
  cleanupErrors.flatMap((error) => failureLines(`Cleanup failed: ${error}`, width, style.bad))

/** The lines of a block, without line ends, none wider than `width` columns. A gate is never folded. */
export const renderBlock = (block: Block, options: RenderBlockOptions): Array<string> => {
  const style = styleOf(options.colors)
  if (block.status === "pending") {
    if (options.answerable === false)
      return [`${renderHeader(block, options, style, undefined).line} ${style.ask("waits")}`]
    const { header, rows, keys } = renderGate(block, options)
    return [header, ...rows, keys]
  }
  const { maxLines = 10, moreNote } = options
  const inner = { ...options, width: options.width - indent.length }
  const [drawn, ...drawnRest] = drawnCall(block, inner) ?? []
  const header = renderHeader(block, options, style, drawn)
  const below = (lines: ReadonlyArray<string>) => [header.line, ...lines.map((line) => indent + line)]

  if (options.isAsked === true && block.status === "complete") {
    const rows = askedRows(block.text, block.details, inner.width, style)
    return [...below(drawnRest), ...rows, ...cleanupLines(block, options.width, style)]
  }
  const output = drawnResult(block, inner) ?? outputLines(block, inner.width, style)
  const max = resultDiff(block) === undefined ? maxLines : 2 * maxLines
  const tail = !isFinished(block)
  return below([
    ...drawnRest,
    ...foldLines(output, { max, omitted: block.omittedLines, tail, moreNote }, style),
    ...(block.deduplicated === true ? wrappedLines(repeatedNote, inner.width).map(style.dim) : []),
    ...cleanupLines(block, inner.width, style),
  ])
}
