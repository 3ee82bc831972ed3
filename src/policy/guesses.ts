/**
 * The operands that an unknown program may run: `npx npm publish`, `hyperfine 'npm publish'`. Only deny rules are applied to such
 * guesses, and a match only asks, because the operand may just as well be text.
 */
import { BoundedPattern, type Matching } from "./bounded-pattern.ts"
import { readCommandLine, type SimpleCommand } from "./command-line.ts"
import { bareName, commandShape, guessedShape, scatteredShapes, unknownShape } from "./command-shape.ts"
import { names } from "./names.ts"
import { firstCommandWord, hasDataOperands, unknownCommand } from "./operand-roles.ts"
import { mayMatch } from "./possible-match.ts"
import { powersOf } from "./power-options.ts"
import { findRule, type Rule } from "./rules.ts"
import { expandedWords, type ShellWord } from "./shell-word.ts"

/** Programs whose output is data, unless another program reads it. */
const printers = new Set(names("echo printf"))
const feeds = /\||[<>$]\(|`|\bcoproc\b/

/** The positions at which a command may begin in a text: not within a word or a path. */
const commandStart = "(?<![\\w./@-])"
/** `^rm\b` means `rm`, and neither `rm.ts` nor `rm-all`. */
const nameEnd = "\\b(?![.@/-]\\w)"
const token = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\^/g

const unanchored = (text: string): string => {
  if (text === "^") return commandStart
  return text === "\\b" ? nameEnd : text
}

/** Names of no program: a rule that matches one does not name what it denies. */
const unusedNames = ["zzz", "zzz zzz"]

/** A rule for a command that begins anywhere in a text; undefined for a rule that is not anchored. */
type Anywhere = BoundedPattern | undefined

const anywheres = new WeakMap<Rule, Anywhere>()

const anywhereOf = (rule: Rule): Anywhere => {
  if (anywheres.has(rule)) return anywheres.get(rule)
  const { source } = rule.regex
  const isAnchored = [...source.matchAll(token)].some(([text]) => text === "^")
  const anywhere = isAnchored ? new BoundedPattern(source.replace(token, unanchored)) : undefined
  anywheres.set(rule, anywhere)
  return anywhere
}

const isSpecific = ({ regex }: Rule): boolean => unusedNames.every((name) => regex.match(name) === undefined)

/** The maximum depth of code quoted in code. */
const maxDepth = 4
/** The total number of characters that are read again, plus a fixed cost for each text. */
const maxWork = 100_000
const textCost = 200

/** A text unchanged, without escapes, and without the brackets, commas and quotes of other languages. */
const formsOf = (text: string): ReadonlyArray<string> => [
  text,
  unescaped(text).replace(/\s+/g, " "),
  text.replace(/[\s"'`,;()[\]{}]+/g, " "),
]

/** Decodes escapes as `printf` and makefiles do. */
const unescaped = (text: string): string => text.replace(/\\[abefnrtv]/g, "\n")

/** Removes the folders of all paths, wherever a path begins: a program other than a shell may read the text. */
const withoutFolders = (text: string): string => text.replace(/(?<![\w.@~/-])(?:[\w.@~-]*\/)+(?=\w)/g, "")

