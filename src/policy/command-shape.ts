/**
 * The possible forms of a command at run time, for deny patterns: an expanded word may be anything, options and their values may
 * be left out, and a path may be spelled differently.
 */
import { posix } from "node:path"
import type { Piece, Segment } from "./possible-match.ts"
import type { ShellWord } from "./shell-word.ts"

const isOption = ({ text, literal }: ShellWord): boolean => literal && text.startsWith("-")

/** Whether the word is an option that may take the next word as its value. */
const mayTakeValue = (word: ShellWord | undefined): boolean =>
  word !== undefined && isOption(word) && !/=|^--$/.test(word.text)

/** Other names of the same file. A path that begins at or above the root may lead into the working folder at any of its parts. */
const spellings = (path: string): Array<string> => {
  if (!path.includes("/")) return [path]
  const normal = posix.normalize(path)
  const found = [path, normal, normal.replace(/\/$/, "")]
  if (!/^\/|^\.\./.test(normal)) return found
  const parts = normal.split("/")
  return [...found, ...parts.slice(-8).map((_, index, last) => last.slice(index).join("/"))]
}

const alternatives = ({ text, literal, pieces }: ShellWord): Array<ReadonlyArray<Piece>> => {
  if (literal) return [...new Set(spellings(text))].map((spelling) => [spelling])
  return pieces.some((piece) => piece?.includes("/")) ? [pieces, [undefined]] : [pieces]
}

const isPlain = (segments: ReadonlyArray<Segment>, words: ReadonlyArray<ShellWord>): boolean =>
  words.every((word) => word.literal) &&
  segments.slice(1).every((segment) => segment.alternatives.length === 1 && !segment.optional)

/** For a first word that expands, only the name of an assignment is known. */
const firstPieces = ({ text, literal, pieces }: ShellWord): ReadonlyArray<Piece> => {
  if (literal) return [text]
  return /^[A-Za-z_]\w*=$/.test(pieces[0] ?? "") ? pieces : [undefined]
}

const segmentsOf = (words: ReadonlyArray<ShellWord>): Array<Segment> =>
  words.map((word, index) => {
    if (index === 0)
      return {
        alternatives: [firstPieces(word), [word.text.replace(/^.*\//s, "")]],
        optional: false,
      }
    return {
      alternatives: alternatives(word).map((pieces) => [" ", ...pieces]),
      optional: !word.literal || isOption(word) || (index > 1 && mayTakeValue(words[index - 1])),
    }
  })

/** Undefined for a command that has only its written form. */
export const commandShape = (words: ReadonlyArray<ShellWord>): ReadonlyArray<Segment> | undefined => {
  const segments = segmentsOf(words)
  return isPlain(segments, words) ? undefined : segments
}

/** `/bin/npm` and `npm@10` are `npm`. */
export const bareName = (text: string): string =>
  /\s/.test(text) ? text : text.replace(/^.*\//s, "").replace(/(?<=.)@[\w.^~*-]+$/, "")

/** The possible names of a command that starts at this word; none if the beginning of the word is unknown. */
const beginnings = ({ text, literal, pieces }: ShellWord): Array<ReadonlyArray<Piece>> => {
  if (text.startsWith("-")) return []
  if (literal) return [...new Set([text, bareName(text)])].map((name) => [name])
  return pieces[0] === undefined || pieces[0] === "" ? [] : [pieces]
}

/** The shape of a command in which another command may start at any word from `from` on. */
export const guessedShape = (
  words: ReadonlyArray<ShellWord>,
  from: number,
): ReadonlyArray<Segment> | undefined => {
  const segments = segmentsOf(words)
  if (isPlain(segments, words)) return undefined
  return segments.map((segment, index) =>
    index < from ? segment : { ...segment, beginnings: beginnings(words[index]!) },
  )
}

const maxScattered = 16
const maxArguments = 64
/** Options that name the program to run. */
const runs = /^--(entrypoint|command|cmd|exec|shell|program|run)(=|$)/

/**
 * Commands that are named by an option and whose arguments are anywhere after it:
 * `docker run --entrypoint npm image publish`.
 */
export const scatteredShapes = (words: ReadonlyArray<ShellWord>): Array<ReadonlyArray<Segment>> => {
  const shapes: Array<ReadonlyArray<Segment>> = []
  for (const [at, word] of words.entries()) {
    if (at === 0 || !/^--\w/.test(word.text) || shapes.length >= maxScattered) continue
    const equals = word.text.indexOf("=")
    const value = equals < 0 ? words[at + 1]?.text : word.text.slice(equals + 1)
    const behind = words.slice(equals < 0 ? at + 2 : at + 1)
    const isLiteral = word.literal && (equals >= 0 || words[at + 1]?.literal === true)
    if (value === undefined || behind.length === 0 || !(isLiteral || runs.test(word.text))) continue
    const named: ReadonlyArray<ReadonlyArray<Piece>> = isLiteral
      ? [[value], [bareName(value)]]
      : [[undefined]]
    const rest = segmentsOf([word, ...behind.slice(0, maxArguments)]).slice(1)
    if (behind.length > maxArguments) rest.push({ alternatives: [[undefined]], optional: true })
    shapes.push([
      { alternatives: named, optional: false },
      ...rest.map((segment) => ({ ...segment, optional: true })),
    ])
  }
  return shapes
}

/** The shape of a command whose name is unknown, too. */
export const unknownShape = (words: ReadonlyArray<ShellWord>): ReadonlyArray<Segment> => [
  { alternatives: [[undefined]], optional: false },
  ...segmentsOf(words).slice(1),
]
