/** Untrusted text as lines for a terminal: cleaned, then cut or wrapped to a width. */
import { visibleText } from "../../text/visible-text.ts"
import { withoutTrailing } from "../../text/without-trailing.ts"
import { clip, expandTabs, wrap } from "./columns.ts"
import { printable } from "./printable.ts"
import type { Style } from "./style.ts"

/** The lines of a text, cleaned, without the empty ones at its end. */
export const plainLines = (text: string): Array<string> => {
  const clean = withoutTrailing(printable(text), "\n")
  return clean === "" ? [] : clean.split("\n").map(expandTabs)
}

/** A whole text on one line, for a person to decide on: nothing is omitted. */
export const visibleLine = (text: string): string => visibleText(text, { singleLine: true })

/** A sentence for people on one line, such as the question of a dialog. */
export const visibleSentence = (text: string): string => visibleText(text, { singleLine: true, prose: true })

/** Line ends with the white space around them: matched only where white space begins, which keeps the time linear. */
const lineEnds = /(?<!\s)\s*\n\s*/g

/** Removes empty lines and white space around line ends; `end` replaces each line end. */
export const withLineEnds = (text: string, end: string): string => text.replace(lineEnds, end)

/** The visible text on one line; line ends become `⏎`. */
export const singleLine = (text: string): string => expandTabs(withLineEnds(printable(text.trim()), " ⏎ "))

export const clippedLines = (text: string, width: number): Array<string> =>
  plainLines(text).map((line) => clip(line, width))

export const wrappedLines = (text: string, width: number): Array<string> =>
  plainLines(text).flatMap((line) => wrap(line, width))

export interface FoldOptions {
  /** The maximum number of lines, plus one that tells how many more there are. */
  readonly max: number
  /** Lines that were already dropped from the front. Default 0. */
  readonly omitted?: number
  /** Whether to keep only the last lines, while more follow. Default false: the first and the last. */
  readonly tail?: boolean
  readonly moreNote?: string | undefined
}

export const foldLines = (
  lines: ReadonlyArray<string>,
  { max, omitted = 0, tail = false, moreNote }: FoldOptions,
  style: Style,
): Array<string> => {
  const hidden = Math.max(0, lines.length - max) + omitted
  if (hidden === 0) return [...lines]
  const note = moreNote === undefined ? "" : `, ${moreNote}`
  const more = style.dim(`… ${hidden} more ${hidden === 1 ? "line" : "lines"}${note}`)
  if (tail || omitted > 0) return [more, ...lines.slice(Math.max(0, lines.length - max))]
  const head = Math.ceil(max / 2)
  return [...lines.slice(0, head), more, ...lines.slice(lines.length - (max - head))]
}
