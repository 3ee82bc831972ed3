/**
 * Replaces every match of one pattern in a text. A match inside a capture of another is replaced within that capture. A
 * match that overlaps with another's own code is replaced first; the outer one is then searched again at its place.
 */
import type { Grammar, SyntaxNode } from "./grammar.ts"
import { contains, type Match, matchesOf, mayMatch, type NestedMatch, type Span } from "./match.ts"
import { Moves } from "./moves.ts"
import type { Pattern } from "./pattern.ts"
import { Rendering } from "./rendering.ts"
import { StructuralError } from "./structural-error.ts"
import type { Template } from "./template.ts"
import { Trivia } from "./trivia.ts"

export interface Replacement {
  readonly pattern: Pattern
  readonly template: Template
}

/** The counts of a pattern's matches. */
export interface Tally {
  /** Replaced matches. */
  readonly matches: number
  /** Matches not replaced because an overlapping one was. */
  readonly lost: number
  /** Matches skipped because the parser does not understand all of their code. */
  readonly unclear: number
  /** Comments removed with replaced code. */
  readonly comments: number
}

export const noMatches: Tally = { matches: 0, lost: 0, unclear: 0, comments: 0 }

export interface Rewritten extends Tally {
  readonly text: string
}

/** Maximum nesting of matches; genuine code is not nested deeper. */
const maxDepth = 1000
/** How often overlapping matches are searched again: each pass parses the text. */
const maxPasses = 100

/** Nests the matches. Of matches with the same span, only the innermost counts. */
const nest = (matches: ReadonlyArray<Match>): Array<NestedMatch> => {
  const roots: Array<NestedMatch> = []
  const open: Array<NestedMatch> = []
  for (const [index, match] of matches.entries()) {
    const next = matches[index + 1]
    if (next?.start === match.start && next.end === match.end) continue
    while (open.length > 0 && !contains(open.at(-1)!, match)) open.pop()
    const nested = { ...match, inner: [] }
    ;(open.at(-1)?.inner ?? roots).push(nested)
    open.push(nested)
    if (open.length > maxDepth) {
      throw new StructuralError(`Matches are nested more than ${maxDepth} deep. Edit this file by hand.`)
    }
  }
  return roots
}

interface Sorted {
  /** Matches to replace now, in the order of the text, none inside another. */
  readonly now: Array<NestedMatch>
  /** Matches to search again afterwards. */
  readonly later: Array<NestedMatch>
}

/** A match waits if an inner one overlaps with its own code, or waits itself. */
const sort = (matches: ReadonlyArray<NestedMatch>): Sorted => {
  const now: Array<NestedMatch> = []
  const later: Array<NestedMatch> = []
  for (const match of matches) {
    const inner = sort(match.inner)
    const overlaps = match.inner.some(
      (each) => ![...match.captures.values()].some((capture) => contains(capture, each)),
    )
    if (!overlaps && inner.later.length === 0) {
      now.push(match)
    } else {
      now.push(...inner.now)
      later.push(match, ...inner.later)
    }
  }
  return { now, later }
}

const flat = (matches: ReadonlyArray<NestedMatch>): Array<NestedMatch> =>
  matches.flatMap((match) => [match, ...flat(match.inner)])

const keyOf = ({ start, end }: Span): string => `${start}:${end}`

interface Pass {
  readonly text: string
  readonly replaced: ReadonlyArray<Match>
  /** The spans of the waiting matches in the new text. */
  readonly waiting: ReadonlySet<string>
}

const replaceOnce = (
  text: string,
  matches: ReadonlyArray<Match>,
  template: Template,
  findVerbatim: () => ReadonlyArray<Span>,
): Pass => {
  const { now, later } = sort(nest(matches))
  const rendering = new Rendering(text, template, findVerbatim)
  const moves = new Moves()
  let result = ""
  let at = 0
  for (const match of now) {
    const replaced = rendering.match(match)
    result += text.slice(at, match.start) + replaced
    moves.add(match, replaced.length)
    at = match.end
  }
  return {
    text: result + text.slice(at),
    replaced: flat(now),
    waiting: new Set(later.map((match) => keyOf(moves.moved(match)))),
  }
}

/** Multi-line strings and the like. */
const verbatimSpans = (root: SyntaxNode, { language }: Grammar): Array<Span> => {
  const any = language.verbatimKinds.map((kind) => ({ kind }))
  if (any.length === 0) return []
  const ranges = root.findAll({ rule: { any } }).map((node) => node.range())
  return ranges
    .filter(({ start, end }) => start.line < end.line)
    .map(({ start, end }) => ({ start: start.index, end: end.index }))
}

/** Rejects with a StructuralError if the matches cannot be replaced. */
export const rewrite = async (
  grammar: Grammar,
  { pattern, template }: Replacement,
  original: string,
): Promise<Rewritten> => {
  let text = original
  let { matches, lost, unclear, comments } = noMatches
  /** A later pass replaces only the waiting matches, not matches in inserted code. */
  let waiting: ReadonlySet<string> | undefined
  for (let pass = 0; pass < maxPasses && waiting?.size !== 0 && mayMatch(text, pattern); pass++) {
    const root = await grammar.parse(text)
    if (root.find(pattern.matcher) === null) break
    const trivia = new Trivia(root, grammar.language)
    const wanted = waiting
    const all = matchesOf(text, root, pattern, trivia.commentEnds)
    const found = wanted === undefined ? all : all.filter((match) => wanted.has(keyOf(match)))
    const clear = found.filter((match) => !trivia.hasErrorIn(match))
    const result = replaceOnce(text, clear, template, () => verbatimSpans(root, grammar))
    text = result.text
    matches += result.replaced.length
    comments += result.replaced.reduce((sum, match) => sum + trivia.commentsIn(match), 0)
    if (wanted === undefined) unclear = found.length - clear.length
    else lost += wanted.size - new Set(clear.map(keyOf)).size
    waiting = result.waiting
  }
  return { text, matches, lost: lost + (waiting?.size ?? 0), unclear, comments }
}
