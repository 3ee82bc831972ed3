/**
 * Options with which a program that seems to read writes a file, or runs another program: `sort -o`, `git diff --output`.
 * An allow rule covers one only if it names it, that is, if it would not match as well were it another option.
 */
import type { Matching } from "./bounded-pattern.ts"
import type { SimpleCommand } from "./command-line.ts"
import { PossibleMatch } from "./possible-match.ts"
import { databaseOptions } from "./power-table-databases.ts"
import { developmentOptions } from "./power-table-development.ts"
import { fileOptions } from "./power-table-files.ts"
import { gitOptions } from "./power-table-git.ts"
import { networkOptions } from "./power-table-network.ts"
import { systemOptions } from "./power-table-system.ts"
import type { Rule } from "./rules.ts"
import type { ShellWord } from "./shell-word.ts"

export interface PowerOptions {
  /** Where it is documented. */
  readonly source: string
  /** Single letters. */
  readonly short?: string
  /** Other letters that take a value: what follows one in its word is no option. */
  readonly valued?: string
  /** Without dashes. Their abbreviations count too. */
  readonly long?: ReadonlyArray<string>
  /** Options that look like an abbreviation, and are none. */
  readonly harmless?: ReadonlyArray<string>
  /** Words of other forms: `-delete`, `+command`, subcommands. */
  readonly words?: RegExp
  /** An option and its value as the next word, with a NUL between them. */
  readonly taken?: RegExp
  /** The second operand, where that is a verb. */
  readonly verb?: RegExp
  /** Which operand is written to, from 0. */
  readonly output?: number
  /** Whether what follows the first operand is an operand too, whatever it looks like. */
  readonly optionsFirst?: boolean
  /** Options, as they are written, whose value is the next word; for `output`. */
  readonly takesNext?: RegExp
  /** Operands that are not written to; for `output`. */
  readonly spares?: RegExp
  /** How options begin whose values are scripts: what bash puts into one is as dangerous as what `words` finds there. */
  readonly script?: RegExp
  /** From which operand on all are scripts. */
  readonly scriptOperand?: number
  /** Whether its input is a script too. */
  readonly readsScript?: boolean
  /** Whether the first word may be a bundle of letters without a dash, as tar's. */
  readonly bundle?: boolean
  /** Options that do nothing with `-` or `/dev/null` for their value. */
  readonly discards?: RegExp
  /** Whether what follows the first operand belongs to another program. */
  readonly leading?: boolean
}

export type PowerTable = Readonly<Record<string, PowerOptions>>

const table = new Map<string, PowerOptions>(
  [fileOptions, gitOptions, networkOptions, developmentOptions, systemOptions, databaseOptions].flatMap(
    (each) =>
      Object.entries(each).flatMap(([names, options]) =>
        names.split("|").map((name): [string, PowerOptions] => [name, options]),
      ),
  ),
)

/** One word of a command that gives it more power. */
export interface Power {
  readonly word: string
  /** What it might be as well, for a rule that does not name it. None for a word that nobody knows yet. */
  readonly others: ReadonlyArray<string>
  readonly at: number
  /** Whether it is no word but what the command reads. */
  readonly isInput?: true
}

const otherLetters = [..."abefghknpqrtuxyzABEFKNQSTUVXZ0"]
/** In characters times states. */
const maxSteps = 100_000
const otherLong = ["zzz", "a", "unheard-of"]

