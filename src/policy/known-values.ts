/**
 * The values of variables that are known in a line: the words of a `for` in its body, and the value that an earlier command of
 * the same list assigned. A variable that may get another value anywhere in the line is unknown.
 */
import { type Command, forEachChild, type SyntaxNode, type Word, type WordPart } from "unbash"
import { names } from "./names.ts"
import { expandedWords, shellWord } from "./shell-word.ts"

/** By name, each value that the variable may have. */
export type Values = ReadonlyMap<string, ReadonlyArray<string>>

export const noValues: Values = new Map()

/** Commands that set variables, or run code that does. */
const setters = new Set(
  names(`
    read mapfile readarray printf eval source . trap getopts unset declare typeset local readonly let wait alias enable exec
    builtin command set shopt coproc unalias
  `),
)

/** Variables that bash sets after each command. */
const renewed = new Set(["_", "COLUMNS", "LINES"])

/**
 * Whether a command may set a variable that it does not name: `$e$f x` may be `read x`, and `export $x` may be any
 * assignment.
 */
const setsUnseen = ({ name, args }: Command): boolean => {
  const named = name === undefined ? [] : [name, ...(name.value === "export" ? args : [])]
  return named.some((word) => word.type === "Word" && !shellWord(word).literal)
}

/** Whether a text neither splits nor expands. */
const isOneWord = (text: string): boolean => /^[\w@%+=:,./-]+$/.test(text)

const literalsOf = (words: ReadonlyArray<Word>): ReadonlyArray<string> | undefined => {
  const found = words.flatMap((word) => expandedWords(shellWord(word)))
  return found.every(({ text, literal }) => literal && isOneWord(text)) && found.length <= 16
    ? found.map(({ text }) => text)
    : undefined
}

/** The variables that get a value in exactly one place of a line; none if a command may set any variable. */
export const settledNames = (root: SyntaxNode): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  const count = (name: string) => renewed.has(name) || counts.set(name, (counts.get(name) ?? 0) + 1)
  let isOpen = false
  const pending: Array<SyntaxNode> = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "Assignment") count(node.name)
    if (node.type === "For") count(node.name.text)
    if (/^(Function|Select|Coproc|Arithmetic(For|Command|Unary|Binary|Word))$/.test(node.type)) isOpen = true
    if (node.type === "Word" && setters.has(node.value)) isOpen = true
    if (node.type === "Command" && setsUnseen(node)) isOpen = true
    // `export "x=1"`
    const [, assigned] = (node.type === "Word" && /^([A-Za-z_]\w*)\+?=/.exec(node.value)) || []
    if (assigned !== undefined) count(assigned)
    if (node.type === "ParameterExpansion" && node.operation?.type === "Default") isOpen = true
    forEachChild(node, (child) => pending.push(child))
  }
  const settled = [...counts].filter(([, times]) => times === 1)
  return new Set(isOpen ? [] : settled.map(([name]) => name))
}

/** The values assigned by a command that consists only of assignments. */
const assignedBy = (node: SyntaxNode, settled: ReadonlySet<string>): Values => {
  // Nothing is assigned if a redirection fails.
  if (node.type !== "Command" || node.name !== undefined || node.redirects.length > 0) return noValues
  const found = new Map<string, ReadonlyArray<string>>()
  for (const part of node.prefix) {
    if (part.type !== "Assignment" || part.value.type === "ArrayValue" || !settled.has(part.name)) continue
    const values = part.append === true || part.index !== undefined ? undefined : literalsOf([part.value])
    if (values?.length === 1) found.set(part.name, values)
  }
  return found
}

const first = (node: SyntaxNode): SyntaxNode => (node.type === "AndOr" ? node.commands[0]! : node)

