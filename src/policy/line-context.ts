/**
 * How a line affects a command in it: where and how often the line runs the command, and whether the command depends on the line,
 * through the values of a loop or an assignment, or a program that it reads. A rule for just the command does not cover this.
 */
import type { SyntaxNode } from "unbash"
import type { ShellInput } from "./fed-input.ts"
import { hasDataOperands } from "./operand-roles.ts"
import { programName, type ShellWord } from "./shell-word.ts"

/** Where and how often a line runs a command. */
export interface Around {
  /** Whether the command may run several times in one shell, and so find its own earlier changes. */
  readonly repeats: boolean
  /** The program that runs the command in a folder of its choice. */
  readonly elsewhere?: string
}

/** How a line runs the contents of a node. A subshell changes nothing for the next iteration of a loop. */
export const aroundWithin = ({ type }: SyntaxNode, around: Around): Around => {
  switch (type) {
    case "For":
    case "ArithmeticFor":
    case "Select":
    case "While":
    case "Function":
      return { ...around, repeats: true }
    case "Subshell":
      return { ...around, repeats: false }
    default:
      return around
  }
}

/** Programs that read a script from their input if their arguments name none. */
const interpreter =
  /^(python|pypy|node|nodejs|perl|ruby|php|lua|luajit|tclsh|irb|pwsh|R|julia|deno|bun|tsx|ts-node|osascript|ghci)[\d.]*$/

const readsProgram = ([name, ...args]: ReadonlyArray<ShellWord>): boolean =>
  interpreter.test(programName(name?.text ?? "")) &&
  (args.every(({ text }) => text.startsWith("-")) ||
    args.some(({ text }) => /^(-|\/dev\/(stdin|fd\/0))$/.test(text)))

/** `$_` is the last word of the previous command, and some of bash's own variables contain the line. */
const isSetByLine = (name: string, variables: ReadonlySet<string>): boolean =>
  variables.has(name) || name === "_" || name.startsWith("BASH_")

const parameters = /\$\{?#?([A-Za-z_]\w*)/g

/** The parts of a command that are checked. */
interface Context {
  readonly words: ReadonlyArray<ShellWord>
  /** Its own here-document or here-string. */
  readonly input?: ShellInput | undefined
  /** Its standard input, as far as the line determines it. */
  readonly fed?: ShellInput | undefined
}

export const dependsOnLine = ({ words, input, fed }: Context, variables: ReadonlySet<string>): boolean => {
  if (input !== undefined && !hasDataOperands(words)) return true
  if (fed !== undefined && readsProgram(words)) return true
  return words.some(
    ({ text, literal }) =>
      !literal && [...text.matchAll(parameters)].some(([, name]) => isSetByLine(name!, variables)),
  )
}
