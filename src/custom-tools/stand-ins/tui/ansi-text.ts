/** Measures and cuts text with terminal sequences in columns: wide characters take two, sequences and marks none. */
import stringWidth from "string-width"
import { SgrStyle } from "./sgr-style.ts"

/** Marks the cursor of the focused component; takes no column. */
export const CURSOR_MARKER = "\x1b_pi:c\x07"

const tabWidth = 3
const printableAscii = /^[\x20-\x7e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** CSI; OSC, APC, DCS, PM and SOS with their ends; and the two-letter ones. */
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]_P^X][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g

/** An indivisible unit: one sequence, or one grapheme. */
interface Unit {
  readonly text: string
  readonly width: number
}

function* plainUnits(text: string): Generator<Unit, void> {
  if (printableAscii.test(text)) for (const character of text) yield { text: character, width: 1 }
  else for (const { segment } of graphemes.segment(text)) yield { text: segment, width: plainWidth(segment) }
}

function* unitsOf(text: string): Generator<Unit, void> {
  let end = 0
  for (const found of text.matchAll(sequences)) {
    yield* plainUnits(text.slice(end, found.index))
    yield { text: found[0], width: 0 }
    end = found.index + found[0].length
  }
  yield* plainUnits(text.slice(end))
}

const plainWidth = (text: string): number => {
  if (printableAscii.test(text)) return text.length
  const tabs = text.split("\t").length - 1
  return stringWidth(text, { countAnsiEscapeCodes: true }) + tabs * tabWidth
}

/** How many columns a line takes. A tab takes three. */
export const visibleWidth = (text: string): number =>
  plainWidth(text.includes("\x1b") ? stripTerminalSequences(text) : text)

/** The text if it fits; else the longest start that does, with its open styles closed. Stops early: lines can be long. */
const headOf = (text: string, width: number): string => {
  const style = new SgrStyle()
  let head = ""
  let room = width
  for (const unit of unitsOf(text)) {
    room -= unit.width
    if (room < 0) return head + style.closing
    style.apply(unit.text)
    head += unit.text
  }
  return text
}

/** Cuts a line to `maxWidth` columns, including the ellipsis; `pad` fills it up with spaces. */
export const truncateToWidth = (text: string, maxWidth: number, ellipsis = "...", pad = false): string => {
  if (maxWidth <= 0) return ""
  const room = maxWidth - visibleWidth(ellipsis)
  const isCut = headOf(text, maxWidth) !== text
  const cut = !isCut ? text : room > 0 ? headOf(text, room) + ellipsis : headOf(ellipsis, maxWidth)
  return pad ? padTo(cut, maxWidth) : cut
}

/** The columns from `start` on. With `strict`, a wide character that reaches past the end is omitted. */
export const sliceByColumn = (line: string, start: number, length: number, strict = false): string => {
  const end = start + length
  let slice = ""
  let styles = ""
  let column = 0
  for (const { text, width } of unitsOf(line)) {
    if (column >= end) break
    if (width === 0 && column < start) styles += text
    else if (column >= start && (!strict || column + width <= end)) {
      slice += styles + text
      styles = ""
    }
    column += width
  }
  return slice
}

export const stripTerminalSequences = (text: string): string => text.replace(sequences, "")

/** A link for terminals that support it. */
export const hyperlink = (text: string, url: string): string => `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`

/** Fills a line up with spaces. */
export const padTo = (line: string, width: number): string =>
  line + " ".repeat(Math.max(0, width - visibleWidth(line)))

const isSpace = ({ text }: Unit | undefined = { text: "", width: 0 }): boolean =>
  text === " " || text === "\t"

/** Returns where the line that starts at `start` ends, and where the next one starts. */
const breakAt = (units: ReadonlyArray<Unit>, start: number, width: number): readonly [number, number] => {
  let end = start
  let hasWord = false
  let space: number | undefined
  for (let used = 0; end < units.length; end++) {
    const unit = units[end]!
    // A space can exceed the width, because the line is broken there.
    if (isSpace(unit) && hasWord) space = end
    used += unit.width
    if (used > width) break
    hasWord ||= unit.width > 0 && !isSpace(unit)
  }
  if (end === units.length) return [end, end]
  if (space === undefined) return [Math.max(end, start + 1), Math.max(end, start + 1)]
  let next = space + 1
  while (isSpace(units[next])) next++
  return [space, next]
}

/**
 * Breaks a text into lines of at most `width` columns, at spaces if possible. Styles that are active at a break are closed
 * there and reopened on the next line. Lines are not padded.
 */
export const wrapTextWithAnsi = (text: string, width: number): Array<string> => {
  const columns = Math.max(1, width)
  const style = new SgrStyle()
  const lines: Array<string> = []
  for (const line of text.split("\n")) {
    const units = [...unitsOf(line)]
    let start = 0
    do {
      const [end, next] = breakAt(units, start, columns)
      const opening = style.opening
      const body = units
        .slice(start, end)
        .map((unit) => unit.text)
        .join("")
      for (const unit of units.slice(start, next)) style.apply(unit.text)
      lines.push(opening + (next < units.length ? body.trimEnd() : body) + style.closing)
      start = next
    } while (start < units.length)
  }
  return lines
}
