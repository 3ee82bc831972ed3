/**
 * Options with which a program that seems to read writes a file, or runs another program: `sort -o`, `git diff --output`. An
 * allow rule covers such an option only if it names it: it must not match the command with another option in its place.
 */
import { type ArgumentKind, argumentKinds, isOneWord } from "./arguments.ts"
import type { Matching } from "./bounded-pattern.ts"
import type { SimpleCommand } from "./command-line.ts"
import {
  type FoundOption,
  findBareOption,
  findOption,
  hasEndMark,
  isWrittenOut,
  liftsRestraint,
  negatedAt,
  noOptions,
} from "./option-spelling.ts"
import { PossibleMatch } from "./possible-match.ts"
import { type Entry, type PlacedEntry, placedEntries, ranPrograms } from "./power-entries.ts"
import type { PowerScripts } from "./power-table.ts"
import type { Rule } from "./rules.ts"
import { joinWords, programName, type ShellWord } from "./shell-word.ts"
import { targetsOf } from "./targets.ts"

/** A word of a command that lets its program write or run something. */
export interface Power {
  readonly word: string
  /** Replacements for the word: a rule that names the word matches with none of them. Empty if no rule can name the word. */
  readonly others: ReadonlyArray<string>
  readonly at: number
  /** Whether this is the input of the command rather than a word. */
  readonly isInput?: true
  /** The command with only this target: a rule for it is enough. */
  readonly alone?: string
}

type Others = ReadonlyArray<string>

const unknown: Others = []
const otherLetters = [..."abefghknpqrtuxyzABEFKNQSTUVXZ0"]
const otherLong = ["zzz", "a", "unheard-of"]
/** In characters times states. */
const maxSteps = 100_000

/** The word with other names in its place. */
const otherWords = (text: string): Others => {
  const [mark] = /^[-+]*/.exec(text)!
  const equals = text.indexOf("=")
  const value = mark === "" || equals < 0 ? "" : text.slice(equals)
  return otherLong.map((other) => mark + other + value)
}

const otherOptions = (text: string, { letterAt }: FoundOption, { wanted }: Entry): Others =>
  letterAt === undefined
    ? otherWords(text)
    : otherLetters
        .filter((other) => !wanted.letters.includes(other))
        .map((other) => text.slice(0, letterAt) + other + text.slice(letterAt + 1))

/** Whether a word that expands may become an option. */
const mayExpandToOption = ({ literal, splits, text }: ShellWord): boolean =>
  !literal && (splits || !/^[\w./~:,%=^-]/.test(text))

const possibleForms = new WeakMap<RegExp, PossibleMatch>()

/** Whether a pattern matches a word, or may match its expansion. */
const mayMatchForm = (form: RegExp, { text, literal, pieces }: ShellWord): boolean => {
  // A pattern that is not anchored could match any expansion: only the written text counts.
  if (literal || form.test(text) || !form.source.startsWith("^")) return form.test(text)
  const possible = possibleForms.get(form) ?? new PossibleMatch(form.source)
  possibleForms.set(form, possible)
  const cases = form.ignoreCase ? [pieces.map((piece) => piece?.toLowerCase())] : []
  return possible.in([{ alternatives: [pieces, ...cases], optional: false }], maxSteps)
}

/** Whether a word and the next one form a harmless pair; also if one word contains both, joined by `=`. */
const isHarmlessPair = ({ pairs }: Entry, word: ShellWord, next: ShellWord | undefined): boolean => {
  if (pairs === undefined || !word.literal) return false
  const joined = word.text.replace("=", " ")
  return pairs.test(joined) || (next?.literal === true && pairs.test(`${word.text} ${next.text}`))
}

const readForm = (entry: Entry, word: ShellWord, next: ShellWord | undefined): Others | undefined => {
  const { wanted, words } = entry
  if (isHarmlessPair(entry, word, next)) return undefined
  const isForm = [wanted.forms, words].some((form) => form !== undefined && mayMatchForm(form, word))
  if (!isForm) return undefined
  return word.literal ? otherWords(word.text) : unknown
}

const isNowhere = (value: string | undefined): boolean =>
  /^(-|\/dev\/(null|stdout|stderr))$/.test(value ?? "")

