/** Expands `{a,b}` and `{1..3}` as bash does, if they contain plain text; other braces may expand to anything. */
import type { Piece } from "./possible-match.ts"

const maxExpansions = 256
const list = /^\{([\w@%+=:./^!,-]*,[\w@%+=:./^!,-]*)\}$/
const sequence = /^\{(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])\}$/

const range = (first: number, last: number): Array<number> | undefined => {
  const count = Math.abs(last - first) + 1
  if (count > maxExpansions) return undefined
  return Array.from({ length: count }, (_, index) => first + (last < first ? -index : index))
}

/** The elements of one pair of braces; undefined if they may be anything. */
export const braceElements = (text: string): ReadonlyArray<string> | undefined => {
  const elements = list.exec(text)?.[1]?.split(",")
  if (elements !== undefined) return elements.length > maxExpansions ? undefined : elements
  const [, first, last] = sequence.exec(text) ?? []
  if (first === undefined || last === undefined) return undefined
  if (/\d/.test(first) !== /\d/.test(last) || /^-?0\d/.test(first) || /^-?0\d/.test(last)) return undefined
  if (/\d/.test(first)) return range(Number(first), Number(last))?.map(String)
  return range(first.charCodeAt(0), last.charCodeAt(0))?.map((code) => String.fromCharCode(code))
}

/** Expands a word with these parts. Each part is a piece, or the elements of a pair of braces. */
export const expandBraces = (
  parts: ReadonlyArray<Piece | ReadonlyArray<string>>,
): ReadonlyArray<ReadonlyArray<Piece>> => {
  let words: Array<ReadonlyArray<Piece>> = [[]]
  for (const part of parts) {
    const elements = part === undefined || typeof part === "string" ? [part] : part
    if (words.length * elements.length > maxExpansions) return [[undefined]]
    words = words.flatMap((word) => elements.map((element) => [...word, element]))
  }
  return words
}
