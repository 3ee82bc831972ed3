/** What the rules say of a command line: a deny rule must match one of its forms, allow rules every command in it. */
import { matchesWrittenOut } from "./abbreviated-options.ts"
import type { Matching } from "./bounded-pattern.ts"
import { type CallFolder, holdsIn, type PlacedCommand, placed } from "./call-folder.ts"
import { readCommandLine, type SimpleCommand } from "./command-line.ts"
import { approvedBy, ask, deniedBy, type Explanation, together } from "./explanation.ts"
import { guessedDeny } from "./guesses.ts"
import { matchesMovedOption } from "./moved-options.ts"
import { matchesOtherName } from "./other-names.ts"
import type { Place } from "./path-forms.ts"
import { mayMatch } from "./possible-match.ts"
import { namesPower, type Power, powersOf } from "./power-options.ts"
import { findRule, type Rule, type ToolRules } from "./rules.ts"

/** Whether a word of the command, or the blank behind one, ends here. */
const isWordEnd = ({ words }: SimpleCommand, end: number): boolean => {
  let at = -1
  for (const { text } of words) {
    at += 1 + text.length
    if (at >= end) return at === end
    if (at + 1 === end) return true
  }
  return false
}

const matches = (rule: Rule, command: SimpleCommand, matching: Matching): boolean => {
  const { text, plain } = command
  if (rule.literal !== undefined) return plain && rule.literal === text
  const match = matching.match(rule.wordRegex, text)
  return match !== undefined && isWordEnd(command, match.end)
}

export class CommandRules {
  private readonly rules: ToolRules
  private readonly place: Place
  private readonly folder: CallFolder
  private readonly matching: Matching

  constructor(rules: ToolRules, place: Place, folder: CallFolder, matching: Matching) {
    this.rules = rules
    this.place = place
    this.folder = folder
    this.matching = matching
  }

  decide(source: string): Explanation {
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
    const exact = rules.allow.find((rule) => rule.literal === source && holdsIn(rule, folder, place))
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
    return together(placed(line.commands, folder, place).map((command) => this.decideOne(command)))
  }

  private decideOne({ command, folders }: PlacedCommand): Explanation {
    const { place, matching } = this
    const { text } = command
    const matched = this.rules.allow.filter((rule) => matches(rule, command, matching))
    if (matched.length === 0) return ask(`No allow rule matches \`${text}\`.`, text)
    const powers = powersOf(command)
    const isAllowedAlone = ({ alone }: Power): boolean => {
      if (alone === undefined) return false
      const rules = this.rules.allow.filter((rule) => matching.match(rule.wordRegex, alone) !== undefined)
      return folders.every((folder) => rules.some((rule) => holdsIn(rule, folder, place)))
    }
    const covers = (rule: Rule) =>
      powers.every((power) => isAllowedAlone(power) || namesPower(rule, command, power, matching))
    const covering = powers.length === 0 ? matched : matched.filter(covers)
    if (covering.length === 0) return ask(becauseOf(powers[0]!, text), text)
    const elsewhere = folders.find((folder) => !covering.some((rule) => holdsIn(rule, folder, place)))
    if (elsewhere === undefined) return approvedBy(covering[0]!, text)
    return ask(
      `It may run in ${shown(elsewhere)}, and no allow rule for \`${text}\` names that folder.`,
      text,
    )
  }
}

/** How a command may mean what a deny rule names. */
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