const readOption = (entry: Entry, word: ShellWord, next: ShellWord | undefined): Others | undefined => {
  const { spelling, wanted, valued, harmless, discards } = entry
  const { text, literal } = word
  if (isHarmlessPair(entry, word, next)) return undefined
  const found = findOption(text, spelling, wanted, valued)
  if (found !== undefined && !isWrittenOut(text, harmless)) {
    const discarding = findOption(text, spelling, discards, valued)
    const isDiscarding = discarding !== undefined && discarding.letterAt === found.letterAt
    if (isDiscarding && isNowhere(discarding.value ?? next?.text)) return undefined
    return otherOptions(text, found, entry)
  }
  // An expansion may be any letter, or any name.
  return !literal && /[$`*?[{]/.test(text.replace(/=.*/s, "")) ? unknown : undefined
}

const readScript = ({ dangers }: PowerScripts, word: ShellWord, value: string): Others | undefined =>
  !word.literal || dangers.test(value) ? unknown : undefined

/** Finds the scripts among the arguments: an operand, or the value of an option, in the same word or the next. */
const readScripts = (
  entry: Entry,
  words: ReadonlyArray<ShellWord>,
  at: number,
  operand: number | undefined,
): Others | undefined => {
  const { scripts, script, spelling, valued } = entry
  if (scripts === undefined) return undefined
  const word = words[at]!
  if (operand !== undefined && operand >= (scripts.operands ?? Number.POSITIVE_INFINITY)) {
    return readScript(scripts, word, word.text)
  }
  const before = at === 0 ? undefined : findOption(words[at - 1]!.text, spelling, script, valued)
  if (before !== undefined && before.value === undefined) return readScript(scripts, word, word.text)
  const own = findOption(word.text, spelling, script, valued)
  return own?.value === undefined ? undefined : readScript(scripts, word, own.value)
}

/** Whether a word is a file that the option before it writes. */
const isWritten = ({ writes, spelling }: Entry, before: ShellWord | undefined): boolean => {
  if (before === undefined) return false
  if (writes.forms?.test(before.text) === true) return true
  const found = findOption(before.text, spelling, writes, noOptions)
  return found !== undefined && found.value === undefined
}

/** Whether an option before the first operand ensures that nothing is written; git accepts none after it. */
const hasReadingOption = (
  { reads, valued }: Entry,
  words: ReadonlyArray<ShellWord>,
  kinds: ReadonlyArray<ArgumentKind>,
): boolean => {
  const stop = kinds.findIndex((kind) => kind === "operand" || kind === "end")
  const front = words.slice(0, stop < 0 ? words.length : stop)
  return front.some(({ text }, at) => {
    if (kinds[at] !== "option" || findOption(text, "whole", reads, valued) === undefined) return false
    // The word may be the value of an abbreviated option.
    const before = at === 0 ? undefined : findOption(words[at - 1]!.text, "getopt", valued, noOptions)
    return before === undefined || before.value !== undefined
  })
}

/** The number of the first operand that is written to. */
const firstOutput = (
  entry: Entry,
  words: ReadonlyArray<ShellWord>,
  kinds: ReadonlyArray<ArgumentKind>,
): number => {
  const { output, reads } = entry
  if (output === undefined || words.length === 0) return Number.POSITIVE_INFINITY
  const isReading = reads.forms?.test(words[0]!.text) === true || hasReadingOption(entry, words, kinds)
  return isReading ? Number.POSITIVE_INFINITY : output
}

const readOperand = (
  entry: Entry,
  words: ReadonlyArray<ShellWord>,
  at: number,
  isOutput: boolean,
  isEnded: boolean,
): Others | undefined => {
  const word = words[at]!
  if (!isEnded && mayExpandToOption(word)) return unknown
  if (entry.output !== undefined && !isOneWord(word)) return unknown
  if (isOutput) return [""]
  const bare = at === 0 ? findBareOption(word.text, entry.spelling, entry.wanted) : undefined
  return bare === undefined ? readForm(entry, word, words[at + 1]) : otherOptions(word.text, bare, entry)
}

/** The number of each operand, from 0, by its position. */
const operandNumbers = (kinds: ReadonlyArray<ArgumentKind>): ReadonlyMap<number, number> => {
  const places = kinds.flatMap((kind, at) => (kind === "operand" ? [at] : []))
  return new Map(places.map((at, number) => [at, number]))
}

const powersIn = ({ entry, from, to }: PlacedEntry, all: ReadonlyArray<ShellWord>): Array<Power> => {
  const words = all.slice(from, to)
  const kinds = argumentKinds(words, entry)
  const powers: Array<Power> = []
  const end = hasEndMark(entry.spelling) ? kinds.indexOf("end") : -1
  const output = firstOutput(entry, words, kinds)
  const operands = operandNumbers(kinds)
  const isBehind = (operand: number): boolean => entry.behind === "operands" && operand > 0
  const read = (kind: ArgumentKind, at: number): Others | undefined => {
    const word = words[at]!
    const operand = operands.get(at)
    const script = kind === "end" ? undefined : readScripts(entry, words, at, operand)
    if (script !== undefined) return script
    if (isWritten(entry, words[at - 1])) return [""]
    if (kind === "option") {
      if (mayExpandToOption(word)) return unknown
      return readForm(entry, word, words[at + 1]) ?? readOption(entry, word, words[at + 1])
    }
    return operand === undefined
      ? undefined
      : readOperand(entry, words, at, operand >= output, (end >= 0 && end < at) || isBehind(operand))
  }
  for (const [at, kind] of kinds.entries()) {
    const others = kind === "behind" ? readForm(entry, words[at]!, words[at + 1]) : read(kind, at)
    if (others !== undefined) powers.push({ word: words[at]!.text, others, at: at + from })
    if (kind === "behind") break
  }
  return powers
}

/** Whether the arguments contain a script: then the input is not one. */
const hasScript = ({ entry, from }: PlacedEntry, all: ReadonlyArray<ShellWord>): boolean => {
  const { scripts, script, spelling, valued } = entry
  const words = all.slice(from)
  const operands = argumentKinds(words, entry).filter((kind) => kind === "operand").length
  return (
    operands > (scripts?.operands ?? Number.POSITIVE_INFINITY) ||
    words.some(({ text }) => findOption(text, spelling, script, valued) !== undefined)
  )
}

/** A dangerous script in the input, which no rule can name. */
const inputPowers = (placed: PlacedEntry, { words, input, fed }: SimpleCommand): Array<Power> => {
  const { scripts } = placed.entry
  const read = input ?? (hasScript(placed, words) ? undefined : fed)
  if (read === undefined || scripts?.input !== true || (read.literal && !scripts.dangers.test(read.text))) {
    return []
  }
  return [{ word: read.text, others: unknown, at: 0, isInput: true }]
}

const restraintPowers = ({ words }: SimpleCommand): Array<Power> => {
  const back = negatedAt(words.map(({ text }) => text))
  return words.flatMap(({ text }, at) =>
    back.has(at) || liftsRestraint(text, words[at + 1]?.text)
      ? [{ word: text, others: otherWords(text), at }]
      : [],
  )
}

/** All targets but the first, which the rule itself matches. */
const targetPowers = ({ words }: SimpleCommand): Array<Power> =>
  (targetsOf(words) ?? [])
    .slice(1)
    .map(({ at, words: alone }) => ({ word: words[at]!.text, others: [""], at, alone: joinWords(alone) }))

/** The limit in words, each counted once for every entry. */
const maxWork = 200_000

const programPowers = (command: SimpleCommand, program: string, start: number): Array<Power> => {
  const { words } = command
  const { entries, open } = placedEntries(program, words, start)
  if (words.length * entries.length > maxWork) {
    return [{ word: words[0]!.text, others: unknown, at: 0 }]
  }
  const powers = entries.flatMap((placed) => [...powersIn(placed, words), ...inputPowers(placed, command)])
  return open ? [...powers, { word: words[start]!.text, others: unknown, at: start }] : powers
}

/** The words of a command that a rule must name. */
export const powersOf = (command: SimpleCommand): ReadonlyArray<Power> => {
  const [first] = command.words
  if (first === undefined) return []
  const own = programPowers(command, programName(first.text), 1)
  const { words } = command
  const programs = ranPrograms(words)
  if (programs === undefined) return [{ word: first.text, others: unknown, at: 0 }]
  const ran = programs.flatMap(({ program, start }) => {
    // `npm exec eslint -- --fix`: some runners drop the `--`.
    const mark = words.findIndex(({ text }, at) => at >= start && text === "--")
    const starts = mark < 0 ? [start] : [start, mark + 1]
    return starts.flatMap((from) => programPowers(command, program, from))
  })
  return [...restraintPowers(command), ...targetPowers(command), ...own, ...ran]
}

const replaced = ({ words }: SimpleCommand, at: number, text: string): string =>
  words.flatMap((word, index) => (index === at ? (text === "" ? [] : [text]) : [word.text])).join(" ")

/** Whether a rule that matches the command names this word of it. */
export const namesPower = (
  { literal, wordRegex }: Rule,
  command: SimpleCommand,
  { others, at, isInput }: Power,
  matching: Matching,
): boolean =>
  (literal !== undefined && isInput !== true) ||
  (others.length > 0 &&
    others.every((other) => matching.match(wordRegex, replaced(command, at, other)) === undefined))
