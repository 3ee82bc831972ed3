/**
 * The standard input of the commands of a line, as far as the line determines it: a here-document, a here-string, the output of
 * `echo` in a pipe.
 */
import type { Redirection, SyntaxNode } from "unbash"
import type { Dialect } from "./grammar.ts"
import { shellWord } from "./shell-word.ts"

/** The standard input of a command. */
export interface ShellInput {
  readonly text: string
  readonly literal: boolean
}

/** A file, or the output of another program. */
const unknownInput: ShellInput = { text: "", literal: false }
const noInput: ShellInput = { text: "", literal: true }

const isOfInput = ({ descriptor, ...redirect }: Redirection): boolean =>
  descriptor === undefined
    ? redirect.type !== "Redirect" || redirect.operator.startsWith("<")
    : descriptor.type === "FileDescriptor" && descriptor.value === 0

const readFrom = (redirect: Redirection): ShellInput => {
  if (redirect.type === "HereDoc") {
    const { text } = redirect.body
    return { text, literal: redirect.delimiter?.quoted === true || !/[\\$`]/.test(text) }
  }
  if (redirect.target === undefined) return unknownInput
  const word = shellWord(redirect.target)
  if (redirect.type === "HereString") return word
  return word.literal && /^(\/dev\/null|-)$/.test(word.text) ? noInput : unknownInput
}

/** The here-document or here-string, unless a later redirection replaces it. */
export const documentOf = (redirects: ReadonlyArray<Redirection>): ShellInput | undefined => {
  const last = redirects.findLast(isOfInput)
  return last === undefined || last.type === "Redirect" ? undefined : readFrom(last)
}

/** The input after redirections; the last one counts. `outer` is the input without any. */
export const inputOf = (
  redirects: ReadonlyArray<Redirection>,
  outer: ShellInput | undefined,
): ShellInput | undefined => {
  const last = redirects.findLast(isOfInput)
  return last === undefined ? outer : readFrom(last)
}

/** The output of a command into a pipe, if its words or its input determine it. */
const printedBy = (node: SyntaxNode, input: ShellInput | undefined, dialect: Dialect): ShellInput => {
  if (node.type !== "Command" || node.prefix.length > 0) return unknownInput
  const words = node.args.map((word) => (word.type === "Word" ? shellWord(word) : undefined))
  const [name, ...rest] = [node.name && shellWord(node.name), ...words]
  if (name?.text === "cat" && rest.length === 0) return inputOf(node.redirects, input) ?? unknownInput
  // `sh` may be a shell whose echo interprets backslashes.
  if (name?.text !== "echo" || dialect !== "bash" || node.redirects.length > 0) return unknownInput
  const known = rest.filter((word) => word?.literal === true).map((word) => word!.text)
  if (known.length < rest.length || known.some((text) => /^-\w*[eE]/.test(text))) return unknownInput
  return { text: known.join(" "), literal: true }
}

/** The input of each child of a node whose own input is `input`. */
export const inputsWithin = (
  node: SyntaxNode,
  input: ShellInput | undefined,
  dialect: Dialect,
): ((child: SyntaxNode) => ShellInput | undefined) => {
  switch (node.type) {
    case "Pipeline": {
      const fed = new Map<SyntaxNode, ShellInput | undefined>()
      for (const [at, command] of node.commands.entries()) {
        const before = node.commands[at - 1]
        fed.set(command, before === undefined ? input : printedBy(before, fed.get(before), dialect))
      }
      return (child) => fed.get(child) ?? input
    }
    case "Redirected": {
      const fed = inputOf(node.redirects, input)
      return (child) => (child === node.command ? fed : input)
    }
    case "ProcessSubstitution":
      return () => (node.operator === ">" ? unknownInput : input)
    case "Coproc":
      return () => unknownInput
    default:
      return () => input
  }
}
