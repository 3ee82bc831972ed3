/** Measures text in the columns of a terminal: wide characters take two, tabs reach to the next stop. */
import stringWidth from "string-width"

const tabWidth = 4
const ascii = /^[\x20-\x7e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** How many columns the text takes; colour sequences take none. */
export const columnsOf = (text: string): number => (ascii.test(text) ? text.length : stringWidth(text))

/** Replaces tabs by spaces up to the next stop. */
export const expandTabs = (line: string): string => {
  if (!line.includes("\t")) return line
  let expanded = ""
  let column = 0
  for (const [index, part] of line.split("\t").entries()) {
    const stop = index === 0 ? 0 : tabWidth - (column % tabWidth)
    expanded += " ".repeat(stop) + part
    column += stop + columnsOf(part)
  }
  return expanded
}

/** The longest prefix of whole graphemes that fits, as an index into the text. */
const fittingLength = (text: string, width: number): number => {
  if (ascii.test(text)) return Math.min(text.length, width)
  let used = 0
  for (const { segment, index } of graphemes.segment(text)) {
    used += columnsOf(segment)
    if (used > width) return index
  }
  return text.length
}

/** The part of a line that can matter for `width` columns, so that a line of a megabyte is not measured whole. */
const headOf = (line: string, width: number): string => line.slice(0, 16 * width + 64)

/** Cuts a line without colours to `width` columns; what was cut ends with `…`. */
export const clip = (line: string, width: number): string => {
  if (line.length <= width && ascii.test(line)) return line
  if (width <= 0) return ""
  const head = headOf(line, width)
  if (head === line && columnsOf(line) <= width) return line
  return `${head.slice(0, fittingLength(head, width - 1))}…`
}

/** Breaks a line without colours into lines of at most `width` columns, at spaces if possible. */
export const wrap = (line: string, width: number): Array<string> => {
  const columns = Math.max(2, width)
  const lines: Array<string> = []
  let rest = line
  for (;;) {
    const fitting = fittingLength(headOf(rest, columns), columns)
    if (fitting === rest.length) return [...lines, rest]
    const space = rest.lastIndexOf(" ", fitting)
    const end = space > 0 ? space : Math.max(1, fitting)
    lines.push(rest.slice(0, end))
    rest = rest.slice(space > 0 ? end + 1 : end)
  }
}