/** `-ro`: each letter up to one that takes a value. */
const readShort = (
  options: PowerOptions,
  { text, literal }: ShellWord,
  from: number,
): ReadonlyArray<string> | undefined => {
  const { short = "", valued = "" } = options
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at]!
    if (short.includes(letter)) {
      const others = otherLetters.filter((other) => !short.includes(other))
      return others.map((other) => text.slice(0, at) + other + text.slice(at + 1))
    }
    if (from > 0 && valued.includes(letter)) return undefined
    // What bash puts in may be any letter.
    if (!literal && /[$`*?[{]/.test(letter)) return []
  }
  return undefined
}

const readLong = ({ long = [], harmless = [] }: PowerOptions, text: string) => {
  const equals = text.indexOf("=")
  const name = equals < 0 ? text.slice(2) : text.slice(2, equals)
  if (/[$`*?[{]/.test(name)) return []
  if (name === "" || harmless.includes(name) || !long.some((option) => option.startsWith(name))) {
    return undefined
  }
  const value = equals < 0 ? "" : text.slice(equals)
  return otherLong.map((other) => `--${other}${value}`)
}

/** Whether a word may turn out to be an option when bash has expanded it. */
const mayBeOption = ({ literal, splits, text }: ShellWord): boolean =>
  !literal && (splits || !/^[\w./~:,%=^-]/.test(text))

const isDash = (word: ShellWord | undefined): boolean => word !== undefined && /^-./.test(word.text)

/** Whether a short option that ends the word takes the next one for its value. */
const takesValue = ({ valued = "" }: PowerOptions, word: ShellWord | undefined): boolean => {
  const letters = word?.literal === true ? /^-(\w+)$/.exec(word.text)?.[1] : undefined
  if (letters === undefined) return false
  return [...letters].findIndex((letter) => valued.includes(letter)) === letters.length - 1
}

const isOneWord = ({ literal, splits, text }: ShellWord): boolean =>
  literal || !(splits || /[*?[]/.test(text))

const possibleForms = new WeakMap<RegExp, PossibleMatch>()

/** Whether a word is, or may turn out to be, one of those that the table gives a pattern for. */
const isForm = ({ words }: PowerOptions, { text, literal, pieces }: ShellWord): boolean => {
  if (words === undefined) return false
  // What may stand anywhere in a word could be in whatever bash puts in.
  if (literal || words.test(text) || !words.source.startsWith("^")) return words.test(text)
  const possible = possibleForms.get(words) ?? new PossibleMatch(words.source)
  possibleForms.set(words, possible)
  const cases = words.ignoreCase ? [pieces.map((piece) => piece?.toLowerCase())] : []
  return possible.in([{ alternatives: [pieces, ...cases], optional: false }], maxSteps)
}

const readWord = (
  options: PowerOptions,
  word: ShellWord,
  next: ShellWord | undefined,
  isFirst: boolean,
): ReadonlyArray<string> | undefined => {
  const { text } = word
  if (mayBeOption(word)) return []
  if (options.discards?.test(text) === true && /^(-|\/dev\/null)$/.test(next?.text ?? "")) return undefined
  if (text.startsWith("--")) return readLong(options, text)
  if (isDash(word)) return readShort(options, word, 1)
  return options.bundle === true && isFirst ? readShort(options, word, 0) : undefined
}

/** Whether it is a script of which parts are known only when it runs. */
const isOpenScript = (
  { script, scriptOperand }: PowerOptions,
  word: ShellWord,
  before: ShellWord | undefined,
  operand: number | undefined,
): boolean => {
  if (word.literal) return false
  if (script !== undefined && (script.test(word.text) || script.test(before?.text ?? ""))) return true
  return scriptOperand !== undefined && operand !== undefined && operand >= scriptOperand
}

const readForm = (options: PowerOptions, word: ShellWord): ReadonlyArray<string> | undefined => {
  if (!isForm(options, word)) return undefined
  if (!word.literal) return []
  const mark = /^[-+]*/.exec(word.text)![0]
  return otherLong.map((other) => mark + other)
}

const isWritten = ({ output, spares }: PowerOptions, { text }: ShellWord, operand: number): boolean =>
  output !== undefined && operand >= output && spares?.test(text) !== true

const powersIn = (options: PowerOptions, words: ReadonlyArray<ShellWord>, offset: number): Array<Power> => {
  const powers: Array<Power> = []
  const add = (at: number, others: ReadonlyArray<string>) =>
    powers.push({ word: words[at]!.text, others, at: at + offset })
  let operands = 0
  let isValue = false
  let isEnded = false
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]
    const isOperand =
      !isDash(word) || before?.text === "--" || (operands > 0 && options.optionsFirst === true)
    // What is a value itself takes none: in `-H -H -o f`, `-o` is an option.
    isValue = !isValue && isOneWord(word) && takesValue(options, before)
    // `--` may be the value of what stands in front of it.
    if (word.text === "--" && !isDash(before)) {
      isEnded = options.output === undefined
      continue
    }
    if (options.leading === true && isOperand && word.literal && !isDash(before)) break
    // `find -- . -delete`, `make -- CC=x`: words of other forms count behind `--` too.
    const isOpen = isOpenScript(options, word, before, isOperand ? operands : undefined)
    const isTaken = options.taken?.test(`${before?.text}\0${word.text}`) === true
    const isVerb = isOperand && operands === 1 && options.verb?.test(word.text) === true
    const others =
      (isOpen || isTaken || isVerb ? [] : undefined) ??
      (isValue && !word.literal ? undefined : readForm(options, word)) ??
      (isEnded || isValue ? undefined : readWord(options, word, words[at + 1], at === 0))
    if (others !== undefined) add(at, others)
    if (!isOperand) continue
    if (before !== undefined && options.takesNext?.test(before.text) === true) continue
    if (others === undefined && isWritten(options, word, operands)) add(at, [""])
    operands += 1
  }
  return powers
}

