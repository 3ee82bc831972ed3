/** Maps offsets of a text to offsets after some spans of it were replaced. */
import { firstWhere } from "../text/first-where.ts"
import type { Span } from "./match.ts"

export class Moves {
  private readonly spans: Array<Span> = []
  /** How much the text has grown before each span, and at the end. */
  private readonly growth: Array<number> = [0]

  /** Adds a replaced span and the length of its replacement, in the order of the text. */
  add(span: Span, length: number): void {
    this.spans.push(span)
    this.growth.push(this.growth.at(-1)! + length - (span.end - span.start))
  }

  /** How much the text has grown before the first span that satisfies `holds`. */
  private growthUntil(holds: (span: Span) => boolean): number {
    return this.growth[firstWhere(this.spans, holds)]!
  }

  /** Maps a span whose ends lie outside of the replaced spans, or on their borders. */
  moved({ start, end }: Span): Span {
    return {
      start: start + this.growthUntil((span) => span.start >= start),
      end: end + this.growthUntil((span) => span.end > end),
    }
  }
}
