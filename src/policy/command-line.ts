/**
 * Reads a bash command line: every command that it may run, at whatever depth, and whether that is all there is to it.
 * It errs on one side only: what is not understood is said to be `unknown`.
 */
import {
  type ArithmeticWord,
  type Command,
  forEachChild,
  type ParameterExpansionPart,
  parse,
  type Redirect,
  type SyntaxNode,
  type TestBinaryExpression,
} from "unbash"
import { assignmentWord, isPlain, joinWords, type ShellWord, shellWord } from "./shell-word.ts"
import { type Inner, innerCommands, type ShellInput } from "./wrappers.ts"

export interface SimpleCommand {
  /** Its words as bash passes them on, joined by spaces. */
  readonly text: string
  /** Whether the text stands for these words and no others: no quoting is hidden in it. */
  readonly plain: boolean
  readonly words: ReadonlyArray<ShellWord>
}

export interface CommandLine {
  readonly commands: ReadonlyArray<SimpleCommand>
  /** Every form in which a deny pattern may find something. */
  readonly forms: ReadonlySet<string>
  /** Does what no pattern speaks of: assigns, writes to a file, defines a function. Only the whole line tells. */
  readonly delicate: boolean
  /** Cannot be parsed, or runs what is known only when it runs. */
  readonly unknown: boolean
}

/** Linux passes no longer argument to a program, so no longer line can run as `bash -c`. */
const maxLength = 131_072
/** How deep commands may run commands, and code be quoted in code. */
const maxDepth = 16
/**
 * Characters read in all, each counted once for every bracket that the parser may have to look into again.
 * Keeps the worst line under about half a second.
 */
const maxWork = 8_000_000

const openers = /\$[({[]|[<>]\(|`|<<|\(\(/g
const countOpeners = (source: string): number => source.match(openers)?.length ?? 0

/** Control and invisible characters, and white space that bash does not take for such. */
const deceptive = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]|(?![ \t\n])\s/u
const impossibleName = /^$|[\s\p{Cc}\p{Cf}\p{Cs}]/u

const collapse = (text: string): string =>
  /^\s|\s\s|[^\S ]|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text

const isNumber = (text: string): boolean => /^\s*-?\d*\s*$/.test(text)

/** Others may steer what programs do, or which are found: `for PATH in .`. */
const isLoopVariable = (name: string): boolean => /^[a-z][a-z0-9]*$/.test(name)

const writes = (redirect: Redirect): boolean => {
  const { operator, target, descriptor } = redirect
  // `{PATH}<file` assigns the descriptor's number.
  if (target === undefined || descriptor?.type === "FileDescriptorVariable") return true
  const { text, literal } = shellWord(target)
  if (operator === "<") return /^\/dev\/(tcp|udp)\//.test(text)
  if (operator === "<&") return false
  if (!literal) return true
  if (operator === ">&" && /^(\d+-?|-)$/.test(text)) return false
  return text !== "/dev/null"
}

/** Bash evaluates arithmetic again and again: `x='a[$(rm y)]'; echo $((x))` runs rm. So only numbers are known. */
const evaluates = (node: ArithmeticWord): boolean => !/^\s*\d\w*\s*$/.test(node.value)

const comparesNumbers = ({ operator, left, right }: TestBinaryExpression): boolean =>
  /^-(eq|ne|lt|le|gt|ge)$/.test(operator) && !(isNumber(left.text) && isNumber(right.text))

const expandsDelicately = ({ prefix, index, operation }: ParameterExpansionPart): boolean => {
  if (prefix === "!") return true
  if (index !== undefined && !/^(\d+|[@*])$/.test(index.text)) return true
  switch (operation?.type) {
    case "Default":
      return operation.operator.includes("=")
    case "Slice":
      return !isNumber(operation.offset.text) || !isNumber(operation.length?.text ?? "")
    case "Transform":
    case "Names":
    case "Unknown":
      return true
    default:
      return false
  }
}

const isDelicate = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "Assignment":
    case "Function":
    case "ArithmeticCommandExpansion":
      return true
    case "ArithmeticWord":
      return evaluates(node)
    case "For":
    case "Select":
      return !isLoopVariable(node.name.text)
    case "Coproc":
      return node.name !== undefined
    case "ParameterExpansion":
      return expandsDelicately(node)
    case "Redirect":
      return writes(node)
    case "TestBinary":
      return comparesNumbers(node)
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R"
    default:
      return false
  }
}

/** The parser passes over a bracket right behind a command's name, which is no bash. */
const isFollowedByBracket = (source: string, end: number): boolean => {
  const bracket = /(?:[ \t]|\\\n)*\(/y
  bracket.lastIndex = end
  return bracket.test(source)
}

/** What a shell with no script would read: the last here-document or here-string of its standard input. */
const inputOf = (command: Command): ShellInput | undefined => {
  let input: ShellInput | undefined
  for (const redirect of command.redirects) {
    const { descriptor } = redirect
    if (descriptor !== undefined && !(descriptor.type === "FileDescriptor" && descriptor.value === 0))
      continue
    if (redirect.type === "HereDoc") {
      const { text } = redirect.body
      input = { text, literal: redirect.delimiter?.quoted === true || !/[\\$`]/.test(text) }
    } else if (redirect.type === "HereString") {
      input = redirect.target && shellWord(redirect.target)
    } else if (redirect.operator.startsWith("<")) {
      input = undefined
    }
  }
  return input
}

