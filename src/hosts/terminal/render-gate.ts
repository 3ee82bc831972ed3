/**
 * Draws a call that waits for a decision. Nothing is omitted: every parameter is shown in full, here or in the preview, and
 * different calls look different. The caller fits it to a screen.
 */
import { inspect } from "node:util"
import { peopleOf } from "../named-gate.ts"
import { wholeJson } from "../shown-json.ts"
import type { Block } from "./block.ts"
import { columnsOf } from "./columns.ts"
import { paintCode } from "./render-code.ts"
import { diffOf, hasNoHunk, isUnifiedDiff, noHunkNote, paintDiffLine } from "./render-diff.ts"
import { entriesOf, mainArgumentOf, renderHeader } from "./render-header.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { approvalKeys } from "./render-parts.ts"
import { drawnCallText } from "./render-tool.ts"
import { type Style, styleOf } from "./style.ts"
import { margin, markedRows, saidRows } from "./visible-rows.ts"

export interface Gate {
  readonly header: string
  /** The subject of the decision. */
  readonly rows: ReadonlyArray<string>
  /** `[y]es [n]o [a]lways` */
  readonly keys: string
}

/** A value that JSON cannot represent, such as a BigInt, is shown as by Node's `inspect`: nothing is omitted. */
const jsonOf = (value: unknown, indent?: number): string =>
  wholeJson(value, indent) ??
  inspect(value, { depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null })

const plainName = /^[\w.-]+$/

/** Whether a string could be mistaken for a value of another type, or for an empty line. */
const isAmbiguous = (text: string): boolean => /^$|^\s|^["[{]|^-?\d|^(?:true|false|null)\b/.test(text)

/** A parameter on one line if it fits; otherwise with bars, below its name. */
const parameterRows = (name: string, value: unknown, width: number, style: Style): Array<string> => {
  const isText = typeof value === "string"
  const shownName = plainName.test(name) ? name : JSON.stringify(name)
  if (!isText || !value.includes("\n")) {
    const line = `${shownName}: ${isText && !isAmbiguous(value) ? value : jsonOf(value)}`
    const rows = saidRows(line, width, style)
    if (rows.length === 1) return rows
  }
  const caption = isText ? `${shownName}:` : `${shownName}, as JSON:`
  return [...saidRows(caption, width, style), ...markedRows(isText ? value : jsonOf(value, 2), width, style)]
}

const textsIn = (value: unknown): Array<string> | undefined => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return undefined
  const texts = Object.values(value).map(textsIn)
  return texts.includes(undefined) ? undefined : texts.flatMap((text) => text!)
}

/** Beyond this many lines times characters only whole lines are searched: searching within them would take too long. */
const maxSearched = 100_000_000

/** Only a diff counts: other previews may contain the same text for another parameter. */
const previewDiffOf = ({ preview }: Block): string | undefined =>
  diffOf(preview?.details) ??
  (preview !== undefined && isUnifiedDiff(preview.text) ? preview.text : undefined)

/** Whether a diff shows all of a long or nested parameter, such as an edit's texts. Short ones are always shown. */
export const isTold = (value: unknown, preview: string): boolean => {
  if (typeof value === "string" ? !value.includes("\n") : typeof value !== "object") return false
  const lines = textsIn(value)?.flatMap((text) => text.split("\n"))
  if (lines === undefined) return false
  const told = new Set(preview.split("\n").flatMap((line) => [line, line.slice(1)]))
  const isShort = lines.length * preview.length <= maxSearched
  return lines.every((line) => line === "" || told.has(line) || (isShort && preview.includes(line)))
}

/** A diff ends with its own line end, which is unrelated to the end of the file. */
const diffRows = (diff: string, width: number, style: Style): Array<string> =>
  hasNoHunk(diff)
    ? saidRows(noHunkNote, width, style)
    : markedRows(diff.replace(/\n$/, ""), width, style, (line) => paintDiffLine(line, style))

/** An output to decide on: all of its text, and the diff of its details unless the text contains it. */
export const askedRows = (text: string, details: unknown, width: number, style: Style): Array<string> => {
  const diff = diffOf(details) ?? (isUnifiedDiff(text) ? text : undefined)
  const at = diff === undefined ? -1 : text.indexOf(diff)
  const before = at === -1 ? text : text.slice(0, at)
  const after = at === -1 ? "" : text.slice(at + diff!.length)
  return [
    ...(before === "" ? [] : markedRows(before, width, style, paintCode(before, style))),
    ...(diff === undefined ? [] : diffRows(diff, width, style)),
    ...(after === "" ? [] : markedRows(after, width, style)),
  ]
}

