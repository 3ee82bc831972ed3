/**
 * Reads a bash command line: every command that it may run, at any depth, and whether the list is complete. It errs on the safe
 * side: a line outside the grammar of GRAMMAR.md is `unknown`, even if the parser accepts it. Deny patterns still see what the
 * parser finds.
 */

import { type Command, forEachChild, parse, type SyntaxNode } from "unbash"
import { commandShape } from "./command-shape.ts"
import { delicacy } from "./delicacy.ts"
import { documentOf, inputOf, inputsWithin, type ShellInput } from "./fed-input.ts"
import { type Dialect, understand } from "./grammar.ts"
import { noValues, settledNames, type Values, valuesWithin, withValues } from "./known-values.ts"
import { type Around, aroundWithin, dependsOnLine } from "./line-context.ts"
import { isChain, type Place } from "./plain-line.ts"
import type { Segment } from "./possible-match.ts"
import { Reading } from "./reading.ts"
import {
  assignmentWord,
  expandedWords,
  isPlain,
  joinWords,
  programName,
  type ShellWord,
  shellWord,
} from "./shell-word.ts"
import { targetsOf } from "./targets.ts"
import { type Inner, innerCommands } from "./wrappers.ts"

export interface SimpleCommand {
  /** The words as bash passes them on, joined by spaces. */
  readonly text: string
  /** Whether the text means exactly these words and their effect: neither quotes nor the line hide anything. */
  readonly plain: boolean
  readonly words: ReadonlyArray<ShellWord>
  /** Its here-document or here-string. */
  readonly input?: ShellInput | undefined
  /** Its standard input, if the line determines it or its source: a here-document, a file, a pipe. */
  readonly fed?: ShellInput | undefined
  readonly around: Around
  /** The command as written in the line, if the line consists of plain commands and this is one of them. */
  readonly written?: string
}

/** The input and the surroundings of a command. */
type Setting = Pick<SimpleCommand, "input" | "fed" | "around" | "written">

export interface CommandLine {
  readonly commands: ReadonlyArray<SimpleCommand>
  /** Every text that a deny pattern is matched against. */
  readonly forms: ReadonlySet<string>
  /** Forms with parts that are known only when the line runs: if a deny pattern could match one, the call is asked. */
  readonly shapes: ReadonlyArray<ReadonlyArray<Segment>>
  /** Why only a rule for the whole line can approve it: the line assigns, writes to a file, or defines a function. */
  readonly delicate: string | undefined
  /** Whether the line consists only of literal commands, joined by `&&`, `||`, `;` or `|`. */
  readonly isPlain: boolean
  /** Why it is unknown what runs: the line is outside the grammar, or decides only when it runs. */
  readonly unknown: string | undefined
}

/** Linux passes no longer argument to a program, so no longer line can run as `bash -c`. */
const maxLength = 131_072
const tooMuch = "it is too long or too deep"
/** The maximum depth of commands that run commands, and of code quoted in code. */
const maxDepth = 16
/**
 * The characters to read, each counted once for every bracket that may make the parser read it again. Limits a line to half a
 * second.
 */
const maxWork = 8_000_000

