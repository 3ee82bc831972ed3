/**
 * The allow rules that a person's answer makes of a call. Each approves that call again and nothing that was not approved with
 * it, but for a whole tool and for a rule that the person wrote: those say themselves how far they go.
 */
import { loadCommands } from "#commands"
import { type CallFolder, callFolder, folderToName, placed } from "./call-folder.ts"
import type { SimpleCommand } from "./command-line.ts"
import { type Place, pathForms } from "./path-forms.ts"
import { literalPattern, type PlacedRule } from "./rules.ts"
import { programName } from "./shell-word.ts"
import { type FilteredTool, type Subject, subjectsOf } from "./subjects.ts"

/**
 * What is remembered of an approved call. `call`: just this one. `command`: each command of its line, also alone, and nothing
 * where one hangs on the line; of what is no command line, as `call`. `tool`: what an allow rule `.*` approves, which is most
 * calls of the tool, and of commands neither options that write or run something, nor redirections, nor other folders.
 * `rule`: whatever this pattern matches, the call among it.
 */
export type RememberChoice = "call" | "command" | "tool" | { readonly rule: string }

/** Whether the person said how far the rule goes. */
export const isNamed = (choice: RememberChoice): boolean => choice === "tool" || typeof choice === "object"

/** Relative paths of a call that works in another folder start there. */
export const placeIn = ({ isExecutors, real }: CallFolder, place: Place): Place =>
  isExecutors || real === undefined ? place : { ...place, start: real }

const placedRule = (pattern: string, folder: CallFolder): PlacedRule => {
  const workingDir = folderToName(folder)
  return workingDir === undefined ? { pattern } : { pattern, workingDir }
}

const patternsOf = (subject: Subject, place: Place): Array<string> => {
  if (subject.kind === "unreadable") return []
  if (subject.kind !== "path") return [literalPattern(subject.text)]
  const forms = pathForms(subject.text, place)
  const places = [...(forms?.spelled ?? []), ...(forms?.real() ?? [])]
  return places.map(({ absolute }) => literalPattern(absolute))
}

const isXargs = ({ words: [name] }: SimpleCommand): boolean =>
  name !== undefined && programName(name.text) === "xargs"

/** In the order in which they stand in the line; none where one takes its words from what the others print. */
const commandRules = (line: string, folder: CallFolder, place: Place): Array<PlacedRule> => {
  const { commands } = loadCommands().readCommandLine(line)
  if (commands.some(isXargs)) return []
  return placed(commands, folder, place)
    .sort((one, other) => line.indexOf(one.command.text) - line.indexOf(other.command.text))
    .flatMap(({ command, folders }) =>
      folders.map((where) => placedRule(literalPattern(command.text), where)),
    )
}

const rulesOf = (
  choice: RememberChoice,
  subject: Subject,
  folder: CallFolder,
  place: Place,
): Array<PlacedRule> => {
  if (choice === "command" && subject.kind === "command") return commandRules(subject.text, folder, place)
  return patternsOf(subject, placeIn(folder, place)).map((pattern) => placedRule(pattern, folder))
}

/** The rules to add; whether they approve the call is yet to be tried. */
export const rulesFor = (
  choice: RememberChoice,
  tool: FilteredTool,
  params: unknown,
  place: Place,
): Array<PlacedRule> => {
  const folder = callFolder(tool, params, place)
  if (choice === "tool") return [placedRule(".*", folder)]
  if (typeof choice === "object") return [placedRule(String(choice.rule), folder)]
  const rules = subjectsOf(tool, params).flatMap((subject) => rulesOf(choice, subject, folder, place))
  const keys = new Set<string>()
  return rules.filter(({ pattern, workingDir }) => {
    const key = JSON.stringify([pattern, workingDir])
    return !keys.has(key) && keys.add(key)
  })
}
