/**
 * Untrusted text as rows for a decision: all of it, including spaces, broken only at the width. The margin of each row shows
 * whether it begins a line (`│`) or continues the one above (`┊`), so that no text can be mistaken for two lines, for
 * another parameter or for the terminal's own words.
 */
import stringWidth from "string-width"
import { type VisibleTextOptions, visibleText } from "../../text/visible-text.ts"
import type { Style } from "./style.ts"

const ascii = /^[\x20-\x7e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
/** Parts that are never broken: a mark, and a tab with its spaces. */
const whole = /(⟦[^⟧]*⟧|⇥ {3})/

/** Terminals disagree on widths: the greatest is used, so that the terminal never breaks a row. */
const widestOf = (character: string): number => {
  if (/[\p{Mn}\u200e]/u.test(character)) return 0
  if (/\p{Mc}/u.test(character)) return 1
  return stringWidth(character, { ambiguousIsNarrow: /\p{L}/u.test(character) })
}

const unitWidth = (unit: string): number => {
  if (ascii.test(unit) || whole.test(unit)) return unit.length
  let width = 0
  for (const character of unit) width += widestOf(character)
  return width
}

function* unitsOf(line: string): Generator<string, void> {
  for (const [index, part] of line.split(whole).entries()) {
    if (index % 2 === 1) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}

/** Marks spaces at the end of a row, which would be invisible. The spaces of a tab need no mark. */
const withSeenEnd = (row: string): string =>
  row.replace(/(⇥ {3})?( {1,8})$/, (_, tab = "", blanks: string) => tab + "␣".repeat(blanks.length))

const brokenAscii = (line: string, width: number): Array<string> => {
  const rows: Array<string> = []
  for (let at = 0; at < line.length; at += width) rows.push(line.slice(at, at + width))
  return rows
}

const brokenUnits = (line: string, width: number): Array<string> => {
  const rows: Array<string> = []
  let row = ""
  let used = 0
  for (const unit of unitsOf(line)) {
    const columns = unitWidth(unit)
    if (used > 0 && used + columns > width) {
      rows.push(row)
      row = ""
      used = 0
    }
    row += unit
    used += columns
  }
  return [...rows, row]
}

/** @param line A line of `visibleText`. */
export const breakVisible = (line: string, width: number): Array<string> => {
  const isAscii = ascii.test(line)
  if (isAscii && line.length <= width) return [line]
  const rows = isAscii ? brokenAscii(line, width) : brokenUnits(line, width)
  return rows.map((row, index) => (index < rows.length - 1 && !row.endsWith("⇥   ") ? withSeenEnd(row) : row))
}

/** `at`: where the text begins in its line. */
export type Paint = (text: string, at: number) => string

/** Marks stand out from any text around them. */
const painted = (row: string, paint: Paint, style: Style, begin = 0): string => {
  let next = begin
  return row
    .split(whole)
    .map((part, index) => {
      const at = next
      next += part.length
      return part === "" ? "" : index % 2 === 1 ? style.mark(part) : paint(part, at)
    })
    .join("")
}

const asIs: Paint = (text) => text

/** The width of the margin. */
export const margin = 2

/** A text with its margin. @param width In columns, without the margin. */
export const markedRows = (
  text: string,
  width: number,
  style: Style,
  paintOf: (line: string) => Paint = () => asIs,
  options?: VisibleTextOptions,
): Array<string> =>
  visibleText(text, options)
    .split("\n")
    .flatMap((line) => {
      const paint = paintOf(line)
      let next = 0
      return breakVisible(line, width).map((row, index) => {
        const at = next
        next += row.length
        return style.dim(index === 0 ? "│ " : "┊ ") + painted(row, paint, style, at)
      })
    })

/** A text of the terminal itself on one line, without a bar before it. */
export const saidRows = (
  text: string,
  width: number,
  style: Style,
  paint: Paint = asIs,
  options?: VisibleTextOptions,
): Array<string> =>
  breakVisible(visibleText(text, { ...options, singleLine: true }), width).map(
    (row, index) => (index === 0 ? "  " : style.dim("┊ ")) + painted(row, paint, style),
  )
