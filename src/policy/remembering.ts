/**
 * The allow rules that a person's answer derives from a call. Each approves that call again, and nothing that was not approved
 * with it. Only for a whole tool, or for a rule that the person wrote, the person decides how far the rule goes.
 */
import { loadCommands } from "#commands"
import { type CallFolder, callFolder, folderToName, placed } from "./call-folder.ts"
import { ruleOfCall } from "./call-rules.ts"
import type { SimpleCommand } from "./command-line.ts"
import type { Place } from "./path-forms.ts"
import { type CallRule, literalPattern, type PlacedRule } from "./rules.ts"
import { programName } from "./shell-word.ts"
import { type FilteredTool, subjectsOf } from "./subjects.ts"

/**
 * What an approval remembers of a call. `call`: exactly this call, with all its parameters, in its folder. `command`: each
 * command of its line, also on its own, or nothing if one depends on the line; for anything but a command line, the same as
 * `call`. `tool`: everything that an allow rule `.*` approves, which is most calls of the tool, but for commands neither options
 * that write or run something, nor redirections, nor other folders. `rule`: everything that this pattern matches, the call
 * included.
 */
export type RememberChoice = "call" | "command" | "tool" | { readonly rule: string }

/** Whether the person chose how far the rule goes. */
export const isNamed = (choice: RememberChoice): boolean => choice === "tool" || typeof choice === "object"

const placedRule = (pattern: string, folder: CallFolder): PlacedRule => {
  const workingDir = folderToName(folder)
  return workingDir === undefined ? { pattern } : { pattern, workingDir }
}

const isXargs = ({ words: [name] }: SimpleCommand): boolean =>
  name !== undefined && programName(name.text) === "xargs"

/** Rules for the commands of a line, in order; none if `xargs` takes words from the output of others. */
const commandRules = (line: string, folder: CallFolder, place: Place): Array<PlacedRule> => {
  const { commands } = loadCommands().readCommandLine(line)
  if (commands.some(isXargs)) return []
  return placed(commands, folder, place)
    .sort((one, other) => line.indexOf(one.command.text) - line.indexOf(other.command.text))
    .flatMap(({ command, folders }) =>
      folders.map((where) => placedRule(literalPattern(command.text), where)),
    )
}

const isCommand = ({ kind }: { readonly kind: string }): boolean => kind === "command"

/** The rules to add, not yet tested on the call. Throws for parameters that are not JSON. */
export const rulesFor = (
  choice: RememberChoice,
  tool: FilteredTool,
  params: unknown,
  place: Place,
): Array<PlacedRule | CallRule> => {
  const folder = callFolder(tool, params, place)
  if (choice === "tool") return [placedRule(".*", folder)]
  if (typeof choice === "object") return [placedRule(String(choice.rule), folder)]
  const subjects = subjectsOf(tool, params)
  if (choice === "call" || !subjects.every(isCommand)) {
    const rule = ruleOfCall(tool, params, folder, place)
    return rule === undefined ? [] : [rule]
  }
  const rules = subjects.flatMap((subject) =>
    subject.kind === "command" ? commandRules(subject.text, folder, place) : [],
  )
  const keys = new Set<string>()
  return rules.filter(({ pattern, workingDir }) => {
    const key = JSON.stringify([pattern, workingDir])
    return !keys.has(key) && keys.add(key)
  })
}
