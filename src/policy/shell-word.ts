/** A word of a command line as bash would pass it on, as far as that is known before it runs. */
import type { Assignment, Word, WordPart } from "unbash"
import { braceElements, expandBraces } from "./braces.ts"
import type { Piece } from "./possible-match.ts"

export interface ShellWord {
  /** As written. */
  readonly source: string
  /** Without quotes and escapes; expansions are as written. */
  readonly text: string
  /** Whether bash passes on exactly `text`: nothing expands. */
  readonly literal: boolean
  /** The text if every variable is unset, for deny patterns: `r$@m` is `rm`. */
  readonly emptied: string
  /** Whether the word may become several words, or begin with something other than `text`. */
  readonly splits: boolean
  /** The parts of the word that are known before it runs. */
  readonly pieces: ReadonlyArray<Piece>
  /** The words that its braces expand to: a single word without braces. */
  readonly braced: ReadonlyArray<ReadonlyArray<Piece>>
}

const isLiteralPart = (part: WordPart): boolean => {
  if (part.type === "DoubleQuoted") return part.parts.every((child) => child.type === "Literal")
  return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted"
}

const splitsPart = (part: WordPart): boolean => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return false
    case "DoubleQuoted":
      // `"$@"` and similar.
      return part.parts.some((child) => child.type !== "Literal" && child.text.includes("@"))
    default:
      return true
  }
}

const emptiedWord = (word: Word): string =>
  word.parts === undefined ? word.value : word.parts.map(emptiedPart).join("")

const emptiedPart = (part: WordPart): string => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return part.value
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map(emptiedPart).join("")
    case "SimpleExpansion":
      return part.text === "$IFS" ? " " : ""
    case "ParameterExpansion":
      if (part.parameter === "IFS") return " "
      return part.operation?.type === "Default" ? emptiedWord(part.operation.operand) : ""
    case "BraceExpansion":
      return part.text.replace(/["'\\]/g, "").replace(/[{},]/g, " ")
    case "ExtendedGlob":
      return part.text
    default:
      return ""
  }
}

const anything: Pick<ShellWord, "pieces" | "braced"> = { pieces: [undefined], braced: [[undefined]] }

const piecesOf = (part: WordPart): ReadonlyArray<Piece | ReadonlyArray<string>> => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value]
    case "DoubleQuoted":
      return part.parts.flatMap(piecesOf)
    case "BraceExpansion":
      return [braceElements(part.text)]
    default:
      return [undefined]
  }
}

/** Bash expands a tilde at the beginning of a word, and after `=` or `:` in what looks like an assignment. */
const hasTilde = (text: string): boolean => /(?:^|[=:])~/.test(text)

const knownPieces = (word: Word, literal: boolean): Pick<ShellWord, "pieces" | "braced"> => {
  if (literal) return { pieces: [word.value], braced: [[word.value]] }
  if (word.parts === undefined || hasTilde(word.text)) return anything
  const parts = word.parts.flatMap(piecesOf)
  return {
    pieces: parts.map((part) => (typeof part === "string" ? part : undefined)),
    braced: expandBraces(parts),
  }
}

export const shellWord = (word: Word): ShellWord => {
  const literal = word.parts === undefined ? !hasTilde(word.text) : word.parts.every(isLiteralPart)
  return {
    source: word.text,
    text: word.value,
    literal,
    emptied: emptiedWord(word),
    splits: word.parts?.some(splitsPart) ?? false,
    ...knownPieces(word, literal),
  }
}

/** The words that the braces of a word expand to. */
export const expandedWords = (word: ShellWord): ReadonlyArray<ShellWord> => {
  if (word.braced.length < 2) return [word]
  return word.braced.map((pieces) => {
    const text = pieces.map((piece) => piece ?? "").join("")
    const literal = !pieces.includes(undefined)
    return { source: word.source, text, literal, emptied: text, splits: !literal, pieces, braced: [pieces] }
  })
}

/** An assignment as a word: `NAME=value`. */
export const assignmentWord = (assignment: Assignment): ShellWord => {
  const { text: source, name, index, append, value } = assignment
  if (value.type === "ArrayValue")
    return { source, text: source, literal: false, emptied: source, splits: true, ...anything }
  const head = `${name}${index === undefined ? "" : `[${index.text}]`}${append ? "+" : ""}=`
  const word = shellWord(value)
  const pieces = [head, ...word.pieces]
  return {
    source,
    text: head + word.text,
    literal: word.literal && index === undefined,
    emptied: head + word.emptied,
    splits: word.splits || index !== undefined,
    pieces,
    braced: [pieces],
  }
}

/** A word that is filled in when the command runs, such as the one that xargs appends. */
export const unknownWord = (text: string): ShellWord => ({
  source: text,
  text,
  literal: false,
  emptied: text,
  splits: true,
  ...anything,
})

export const joinWords = (words: ReadonlyArray<ShellWord>): string => words.map((word) => word.text).join(" ")

/** Whether a word reads the same in any quotes, so that its text identifies it. */
export const isPlain = ({ source, text, literal }: ShellWord): boolean =>
  source === text || (literal && /^[\w@%+=:,./-]+$/.test(text))

/** `/usr/bin/env` is `env`. */
export const programName = (command: string): string => command.slice(command.lastIndexOf("/") + 1)
