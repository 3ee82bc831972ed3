/** The matches of a pattern in a text, with their captures. */
import type { SyntaxNode } from "./grammar.ts"
import type { Pattern } from "./pattern.ts"

/** Offsets in a text; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Match extends Span {
  /** By the metavariable's spelling. A metavariable that captures no node is absent. */
  readonly captures: ReadonlyMap<string, Span>
}

/** A match with its inner matches, in the order of the text. */
export interface NestedMatch extends Match {
  readonly inner: Array<NestedMatch>
}

export const contains = (outer: Span, inner: Span): boolean =>
  outer.start <= inner.start && inner.end <= outer.end

/** Whether a text can match. Parsing texts that cannot would take most of the time of a search. */
export const mayMatch = (text: string, { words }: Pattern): boolean =>
  words.every((word) => text.includes(word))

const spanOf = (first: SyntaxNode, last = first): Span => ({
  start: first.range().start.index,
  end: last.range().end.index,
})

const capturedBy = (node: SyntaxNode, spelling: string): Span | undefined => {
  if (!spelling.startsWith("$$$")) {
    const captured = node.getMatch(spelling.slice(1))
    return captured === null ? undefined : spanOf(captured)
  }
  // Go has nodes for line ends, and lists of statements that end with one.
  const nodes = node.getMultipleMatches(spelling.slice(3))
  const all = nodes.filter((each) => each.isNamed() || each.text().trim() !== "")
  const last = all.at(-1)
  if (last === undefined) return undefined
  const { start, end } = spanOf(all[0]!, last)
  const text = last.text()
  return { start, end: last.isLeaf() ? end : end - (text.length - text.trimEnd().length) }
}

/**
 * The span of a match. A match of `const $A = $B` excludes the semicolon that ends the statement, and every match excludes a
 * comment at its end, which some grammars include in the statement.
 */
const matchSpan = (node: SyntaxNode, { source }: Pattern, text: string, ends: ReadonlySet<number>): Span => {
  const { start, end } = spanOf(node)
  const ending = text[end - 1]
  const hasOwnEnd = (ending !== ";" && ending !== ",") || source.endsWith(ending)
  if (hasOwnEnd && !ends.has(end)) return { start, end }
  const isOutside = (child: SyntaxNode): boolean =>
    ends.has(child.range().end.index) || (!hasOwnEnd && child.text() === ending)
  const last = node.children().findLast((child) => !isOutside(child))
  return { start, end: last === undefined ? end : spanOf(last).end }
}

/**
 * The matches in the text with this root, in the order of their starts, outer ones before inner ones. `commentEnds`: the
 * offsets at which comments end.
 */
export const matchesOf = (
  text: string,
  root: SyntaxNode,
  pattern: Pattern,
  commentEnds: ReadonlySet<number> = new Set(),
): Array<Match> =>
  root.findAll(pattern.matcher).map((node) => {
    const captures = new Map<string, Span>()
    for (const spelling of pattern.captures) {
      const span = capturedBy(node, spelling)
      if (span !== undefined) captures.set(spelling, span)
    }
    return { ...matchSpan(node, pattern, text, commentEnds), captures }
  })
