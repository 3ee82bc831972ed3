/** What the rules say of a command line: a deny rule must match one of its forms, allow rules every command in it. */
import type { Matching } from "./bounded-pattern.ts"
import { readCommandLine, type SimpleCommand } from "./command-line.ts"
import { approvedBy, ask, deniedBy, type Explanation, together } from "./explanation.ts"
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

const allows = (rule: Rule, command: SimpleCommand, matching: Matching): boolean => {
  const { text, plain } = command
  if (rule.literal !== undefined) return plain && rule.literal === text
  const match = matching.match(rule.wordRegex, text)
  return match !== undefined && isWordEnd(command, match.end)
}

export const decideCommand = (
  { allow, deny }: ToolRules,
  source: string,
  matching: Matching,
): Explanation => {
  const line = readCommandLine(source)
  for (const form of deny.length > 0 ? line.forms : []) {
    const rule = findRule(deny, form, matching)
    if (rule !== undefined) return deniedBy(rule, form)
  }
  if (line.unknown) return ask("What the command line runs cannot be told for certain.", source)
  const exact = allow.find(({ literal }) => literal === source)
  if (exact !== undefined) return approvedBy(exact, source)
  if (line.delicate) {
    return ask(
      "It assigns, writes or does more than the names of its commands say: only a rule that is this very line approves it.",
      source,
    )
  }
  if (line.commands.length === 0) return ask("There is no command in it.", source)
  return together(
    line.commands.map((command) => {
      const rule = allow.find((each) => allows(each, command, matching))
      return rule === undefined
        ? ask(`No allow rule matches \`${command.text}\`.`, command.text)
        : approvedBy(rule, command.text)
    }),
  )
}
