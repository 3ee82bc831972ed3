/** A text to search in that is a normalised copy of the original, with a map of its offsets to the original. */
import { originalOffset } from "../../../handlers/text-edits.ts"

export interface LooseText {
  readonly text: string
  /** Converts an offset in the text, up to its length, to one in the original. */
  originalOffset(offset: number): number
}

/** Makes every line ending LF. */
export const unixEndings = (text: string): string => text.replace(/\r\n?/g, "\n")

/** The text with normalised line endings only. */
export const exactText = (original: string): LooseText => ({
  text: unixEndings(original),
  originalOffset: (offset) => originalOffset(original, offset),
})

/** A part of the original, and what replaces it in the text. */
interface Part {
  readonly text: string
  readonly at: number
  readonly length: number
}

const lines = /([^\r\n]*)(\r\n?|\n|$)/g

/** A run of ASCII, which is kept, or a single other character. */
const runs = /[\0-\x7f]+|[^\0-\x7f]/gu

/** Replaces characters that models write differently. */
const plainRun = (run: string): string => {
  if (run < "\x80") return run
  if (/[\u2018-\u201b]/.test(run)) return "'"
  if (/[\u201c-\u201f]/.test(run)) return '"'
  if (/[\u2010-\u2015\u2212]/.test(run)) return "-"
  return /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/.test(run) ? " " : run.normalize("NFKC")
}

function* fuzzyParts(original: string): Generator<Part, void> {
  for (const { 1: line = "", 2: ending = "", index } of original.matchAll(lines)) {
    // A last line without an ending can continue, so its spaces are kept.
    for (const { 0: run, index: at } of (ending === "" ? line : line.trimEnd()).matchAll(runs))
      yield { text: plainRun(run), at: index + at, length: run.length }
    if (ending !== "") yield { text: "\n", at: index + line.length, length: ending.length }
  }
}

/** The text without spaces at line ends, and with plain quotes, dashes and spaces. */
export const fuzzyText = (original: string): LooseText => ({
  text: Array.from(fuzzyParts(original), ({ text }) => text).join(""),
  // Makes the parts again instead of keeping them: an edit needs two offsets, and a file can have millions of parts.
  originalOffset: (offset) => {
    let rest = offset
    for (const { text, at, length } of fuzzyParts(original)) {
      // If a character became several, the offsets after the first map to the end of the original character.
      if (rest < text.length) return at + (rest > 0 && text.length > length ? length : rest)
      rest -= text.length
    }
    return original.length
  },
})
