/** Tells where offsets of a text have gone after some spans of it were replaced. */
import { firstWhere } from "../text/first-where.ts"
import type { Span } from "./match.ts"

export class Moves {
  private readonly spans: Array<Span> = []
  /** What the text has grown by, before each of the spans and at the end. */
  private readonly growth: Array<number> = [0]

  /** In the order of the text. */
  add(span: Span, length: number): void {
    this.spans.push(span)
    this.growth.push(this.growth.at(-1)! + length - (span.end - span.start))
  }

  /** What the text has grown by before the first span for which it holds. */
  private growthUntil(holds: (span: Span) => boolean): number {
    return this.growth[firstWhere(this.spans, holds)]!
  }

  /** The offsets lie outside of the replaced spans, or on their borders. */
  moved({ start, end }: Span): Span {
    return {
      start: start + this.growthUntil((span) => span.start >= start),
      end: end + this.growthUntil((span) => span.end > end),
    }
  }
}
