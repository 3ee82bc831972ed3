/** What a pattern does not see: comments, and code that the parser does not understand. A replacement would drop it. */
import { firstWhere } from "../text/first-where.ts"
import type { SyntaxNode } from "./grammar.ts"
import type { Language } from "./language.ts"
import { contains, type Match, type Span } from "./match.ts"

const spansOf = (root: SyntaxNode, kinds: ReadonlyArray<string>): Array<Span> =>
  root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } }).map((node) => {
    const { start, end } = node.range()
    return { start: start.index, end: end.index }
  })

/** In spans that are ordered by their starts, those inside of a match that it does not capture. */
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
  /** Where comments end. */
  readonly commentEnds: ReadonlySet<number>
  private readonly comments: ReadonlyArray<Span>
  private readonly errors: ReadonlyArray<Span>

  constructor(root: SyntaxNode, { commentKinds }: Language) {
    this.comments = spansOf(root, commentKinds)
    this.errors = spansOf(root, ["ERROR"]).filter(({ start, end }) => start < end)
    this.commentEnds = new Set(this.comments.map(({ end }) => end))
  }

  /** How many comments would go with the match. */
  commentsIn(match: Match): number {
    return dropped(this.comments, match)
  }

  hasErrorIn(match: Match): boolean {
    return dropped(this.errors, match) > 0
  }
}