class Reader implements CommandLine {
  readonly commands: Array<SimpleCommand> = []
  readonly forms = new Set<string>()
  delicate = false
  unknown = false
  private work = maxWork
  private guessing = false

  code(source: string, depth: number): void {
    if (
      source.length > maxLength ||
      depth > maxDepth ||
      !this.affords(source.length * (1 + countOpeners(source)))
    ) {
      this.unknown = true
      return
    }
    if (deceptive.test(source)) this.unknown = true
    // A stack of its own: a sum of ten thousand terms is a tree as deep.
    const stack: Array<{ node: SyntaxNode; source: string }> = [{ node: parse(source), source }]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node } = next
      const within = this.visit(node, next.source, depth)
      forEachChild(node, (child) => stack.push({ node: child, source: within }))
    }
  }

  private visit(node: SyntaxNode, source: string, depth: number): string {
    if (isDelicate(node)) this.delicate = true
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined && node.errors.length > 0) this.unknown = true
        return node.source ?? source
      case "CommandExpansion":
      case "ProcessSubstitution":
        if (node.script === undefined) this.unknown = true
        return source
      case "Redirect":
        if (node.target) this.forms.add(`${node.operator} ${node.target.value}`)
        return source
      case "Command":
        this.command(node, source, depth)
        return source
      default:
        return source
    }
  }

  private command(node: Command, source: string, depth: number): void {
    this.forms.add(source.slice(node.pos, node.end))
    const assignments = node.prefix.filter((part) => part.type === "Assignment").map(assignmentWord)
    if (node.name === undefined) {
      if (assignments.length > 0) this.addForms(assignments)
      return
    }
    if (isFollowedByBracket(source, node.name.end)) this.unknown = true
    const args = node.args.map((arg) => (arg.type === "Word" ? shellWord(arg) : assignmentWord(arg)))
    const words = [shellWord(node.name), ...args]
    if (assignments.length > 0) this.addForms([...assignments, ...words])
    this.words(words, inputOf(node), depth)
  }

  private words(words: ReadonlyArray<ShellWord>, input: ShellInput | undefined, depth: number): void {
    const first = words[0]!
    const text = joinWords(words)
    // A word costs about as much as ten characters.
    if (depth > maxDepth || !this.affords(text.length + 10 * words.length)) {
      this.unknown = true
      return
    }
    if (!first.literal || impossibleName.test(first.text)) this.unknown = true
    this.addForms(words)
    this.commands.push({ text, plain: words.every(isPlain), words })
    for (const inner of innerCommands(words, input)) this.inner(inner, input, depth + 1)
  }

  private inner(inner: Inner, input: ShellInput | undefined, depth: number): void {
    switch (inner._tag) {
      case "Command":
        return this.words(inner.words, input, depth)
      case "Code":
        if (!inner.literal) this.unknown = true
        return this.code(inner.source, depth)
      case "Guess": {
        // The guesses at a command hold those at its suffixes already.
        if (this.guessing) return
        const { unknown } = this
        this.guessing = inner.inner._tag === "Command"
        this.inner(inner.inner, input, depth)
        this.guessing = false
        // A wrong guess may look unknown; only what it adds to the forms counts.
        this.unknown = unknown
        return
      }
      case "Unseen":
        this.unknown = true
        return
      case "Delicate":
        this.delicate = true
    }
  }

  private addForms(words: ReadonlyArray<ShellWord>): void {
    const texts = new Set([joinWords(words), words.map((word) => word.emptied).join(" ")])
    for (const text of texts) {
      this.forms.add(text)
      const collapsed = collapse(text)
      this.forms.add(collapsed)
      // `/bin/rm` is `rm`, to a deny pattern.
      this.forms.add(collapsed.replace(/^\S*\//, ""))
    }
  }

  private affords(cost: number): boolean {
    this.work -= cost + 1
    return this.work >= 0
  }
}

/** Never throws: the source is a model's. */
export const readCommandLine = (source: string): CommandLine => {
  const reader = new Reader()
  reader.forms.add(source)
  reader.forms.add(collapse(source))
  try {
    reader.code(source, 0)
  } catch {
    // The parser recurses, so that some nestings exhaust the stack before they reach its own bound.
    reader.unknown = true
  }
  return reader
}