const textsOf = (words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => [
  ...formsOf(words.map((word) => word.text).join(" ")),
  words.map((word) => bareName(word.text)).join(" "),
  words.map((word) => word.emptied).join(" "),
]

/** Whether a shell would read the text as something other than one plain word. */
const mayBeCode = ({ text, literal }: ShellWord): boolean =>
  /\s/.test(text) || (literal && /['"\\{$`;&|(<>]/.test(text))

class Guesses {
  private readonly rules: ReadonlyArray<Rule>
  private readonly matching: Matching
  private readonly isPrintRead: boolean
  private work = maxWork

  constructor(rules: ReadonlyArray<Rule>, matching: Matching, isPrintRead: boolean) {
    this.rules = rules.filter(isSpecific)
    this.matching = matching
    this.isPrintRead = isPrintRead
  }

  /** The first rule that matches a command that may run, besides the known ones. */
  find(command: SimpleCommand, depth = 0): Rule | undefined {
    const { words, input } = command
    const [name, ...args] = words
    if (name === undefined || this.rules.length === 0) return undefined
    const program = bareName(name.text)
    const isPrinter = printers.has(program) && !this.isPrintRead
    const isData = isPrinter || (hasDataOperands(words) && powersOf(command).length === 0)
    // A program whose operands are data passes on only its input.
    if (isData && !this.isPrintRead) return undefined
    const found =
      input && (this.inCode(input.text, depth) ?? (isData ? undefined : this.inTexts(formsOf(input.text))))
    if (found !== undefined || isData || args.length === 0) return found
    const expanded = words.flatMap(expandedWords)
    return (
      this.amongWords(expanded, firstCommandWord(words)) ??
      this.amongShapes(expanded) ??
      this.inWords(args, depth)
    )
  }

  /** Looks at commands whose words are not adjacent, and at commands that are known only when the line runs. */
  private amongShapes(words: ReadonlyArray<ShellWord>): Rule | undefined {
    const shapes = scatteredShapes(words)
    const unknown = unknownCommand(words)
    if (unknown !== undefined) shapes.push(unknownShape(words.slice(unknown)))
    return this.rules.find(({ regex }) => mayMatch(regex, shapes))
  }

  /** @param from The first word that may begin a command. */
  private amongWords(words: ReadonlyArray<ShellWord>, from: number): Rule | undefined {
    const found = this.inTexts(textsOf(words.slice(from)))
    const shape = guessedShape(words, from)
    if (found !== undefined || shape === undefined) return found
    return this.rules.find((rule) => anywhereOf(rule) !== undefined && mayMatch(rule.regex, [shape]))
  }

  private inTexts(texts: ReadonlyArray<string>): Rule | undefined {
    const { rules, matching } = this
    return rules.find((rule) => {
      const anywhere = anywhereOf(rule)
      return anywhere !== undefined && texts.some((text) => matching.match(anywhere, text) !== undefined)
    })
  }

  private inWords(words: ReadonlyArray<ShellWord>, depth: number): Rule | undefined {
    const code = words.filter(mayBeCode)
    if (code.length === 0) return undefined
    // Some programs join their operands, as `eval` does.
    const texts = new Set([...code.map((word) => word.text), words.map((word) => word.text).join(" ")])
    // `-c'npm publish'`
    for (const { text } of code) if (/^-\w\S*\s/.test(text)) texts.add(text.slice(2))
    for (const text of texts) {
      const found = this.inCode(text, depth)
      if (found !== undefined) return found
    }
    return undefined
  }

  private inCode(source: string, depth: number): Rule | undefined {
    const decoded = unescaped(source)
    return this.read(source, depth) ?? (decoded === source ? undefined : this.read(decoded, depth))
  }

  private read(source: string, depth: number): Rule | undefined {
    this.work -= source.length + textCost
    // The unread rest may be anything.
    if (this.work < 0 || depth >= maxDepth) return this.rules[0]
    const { rules, matching } = this
    const { forms, commands } = readCommandLine(source)
    for (const form of forms) {
      const rule = findRule(rules, form, matching)
      if (rule !== undefined) return rule
    }
    const bare = withoutFolders(source)
    const unread = rules.find((rule) => matching.match(anywhereOf(rule) ?? rule.regex, bare) !== undefined)
    if (unread !== undefined) return unread
    for (const command of commands) {
      if (!command.words[0]!.literal) continue
      const shape = commandShape(command.words.flatMap(expandedWords))
      const rule =
        (shape && rules.find(({ regex }) => mayMatch(regex, [shape]))) ?? this.find(command, depth + 1)
      if (rule !== undefined) return rule
    }
    return undefined
  }
}

export interface GuessedDeny {
  readonly rule: Rule
  readonly command: SimpleCommand
}

/** The first deny rule that matches a command which a line may run without naming it. */
export const guessedDeny = (
  rules: ReadonlyArray<Rule>,
  source: string,
  commands: ReadonlyArray<SimpleCommand>,
  matching: Matching,
): GuessedDeny | undefined => {
  if (rules.length === 0) return undefined
  const isPrintRead = feeds.test(source) || commands.some(({ text }) => feeds.test(text))
  const guesses = new Guesses(rules, matching, isPrintRead)
  for (const command of commands) {
    const rule = guesses.find(command)
    if (rule !== undefined) return { rule, command }
  }
  return undefined
}
