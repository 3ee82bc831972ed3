/** The text that a pattern does not see, and a replacement would drop: comments, and code that the parser does not understand. */
import { firstWhere } from "../text/first-where.ts"
import type { SyntaxNode } from "./grammar.ts"
import type { Language } from "./language.ts"
import { contains, type Match, type Span } from "./match.ts"

const spansOf = (root: SyntaxNode, kinds: ReadonlyArray<string>): Array<Span> =>
  root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } }).map((node) => {
    const { start, end } = node.range()
    return { start: start.index, end: end.index }
  })

/** Counts the spans inside a match that it does not capture. `spans`: ordered by their starts. */
const dropped = (spans: ReadonlyArray<Span>, match: Match): number => {
  const first = firstWhere(spans, ({ start }) => start >= match.start)
  let count = 0
  for (let at = first; at < spans.length && spans[at]!.start < match.end; at++) {
    const span = spans[at]!
    const isCaptured = [...match.captures.values()].some((capture) => contains(capture, span))
    if (span.end <= match.end && !isCaptured) count += 1
  }
  return count
}

export class Trivia {
  /** The offsets at which comments end. */
  readonly commentEnds: ReadonlySet<number>
  private readonly comments: ReadonlyArray<Span>
  private readonly errors: ReadonlyArray<Span>

  constructor(root: SyntaxNode, { commentKinds }: Language) {
    this.comments = spansOf(root, commentKinds)
    this.errors = spansOf(root, ["ERROR"]).filter(({ start, end }) => start < end)
    this.commentEnds = new Set(this.comments.map(({ end }) => end))
  }

  /** How many comments a replacement of the match would remove. */
  commentsIn(match: Match): number {
    return dropped(this.comments, match)
  }

  hasErrorIn(match: Match): boolean {
    return dropped(this.errors, match) > 0
  }
}