const openers = /\$[({[]|[<>]\(|`|<<|\(\(/g
const countOpeners = (source: string): number => source.match(openers)?.length ?? 0

const impossibleName = /^$|[\s\p{Cc}\p{Cf}\p{Cs}]/u

const collapse = (text: string): string =>
  /^\s|\s\s|[^\S ]|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text

/** The parser ignores a bracket directly after a command's name, which is a syntax error in bash. */
const isFollowedByBracket = (source: string, end: number): boolean => {
  const bracket = /(?:[ \t]|\\\n)*\(/y
  bracket.lastIndex = end
  return bracket.test(source)
}

/** A part of the line, the source that its positions refer to, its input, and its surroundings. */
interface Visit {
  readonly node: SyntaxNode
  readonly source: string
  readonly fed: ShellInput | undefined
  readonly values: Values
  readonly around: Around
}

const alone: Setting = { around: { repeats: false } }

class Reader implements CommandLine {
  commands: Array<SimpleCommand> = []
  readonly forms = new Set<string>()
  readonly shapes: Array<ReadonlyArray<Segment>> = []
  delicate: string | undefined
  isPlain = false
  unknown: string | undefined
  /** The positions of the line's own commands; undefined once one is not literal. */
  private places: Array<Place> | undefined = []
  private readonly variables = new Set<string>()
  private work = maxWork
  private guessing = false

  /** Called after the whole line was read: a command that depends on other parts of the line is not `plain`. */
  settle(source: string): void {
    this.isPlain = this.places !== undefined && isChain(source, this.places)
    this.commands = this.commands.map((command) =>
      command.plain && dependsOnLine(command, this.variables) ? { ...command, plain: false } : command,
    )
  }

  code(source: string, dialect: Dialect, depth: number, outer: Setting = alone): void {
    if (
      source.length > maxLength ||
      depth > maxDepth ||
      !this.affords(source.length * (1 + countOpeners(source)))
    ) {
      this.unknown ??= tooMuch
      return
    }
    const understood = understand(source, dialect)
    const reading = new Reading()
    // An explicit stack: a sum of ten thousand terms is a tree of that depth.
    const root = parse(source)
    const settled: ReadonlySet<string> = /=|\bfor\b/.test(source) ? settledNames(root) : new Set()
    const { fed, around } = outer
    const stack: Array<Visit> = [{ node: root, source, fed, values: noValues, around }]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, fed, values } = next
      const within = this.visit(next, depth, reading)
      const inputs = inputsWithin(node, fed, dialect)
      const known = valuesWithin(node, values, settled)
      const around = aroundWithin(node, next.around)
      forEachChild(node, (child) =>
        stack.push({ node: child, source: within, fed: inputs(child), values: known(child), around }),
      )
    }
    if (typeof understood === "string") this.unknown = understood
    else if (!reading.agrees(understood)) this.unknown ??= "bash and the parser may read it differently"
    else if (understood.evaluates) this.delicate ??= "`[[` evaluates arithmetic"
  }

  private visit(visit: Visit, depth: number, reading: Reading): string {
    const { node, source } = visit
    this.delicate ??= delicacy(node)
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined && node.errors.length > 0) this.unknown ??= "it is not valid bash"
        return node.source ?? source
      case "CommandExpansion":
      case "ProcessSubstitution":
        if (node.script === undefined) this.unknown ??= "a substitution cannot be read"
        return source
      case "HereDoc":
      case "HereString":
        reading.redirect(node)
        return source
      case "Redirect":
        reading.redirect(node)
        if (node.target) this.redirect(node.operator, shellWord(node.target))
        return source
      case "Command":
        reading.command(node)
        this.command(node, visit, depth)
        return source
      case "Assignment":
        this.variables.add(node.name)
        return source
      case "For":
        this.variables.add(node.name.text)
        return source
      default:
        return source
    }
  }

  private redirect(operator: string, target: ShellWord): void {
    this.forms.add(`${operator} ${target.text}`)
    if (!target.literal)
      this.shapes.push([{ alternatives: [[`${operator} `, ...target.pieces]], optional: false }])
  }

  private command(node: Command, { source, fed, values, around }: Visit, depth: number): void {
    this.forms.add(source.slice(node.pos, node.end))
    const assignments = node.prefix.filter((part) => part.type === "Assignment").map(assignmentWord)
    if (node.name === undefined) {
      if (assignments.length > 0) this.addForms(assignments)
      return
    }
    if (isFollowedByBracket(source, node.name.end)) this.unknown ??= "it is not valid bash"
    if (depth === 0) this.place(node)
    const setting = {
      input: documentOf(node.redirects),
      fed: inputOf(node.redirects, fed),
      around,
      ...(depth === 0 && { written: source.slice(node.pos, node.end) }),
    }
    for (const { args, isFilled } of withValues(node, values)) {
      const rest = args.map((arg) => (arg.type === "Word" ? shellWord(arg) : assignmentWord(arg)))
      const words = [shellWord(node.name), ...rest]
      if (assignments.length > 0) this.addForms([...assignments, ...words])
      // A rule for just this command does not cover values that other parts of the line put into it.
      this.words(words, setting, depth, !isFilled && assignments.length === 0)
    }
  }

  private place({ pos, end, prefix, redirects, name, args }: Command): void {
    const isWrittenOut = [name!, ...args].every((word) => word.type === "Word" && shellWord(word).literal)
    if (prefix.length === 0 && redirects.length === 0 && isWrittenOut) this.places?.push({ pos, end })
    else this.places = undefined
  }

  private words(words: ReadonlyArray<ShellWord>, setting: Setting, depth: number, isWritten = true): void {
    const first = words[0]!
    const text = joinWords(words)
    // A word costs as much as ten characters.
    if (depth > maxDepth || !this.affords(text.length + 10 * words.length)) {
      this.unknown ??= tooMuch
      return
    }
    if (!first.literal) this.unknown ??= "the command is named by an expansion"
    else if (impossibleName.test(first.text)) this.unknown ??= "no command has such a name"
    this.addForms(words)
    const targets = targetsOf(words)
    if (targets === undefined) this.unknown ??= tooMuch
    for (const target of targets ?? []) this.addForms(target.words)
    this.commands.push({ text, plain: isWritten && words.every(isPlain), words, ...setting })
    if (programName(first.text) === "read") for (const { text } of words) this.variables.add(text)
    const { written: _, ...within } = setting
    for (const inner of innerCommands(words, setting.input)) {
      const around = { ...setting.around, ...("around" in inner ? inner.around : undefined) }
      this.inner(inner, { ...within, around }, depth + 1)
    }
  }

  private inner(inner: Inner, setting: Setting, depth: number): void {
    switch (inner._tag) {
      case "Command":
        return this.words(inner.words, setting, depth)
      case "Code":
        if (!inner.literal) this.unknown ??= "a shell reads code that is known only when it runs"
        return this.code(inner.source, inner.dialect, depth, setting)
      case "Guess": {
        // The guesses for a command include those for its suffixes.
        if (this.guessing) return
        const { unknown } = this
        this.guessing = inner.inner._tag === "Command"
        this.inner(inner.inner, setting, depth)
        this.guessing = false
        // A wrong guess may look unknown; only the forms that it adds count.
        this.unknown = unknown
        return
      }
      case "Unseen":
        this.unknown ??= "what it runs is known only when it runs"
        return
      case "Delicate":
        this.delicate ??= "a program does more than its name says"
    }
  }

  private addForms(written: ReadonlyArray<ShellWord>): void {
    const words = written.flatMap(expandedWords)
    const shape = commandShape(words)
    if (shape !== undefined) this.shapes.push(shape)
    const emptied = (list: ReadonlyArray<ShellWord>): string => list.map((word) => word.emptied).join(" ")
    const texts = new Set([joinWords(written), emptied(written), joinWords(words), emptied(words)])
    for (const text of texts) {
      this.forms.add(text)
      const collapsed = collapse(text)
      this.forms.add(collapsed)
      // For a deny pattern, `/bin/rm` is `rm`.
      this.forms.add(collapsed.replace(/^\S*\//, ""))
    }
  }

  private affords(cost: number): boolean {
    this.work -= cost + 1
    return this.work >= 0
  }
}

/** Never throws: a model wrote the source. */
export const readCommandLine = (source: string): CommandLine => {
  const reader = new Reader()
  reader.forms.add(source)
  reader.forms.add(collapse(source))
  try {
    reader.code(source, "bash", 0)
  } catch {
    // The parser recurses: some nestings exhaust the stack before they reach the parser's own limit.
    reader.unknown = tooMuch
  }
  reader.settle(source)
  return reader
}
