/** Draws a text that is being typed: the rows around its cursor. */
import { visibleText } from "../../text/visible-text.ts"
import { columnsOf } from "./columns.ts"

export interface DrawnInput {
  readonly rows: ReadonlyArray<string>
  /** Whether the first row is the start of the text. */
  readonly isStart: boolean
  readonly cursor: { readonly row: number; readonly column: number }
}

export interface InputArea {
  /** In columns. */
  readonly width: number
  readonly maxRows: number
  /** Columns of the first row that are already used. */
  readonly start: number
}

/** The beginning of all rows but the first. */
const indent = "  "

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Makes a character visible that would not be seen in the user's text. */
const shown = (character: string): string =>
  character === "\t" || /[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(character)
    ? visibleText(character)
    : character

/** @param input The cursor is an index into the text. */
export const drawInput = (
  { text, cursor: index }: { readonly text: string; readonly cursor: number },
  { width, maxRows, start }: InputArea,
): DrawnInput => {
  const rows: Array<string> = [""]
  let used = start
  let cursor = { row: 0, column: start }
  // A paste of megabytes is not measured for each key.
  const reach = 2 * width * maxRows
  const from = index > 2 * reach ? index - reach : 0
  let at = from
  const breakRow = () => {
    rows.push(indent)
    used = indent.length
  }
  for (const { segment } of graphemes.segment(text.slice(from, index + reach))) {
    const isLineEnd = segment === "\n"
    const drawn = isLineEnd ? "" : shown(segment)
    const columns = columnsOf(drawn)
    if (used + columns >= width && used > indent.length) breakRow()
    if (at <= index) cursor = { row: rows.length - 1, column: used }
    at += segment.length
    if (isLineEnd) breakRow()
    else {
      rows[rows.length - 1] += drawn
      used += columns
    }
  }
  if (at <= index) cursor = { row: rows.length - 1, column: used }
  const first = Math.max(0, Math.min(cursor.row - Math.floor(maxRows / 2), rows.length - maxRows))
  return {
    rows: rows.slice(first, first + maxRows),
    isStart: from + first === 0,
    cursor: { ...cursor, row: cursor.row - first },
  }
}