const previewRows = ({ preview }: Block, width: number, style: Style): Array<string> =>
  preview === undefined ? [] : askedRows(preview.text, preview.details, width, style)

const isRecord = (params: unknown): boolean =>
  params === undefined || (typeof params === "object" && params !== null && !Array.isArray(params))

/** Labels that could be mistaken, without quotes, for a parameter or for a caption of this screen. */
const looksOurs =
  /^(?:"|[\w.-]+(?:, as JSON)?:|what would happen:|drawn by the tool:|asked because:|\[[ya]\])/

const labelRows = ({ label }: Block, width: number, style: Style): Array<string> => {
  if (label === undefined || label === "") return []
  return saidRows(looksOurs.test(label) ? JSON.stringify(label) : label, width, style)
}

/** Whose answers count. */
const peopleRows = (block: Block, width: number, style: Style): Array<string> =>
  block.named === undefined ? [] : saidRows(`approvals: ${peopleOf(block)}`, width, style, style.dim)

/** Why no rule decided. What the reason names is shown above, so two rows are enough. */
const becauseRows = ({ because }: Block, width: number, style: Style): Array<string> => {
  if (because === undefined) return []
  const [first, second, ...more] = saidRows(`asked because: ${because}`, width - 1, style, style.dim)
  if (second === undefined) return [first!]
  return [first!, more.length === 0 ? second : second + style.dim("…")]
}

/** What `a` allows from now on. A rule as long as the call itself is described in words. */
const rememberRows = (
  block: Block,
  { remembers = false }: RenderBlockOptions,
  width: number,
  style: Style,
): Array<string> => {
  if (remembers === false) return []
  return remembers.flatMap((rule) => {
    const rows = saidRows(`[a]lways allows ${block.toolName}: ${rule}`, width, style, style.dim)
    if (rows.length <= 2) return rows
    return saidRows(
      `[a]lways allows this very call of ${block.toolName}, and no other`,
      width,
      style,
      style.dim,
    )
  })
}

/** On a narrow screen, only the keys that deny and approve are shown. */
const gateKeys = ({ remembers, mayEdit, width }: RenderBlockOptions, style: Style): string => {
  const all = approvalKeys(remembers !== false, style, mayEdit)
  if (columnsOf(all) <= width) return all
  const keys = approvalKeys(remembers !== false, style)
  return columnsOf(keys) > width ? keys.trimStart() : keys
}

export const renderGate = (block: Block, options: RenderBlockOptions): Gate => {
  const style = styleOf(options.colors)
  const { tool } = options
  const width = options.width - margin
  const header = renderHeader(block, options, style, undefined)
  const main = mainArgumentOf(block.params, tool)
  const preview = previewRows(block, width, style)
  const diff = previewDiffOf(block)
  const others = entriesOf(block.params).filter(
    ([name, value]) =>
      main.name !== undefined &&
      name !== main.name &&
      value !== undefined &&
      !(diff !== undefined && isTold(value, diff)),
  )
  const mainRows = header.shows.argument ? [] : markedRows(main.text, width, style)
  const parameters = [
    ...(header.shows.agent ? [] : [parameterRows("agent", block.agentId, width, style)]),
    ...(header.shows.name ? [] : [parameterRows("tool", block.toolName, width, style)]),
    ...(main.name === undefined ? [] : [mainRows]),
    ...(isRecord(block.params) ? [] : [parameterRows("parameters", block.params, width, style)]),
  ]
  const more = [
    ...(main.name === undefined ? [mainRows] : []),
    ...others.map(([name, value]) => parameterRows(name, value, width, style)),
  ]
  // People decide by the diff, so the long texts that it was made from come after it.
  const isBehind = (rows: ReadonlyArray<string>) => diff !== undefined && rows.length > 1
  const before = [...parameters, ...more.filter((rows) => !isBehind(rows))].flat()
  const caption = (text: string) => saidRows(text, width, style, style.dim)
  const keys = gateKeys(options, style)
  const drawn = drawnCallText(block, { ...options, width })
  return {
    header: header.line,
    rows: [
      ...labelRows(block, width, style),
      ...before,
      ...(preview.length > 0 && before.length > 0 ? caption("what would happen:") : []),
      ...preview,
      ...more.filter(isBehind).flat(),
      ...(drawn === undefined ? [] : [...caption("drawn by the tool:"), ...markedRows(drawn, width, style)]),
      ...peopleRows(block, width, style),
      ...becauseRows(block, width, style),
      ...rememberRows(block, options, width, style),
    ],
    keys,
  }
}
