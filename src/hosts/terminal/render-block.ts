/**
 * Draws a block as lines for a terminal. A pure function of the block, the width and the time.
 * Everything that a tool or a model wrote is untrusted: it is cleaned, indented and cut to the width.
 */
import type { Tool } from "../../pipeline/model/tool.ts"
import { type Block, isFinished } from "./block.ts"
import { diffOf, isUnifiedDiff, renderDiff } from "./render-diff.ts"
import { entriesOf, type Header, mainArgumentOf, renderHeader } from "./render-header.ts"
import { clippedLines, foldLines, wrappedLines } from "./render-text.ts"
import { drawnCall, drawnResult } from "./render-tool.ts"
import { type Style, styleOf } from "./style.ts"

export interface RenderBlockOptions {
  /** In columns; Infinity cuts nothing. */
  readonly width: number
  /** Milliseconds since the epoch, for the spinner and the elapsed time. */
  readonly now: number
  readonly colors: boolean
  /** The block's tool, for its main parameter and its own renderers. */
  readonly tool?: Tool<unknown>
  /** Lines of output that are shown, and twice as many of a diff. Default 10; Infinity shows all. */
  readonly maxLines?: number
  /** What is said behind the number of lines that a fold hides. */
  readonly moreNote?: string
  /** Whether this gate is the one that the keys answer. Default true. */
  readonly answerable?: boolean
  /** A few dim words behind the elapsed time of a call that runs. */
  readonly hint?: string
}

const indent = "  "

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

/** A diff takes its own place in the text, or the one below it. */
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
      return wrappedLines(deniedText(block.text), width).map(style.dim)
    case "error":
      return failureLines(block.text, width, style.bad)
    case "cancelled":
      return failureLines(block.text === "" ? "Cancelled" : block.text, width, style.ask)
    case "pending":
    case "running":
      // What still comes is cut, so that a block does not jump; what has ended can be read whole.
      return clippedLines(block.text, width)
    case "complete":
      return completeLines(block, width, style)
  }
}

const previewLines = (block: Block, width: number, style: Style): Array<string> => {
  const text = block.preview?.text ?? ""
  const diff = diffOf(block.preview?.details) ?? (isUnifiedDiff(text) ? text : undefined)
  return diff === undefined ? wrappedLines(text, width) : renderDiff(diff, width, style)
}

/** What is approved must be seen: an argument that the header cuts or joins stands here whole, and so do the others. */
const gateLines = (
  block: Block,
  header: Header,
  { width, tool }: RenderBlockOptions,
  style: Style,
): Array<string> => {
  const main = mainArgumentOf(block.params, tool)
  const whole = header.complete ? [] : wrappedLines(main.text, width)
  const preview = previewLines(block, width, style)
  if (preview.length > 0 || main.name === undefined) return [...whole, ...preview]
  const others = entriesOf(block.params).flatMap(([name, value]) => {
    if (name === main.name || value === undefined) return []
    return wrappedLines(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`, width)
  })
  return [...whole, ...others.map(style.dim)]
}

const cleanupLines = ({ cleanupErrors = [] }: Block, width: number, style: Style): Array<string> =>
  cleanupErrors.flatMap((error) => failureLines(`Cleanup failed: ${error}`, width, style.bad))

/** `[y]es [n]o [a]lways` */
const approvalPrompt = (style: Style): string =>
  `${style.good("[y]es")} ${style.bad("[n]o")} ${style.ask("[a]lways")}`

/** The lines of a block, without line ends, none wider than `width` columns. */
export const renderBlock = (block: Block, options: RenderBlockOptions): Array<string> => {
  const style = styleOf(options.colors)
  const { maxLines = 10, moreNote } = options
  const inner = { ...options, width: options.width - indent.length }
  const [drawn, ...drawnRest] = drawnCall(block, inner) ?? []
  const header = renderHeader(block, options, style, drawn)
  const below = (lines: ReadonlyArray<string>) => [header.line, ...lines.map((line) => indent + line)]

  if (block.status === "pending") {
    if (options.answerable === false) return [`${header.line} ${style.ask("waits")}`]
    const label = block.label === undefined ? [] : wrappedLines(block.label, inner.width)
    const details = [...drawnRest, ...gateLines(block, header, inner, style)]
    return below([...label, ...foldLines(details, { max: maxLines, moreNote }, style), approvalPrompt(style)])
  }
  const output = drawnResult(block, inner) ?? outputLines(block, inner.width, style)
  const max = resultDiff(block) === undefined ? maxLines : 2 * maxLines
  const tail = !isFinished(block)
  return below([
    ...drawnRest,
    ...foldLines(output, { max, omitted: block.omittedLines, tail, moreNote }, style),
    ...cleanupLines(block, inner.width, style),
  ])
}