/** The values that are known in each child of a node in which `values` are known. */
export const valuesWithin = (
  node: SyntaxNode,
  values: Values,
  settled: ReadonlySet<string>,
): ((child: SyntaxNode) => Values) => {
  if (settled.size === 0) return () => noValues
  if (node.type === "For") {
    const words = settled.has(node.name.text) ? literalsOf(node.wordlist ?? []) : undefined
    const inside =
      words === undefined || words.length === 0 ? values : new Map([...values, [node.name.text, words]])
    return (child) => (child === node.body ? inside : values)
  }
  const isList = node.type === "Script" || node.type === "CompoundList"
  if (!isList && node.type !== "AndOr") return () => values
  const known = new Map<SyntaxNode, Values>()
  let now = values
  for (const command of node.commands) {
    known.set(command, now)
    const isSure = command.type !== "Statement" || command.background !== true
    if (isList && isSure && command.type === "Statement")
      now = new Map([...now, ...assignedBy(first(command.command), settled)])
    if (!isList && command === node.commands[0]) now = new Map([...now, ...assignedBy(command, settled)])
  }
  return (child) => known.get(child) ?? values
}

const nameOf = (part: WordPart): string | undefined => {
  if (part.type === "SimpleExpansion") return part.text.slice(1)
  const isBare =
    part.type === "ParameterExpansion" &&
    !part.prefix &&
    part.index === undefined &&
    part.operation === undefined
  return isBare ? part.parameter : undefined
}

/** `$(nproc)` prints a number. */
const isNumber = (part: WordPart): boolean =>
  part.type === "CommandExpansion" && /^\$\(nproc(?: --all)?\)$/.test(part.text)

type Choice = ReadonlyMap<string, string>

const fill = <Part extends WordPart>(part: Part, choice: Choice): WordPart => {
  const value = isNumber(part) ? "1" : choice.get(nameOf(part) ?? "")
  if (value !== undefined) return { type: "Literal", pos: part.pos, end: part.end, text: value, value }
  if (part.type !== "DoubleQuoted") return part
  return { ...part, parts: part.parts.map((child) => fill(child, choice)) as typeof part.parts }
}

const valueOf = (part: WordPart): string => {
  if (part.type === "DoubleQuoted") return part.parts.map(valueOf).join("")
  return "value" in part ? part.value : part.text
}

const fillIn = (word: Word, choice: Choice): Word => {
  if (word.parts === undefined) return word
  const parts = word.parts.map((part) => fill(part, choice))
  return parts.every((part, at) => part === word.parts![at])
    ? word
    : { ...word, parts, value: parts.map(valueOf).join("") }
}

/** The maximum number of commands that one command is expanded to. */
const maxChoices = 16

const choicesOf = (used: ReadonlyArray<string>, values: Values): ReadonlyArray<Choice> => {
  let choices: ReadonlyArray<Choice> = [new Map()]
  for (const name of used) {
    choices = choices.flatMap((choice) =>
      values.get(name)!.map((value) => new Map([...choice, [name, value]])),
    )
    if (choices.length > maxChoices) return [new Map()]
  }
  return choices
}

const expandedIn = (parts: ReadonlyArray<WordPart>): ReadonlyArray<string> =>
  parts.flatMap((part) => (part.type === "DoubleQuoted" ? expandedIn(part.parts) : (nameOf(part) ?? [])))

/** The arguments of a command with known values filled in, once for each choice of values. */
export const withValues = (
  { args }: Command,
  values: Values,
): ReadonlyArray<{ readonly args: Command["args"]; readonly isFilled: boolean }> => {
  const words = args.flatMap((word) => (word.type === "Word" ? [word] : []))
  const expanded = new Set(words.flatMap(({ parts = [] }) => expandedIn(parts)))
  const choices = choicesOf(
    [...expanded].filter((used) => values.has(used)),
    values,
  )
  return choices.map((choice) => ({
    args: args.map((word) => (word.type === "Word" ? fillIn(word, choice) : word)),
    isFilled: choice.size > 0,
  }))
}
