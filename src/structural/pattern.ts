/**
 * Validates and prepares a pattern before a search. ast-grep itself accepts a pattern that does not parse, and then finds
 * nothing.
 */
import { faultsOf } from "./faults.ts"
import type { Grammar, Matcher, SyntaxNode } from "./grammar.ts"
import { capturesOf, isMetaVariable, metaVariablesOf, withLetters } from "./meta-variable.ts"
import { StructuralError } from "./structural-error.ts"

export interface Pattern {
  readonly source: string
  /** The pattern in ast-grep's form. */
  readonly matcher: Matcher
  /** The spellings of its capturing metavariables: `$A`, `$$$ARGS`. */
  readonly captures: ReadonlySet<string>
  /** Words that every matching text contains. */
  readonly words: ReadonlyArray<string>
}

/** The innermost node of exactly this span. */
const nodeAt = (root: SyntaxNode, start: number, end: number): SyntaxNode | undefined => {
  let node = root
  let found: SyntaxNode | undefined
  for (;;) {
    const range = node.range()
    if (range.start.index === start && range.end.index === end) found = node
    const next = node.children().find((child) => {
      const inner = child.range()
      return inner.start.index <= start && inner.end.index >= end
    })
    if (next === undefined) return found
    node = next
  }
}

/** Named leaves match only their own text. */
const wordsOf = (node: SyntaxNode, letter: string): Array<string> => {
  const children = node.children()
  if (children.length > 0) return children.flatMap((child) => wordsOf(child, letter))
  const text = node.text()
  const isWord = node.isNamed() && /^[\p{L}_]\w*$/u.test(text) && !text.includes(letter)
  return isWord && !node.kind().includes("comment") ? [text] : []
}

/** Whether the pattern parses. A statement can lack its end, and a metavariable can be where the grammar does not allow a name. */
const isComplete = (root: SyntaxNode, source: string, { language }: Grammar): boolean => {
  const names = metaVariablesOf(source).map((each) => withLetters(each, language.metaVariableLetter))
  return faultsOf(root, language).every(({ text, kind }) =>
    text === "" ? kind === ";" : text.split(/\s+/).every((word) => names.includes(word)),
  )
}

const inContext = (grammar: Grammar, source: string): Pattern | undefined => {
  const { language } = grammar
  const code = withLetters(source, language.metaVariableLetter)
  for (const [before, after] of language.contexts) {
    const root = grammar.parseNow(before + code + after)
    if (!isComplete(root, source, grammar)) continue
    const start = before.length
    const node = nodeAt(root, start, start + code.length)
    const pattern = {
      source,
      captures: capturesOf(source),
      words: wordsOf(node ?? root, language.metaVariableLetter),
    }
    if (before === "") return { ...pattern, matcher: source }
    const kind = node === undefined ? undefined : node.kind()
    if (kind === undefined || kind === "statement_list") continue
    // ast-grep uses the first node of the kind, which must be the pattern's.
    if (root.find({ rule: { kind } })?.id() !== node?.id()) continue
    const context = before + source + after
    return { ...pattern, matcher: { rule: { pattern: { context, selector: kind } } } }
  }
  return undefined
}

/** Throws a StructuralError that explains what is wrong with the pattern. */
export const compilePattern = (grammar: Grammar, text: string): Pattern => {
  const source = text.trim()
  if (source === "") throw new StructuralError("The pattern is empty. Give the code to look for.")
  if (isMetaVariable(source)) {
    throw new StructuralError(
      `The pattern ${source} stands for any code. Put it into some code, such as name(${source}).`,
    )
  }
  const pattern = inContext(grammar, source)
  if (pattern === undefined) {
    throw new StructuralError(
      `The pattern ${source} is not valid ${grammar.language.name}. It must be one complete piece of code: close its brackets, or name the language with lang.`,
    )
  }
  try {
    grammar.parseNow("").findAll(pattern.matcher)
  } catch (cause) {
    const { message } = cause as Error
    if (message.includes("Multiple AST nodes")) {
      throw new StructuralError(
        `The pattern ${source} is more than one piece of code. Give one statement or expression, or put them into a block.`,
        { cause },
      )
    }
    throw new StructuralError(`The pattern ${source} cannot be searched for: ${message}`, { cause })
  }
  return pattern
}