const nameOf = ({ text }: ShellWord): string => text.slice(text.lastIndexOf("/") + 1)

/** Options of git itself that only change how it shows things. */
const harmlessGit = /^(--no-pager|--no-optional-locks|--literal-pathspecs|--version|--help|-h|-v)$/

const gitPowers = (args: ReadonlyArray<ShellWord>): Array<Power> => {
  const at = args.findIndex((word) => !harmlessGit.test(word.text))
  const subcommand = args[at]
  if (subcommand === undefined) return []
  // `git -c alias.x='!rm y' x`, `git -C elsewhere status`: another configuration runs other programs.
  if (!subcommand.literal) return [{ word: subcommand.text, others: [], at: at + 1 }]
  if (isDash(subcommand)) {
    const others = subcommand.text.startsWith("--")
      ? otherLong.map((other) => `--${other}`)
      : otherLetters.map((other) => `-${other}`)
    return [{ word: subcommand.text, others, at: at + 1 }]
  }
  const rest = args.slice(at + 1)
  const own = table.get(`git ${subcommand.text}`)
  const common = table.get("git")!
  const both: PowerOptions = {
    ...common,
    ...own,
    long: [...(common.long ?? []), ...(own?.long ?? [])],
  }
  return powersIn(both, rest, at + 2)
}

/** No rule speaks of what a here-document holds. */
const inputPowers = ({ readsScript, words }: PowerOptions, { input }: SimpleCommand): Array<Power> => {
  if (input === undefined || readsScript !== true) return []
  return input.literal && words?.test(input.text) !== true
    ? []
    : [{ word: input.text, others: [], at: 0, isInput: true }]
}

/** Programs that run the one that is named behind them, and what stands between, as it begins. */
const runners =
  /^(npx|bunx|pnpx|uvx|pipx run|(npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm|hatch|rye|bundle|mise) (exec|x|dlx|run)|yarn|python[\d.]* -m)( |$)/

/** Where the program stands that a runner runs: the first word behind it that the table knows. */
const ranAt = (words: ReadonlyArray<ShellWord>): number => {
  const [first, ...rest] = words
  const line = [nameOf(first!), ...rest.slice(0, 2).map(({ text }) => text)].join(" ")
  if (!runners.test(line)) return -1
  return words.findIndex((word, at) => at > 0 && !isDash(word) && table.has(nameOf(word)))
}

const powersAt = (command: SimpleCommand, at: number): ReadonlyArray<Power> => {
  const args = command.words.slice(at + 1)
  const name = nameOf(command.words[at]!)
  if (name === "git") return gitPowers(args).map((power) => ({ ...power, at: power.at + at }))
  const options = table.get(name)
  return options === undefined ? [] : [...powersIn(options, args, at + 1), ...inputPowers(options, command)]
}

/** The words of a command that a rule must name. */
export const powersOf = (command: SimpleCommand): ReadonlyArray<Power> => {
  if (command.words.length === 0) return []
  const ran = ranAt(command.words)
  const own = powersAt(command, 0)
  return ran < 0 ? own : [...own, ...powersAt(command, ran)]
}

const replaced = ({ words }: SimpleCommand, at: number, text: string): string =>
  words.flatMap((word, index) => (index === at ? (text === "" ? [] : [text]) : [word.text])).join(" ")

/** Whether a rule that matches the command means this word of it. */
export const namesPower = (
  { literal, wordRegex }: Rule,
  command: SimpleCommand,
  { others, at }: Power,
  matching: Matching,
): boolean =>
  literal !== undefined ||
  (others.length > 0 &&
    others.every((other) => matching.match(wordRegex, replaced(command, at, other)) === undefined))
