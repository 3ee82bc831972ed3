/**
 * What the commands of a line read from their standard input, as far as the line says it: a here-document, a here-string,
 * what `echo` prints into a pipe.
 */
import type { Redirection, SyntaxNode } from "unbash"
import type { Dialect } from "./grammar.ts"
import { shellWord } from "./shell-word.ts"

/** What a command reads from its standard input. */
export interface ShellInput {
  readonly text: string
  readonly literal: boolean
}

/** A file, or what another program prints. */
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

/** A here-document or a here-string, where no other redirection takes its place. */
export const documentOf = (redirects: ReadonlyArray<Redirection>): ShellInput | undefined => {
  const last = redirects.findLast(isOfInput)
  return last === undefined || last.type === "Redirect" ? undefined : readFrom(last)
}

/** The last redirection counts. `outer` is what stands there without one. */
export const inputOf = (
  redirects: ReadonlyArray<Redirection>,
  outer: ShellInput | undefined,
): ShellInput | undefined => {
  const last = redirects.findLast(isOfInput)
  return last === undefined ? outer : readFrom(last)
}

/** What a command prints into a pipe, where that is what it says or what it reads. */
const printedBy = (node: SyntaxNode, input: ShellInput | undefined, dialect: Dialect): ShellInput => {
  if (node.type !== "Command" || node.prefix.length > 0) return unknownInput
  const words = node.args.map((word) => (word.type === "Word" ? shellWord(word) : undefined))
  const [name, ...rest] = [node.name && shellWord(node.name), ...words]
  if (name?.text === "cat" && rest.length === 0) return inputOf(node.redirects, input) ?? unknownInput
  // `sh` may be a shell whose echo reads backslashes.
  if (name?.text !== "echo" || dialect !== "bash" || node.redirects.length > 0) return unknownInput
  const known = rest.filter((word) => word?.literal === true).map((word) => word!.text)
  if (known.length < rest.length || known.some((text) => /^-\w*[eE]/.test(text))) return unknownInput
  return { text: known.join(" "), literal: true }
}

/** What the children of a node read, where it reads `input`. */
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
