/** Decides on a command line: denied if a deny rule matches one of its forms, approved if allow rules match every command in it. */
import { matchesWrittenOut } from "./abbreviated-options.ts"
import { BoundedPattern, type Matching } from "./bounded-pattern.ts"
import { type CallFolder, holdsIn, type PlacedCommand, placed } from "./call-folder.ts"
import { type CommandLine, readCommandLine, type SimpleCommand } from "./command-line.ts"
import { approvedBy, ask, deniedBy, type Explanation, together } from "./explanation.ts"
import { guessedDeny } from "./guesses.ts"
import { ranWord, wordsToMatch } from "./known-programs.ts"
import { matchesMovedOption } from "./moved-options.ts"
import { matchesOtherName } from "./other-names.ts"
import type { Place } from "./path-forms.ts"
import { perPattern } from "./per-pattern.ts"
import { mayMatch } from "./possible-match.ts"
import { namesPower, type Power, powersOf } from "./power-options.ts"
import { findRule, literalPattern, type Rule, type ToolRules } from "./rules.ts"
import { joinWords, programName } from "./shell-word.ts"

/** Whether a match may end here: at the end of a word, or after the blank that follows it. */
const isWordEnd = ({ words }: SimpleCommand, end: number): boolean => {
  let at = -1
  for (const { text } of words) {
    at += 1 + text.length
    if (at >= end) return at === end
    if (at + 1 === end) return true
  }
  return false
}

/** Whether a command only prints a number, or only affects how others of the line run, which is checked for each of those. */
const onlySetsUp = ({ words, input }: SimpleCommand): boolean => {
  const [first, ...args] = words
  if (/^(cd|export|read|set)$/.test(first!.text)) return true
  return input === undefined && first!.text === "nproc" && args.every(({ text }) => text === "--all")
}

/** Commands that only set up a line need no rule in other lines, but they make the line more than its commands. */
const isPlain = ({ isPlain, commands }: CommandLine): boolean =>
  isPlain && (commands.length === 1 || !commands.some(onlySetsUp))

/** A rule that matches a command from its first word, and the end of the match. */
interface RuleMatch {
  readonly rule: Rule
  readonly end: number
}

/** Whether a rule for plain lines also matches the command as written, with its quotes. */
const isAsWritten = ({ regex }: Rule, { written }: SimpleCommand, matching: Matching): boolean =>
  written === undefined || matching.match(regex, written)?.start === 0

const matchOf = (rule: Rule, command: SimpleCommand, matching: Matching): RuleMatch | undefined => {
  const { text, plain } = command
  if (rule.isAny) return { rule, end: text.length }
  if (rule.literal !== undefined)
    return plain && rule.literal === text ? { rule, end: text.length } : undefined
  if (rule.isForPlain && !isAsWritten(rule, command, matching)) return undefined
  const match = matching.match(rule.wordRegex, text)
  if (match?.start !== 0 || !isWordEnd(command, match.end)) return undefined
  return { rule, end: match.end }
}

/** The end of the last word that a rule has to match. */
const endToMatch = ({ words }: SimpleCommand): number => joinWords(words.slice(0, wordsToMatch(words))).length

const wholeOf = perPattern((source) => new BoundedPattern(source).whole())

/** Whether a rule that matches a command matches all of it. */
const matchesWhole = ({ regex }: Rule, { text }: SimpleCommand, matching: Matching): boolean =>
  matching.match(wholeOf(regex), text) !== undefined

export class CommandRules {
  private readonly rules: ToolRules
  private readonly place: Place
  private readonly folder: CallFolder
  private readonly matching: Matching
  /** The allow rules that apply to the line. */
  private allow: ReadonlyArray<Rule> = []

  constructor(rules: ToolRules, place: Place, folder: CallFolder, matching: Matching) {
    this.rules = rules
    this.place = place
    this.folder = folder
    this.matching = matching
  }

  /** @param allowed The rule for exactly this call. */
  decide(source: string, allowed: Rule | undefined): Explanation {
    const { rules, place, folder, matching } = this
    const line = readCommandLine(source)
    for (const form of rules.deny.length > 0 ? line.forms : []) {
      const rule = findRule(rules.deny, form, matching)
      if (rule !== undefined) return deniedBy(rule, form)
    }
    if (line.unknown !== undefined) {
      return ask(`What the line runs cannot be told for certain: ${line.unknown}.`, source)
    }
    const possible = rules.deny.find((rule) => mayMatch(rule.regex, line.shapes))
    if (possible !== undefined) {
      return ask(
        `The deny rule \`${possible.pattern}\` may match what is known only when the line runs.`,
        source,
      )
    }
    if (allowed !== undefined) return approvedBy(allowed, source)
    this.allow = isPlain(line) ? rules.allow : rules.allow.filter(({ isForPlain }) => !isForPlain)
    const exact = this.allow.find((rule) => rule.literal === source && holdsIn(rule, folder, place))
    if (exact !== undefined) return approvedBy(exact, source)
    if (line.delicate !== undefined) {
      return ask(`Only a rule that is this very line approves it: ${line.delicate}.`, source)
    }
    if (line.commands.length === 0) return ask("There is no command in it.", source)
    for (const rule of rules.deny) {
      const abbreviated = line.commands.find(({ words }) => matchesWrittenOut(rule.regex, words, matching))
      if (abbreviated !== undefined) return ask(mayMean(rule, abbreviated, "options"), abbreviated.text)
      const moved = line.commands.find(({ words }) => matchesMovedOption(rule.regex, words, matching))
      if (moved !== undefined) return ask(mayMean(rule, moved, "order"), moved.text)
      const renamed = line.commands.find(({ words }) => matchesOtherName(rule.regex, words, matching))
      if (renamed !== undefined) return ask(mayMean(rule, renamed, "subcommands"), renamed.text)
    }
    const guessed = guessedDeny(rules.deny, source, line.commands, matching)
    if (guessed !== undefined) {
      const { text } = guessed.command
      return ask(`The deny rule \`${guessed.rule.pattern}\` matches what \`${text}\` may run.`, text)
    }
    const commands = placed(line.commands, folder, place)
    const running = commands.filter(({ command }) => !onlySetsUp(command))
    return together((running.length > 0 ? running : commands).map((command) => this.decideOne(command)))
  }

  private noMatch(command: SimpleCommand): string {
    const { text } = command
    const inside = this.rules.allow.find(
      ({ literal, wordRegex }) => literal === undefined && this.matching.match(wordRegex, text) !== undefined,
    )
    if (inside === undefined) return `No allow rule matches \`${text}\`.`
    if (inside.isForPlain) {
      return `The allow rule \`${inside.pattern}\` is for lines of plain commands alone, without \`set\`, redirections, expansions and the like, which have to be written as it says.`
    }
    return `The allow rule \`${inside.pattern}\` does not match \`${text}\` from its first word on.`
  }

  private decideOne({ command, folders }: PlacedCommand): Explanation {
    const { place, matching } = this
    const { text } = command
    const matched = this.allow.flatMap((rule) => matchOf(rule, command, matching) ?? [])
    const [first] = matched
    if (first === undefined) return ask(this.noMatch(command), text)
    const end = endToMatch(command)
    const reaching = matched.filter(
      (match) => match.end >= end || matchesWhole(match.rule, command, matching),
    )
    if (reaching.length === 0) return ask(notReached(first, command), text)
    const powers = powersOf(command)
    const isAllowedAlone = ({ alone }: Power): boolean => {
      if (alone === undefined) return false
      const rules = this.allow.filter((rule) => matching.match(rule.wordRegex, alone)?.start === 0)
      return folders.every((folder) => rules.some((rule) => holdsIn(rule, folder, place)))
    }
    const covers = (rule: Rule) =>
      powers.every((power) => isAllowedAlone(power) || namesPower(rule, command, power, matching))
    const covering = reaching.map(({ rule }) => rule).filter(covers)
    if (covering.length === 0) return ask(becauseOf(powers[0]!, text), text)
    const elsewhere = folders.find((folder) => !covering.some((rule) => holdsIn(rule, folder, place)))
    if (elsewhere === undefined) return approvedBy(covering[0]!, text)
    return ask(
      `It may run in ${shown(elsewhere)}, and no allow rule for \`${text}\` names that folder.`,
      text,
    )
  }
}

/** Names the word that neither a rule nor a table covers, and suggests a rule that would. */
const notReached = ({ rule, end }: RuleMatch, { text, words }: SimpleCommand): string => {
  const ends = words.map((_, at) => joinWords(words.slice(0, at + 1)).length)
  const behind = ends.findIndex((wordEnd) => wordEnd > end)
  const unknown = Math.max(behind, ranWord(words) ?? behind)
  const covered = Math.max(end, ranWord(words) === undefined ? end : ends[unknown]!)
  const rest = text.includes("\n") ? "( [^]*)?" : "( .*)?"
  const wider = `${literalPattern(text.slice(0, covered).trimEnd()).slice(0, -1)}${rest}$`
  const program = programName(words[0]!.text)
  return `The allow rule \`${rule.pattern}\` does not reach \`${words[unknown]!.text}\`, and what that is to \`${program}\` no table knows; \`${wider}\` would cover it.`
}

/** Why a command may mean what a deny rule names. */
const meanings = {
  options: "its options may be abbreviated",
  order: "its options may be written together, apart or elsewhere",
  subcommands: "its subcommands may go by other names",
} as const

const mayMean = ({ pattern }: Rule, { text }: SimpleCommand, how: keyof typeof meanings): string =>
  `The deny rule \`${pattern}\` may match \`${text}\`, for ${meanings[how]}.`

const becauseOf = ({ word, others, isInput }: Power, text: string): string => {
  if (isInput === true) return `The script that \`${text}\` reads may write or run something.`
  return others.length === 0
    ? `What \`${word}\` stands for may be an option with which \`${text}\` writes or runs something.`
    : `With \`${word}\` it may write or run something, and no allow rule for \`${text}\` names that.`
}

const shown = ({ name, real }: CallFolder): string =>
  real === undefined ? `a folder that cannot be told (${name})` : `\`${name}\``
