/** Tells where offsets of a text have gone after some spans of it were replaced. */
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

  /** `isBefore` holds for the first so many of the spans. */
  private growthBefore(isBefore: (span: Span) => boolean): number {
    let low = 0
    let high = this.spans.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(this.spans[middle]!)) low = middle + 1
      else high = middle
    }
    return this.growth[low]!
  }

  /** The offsets lie outside of the replaced spans, or on their borders. */
  moved({ start, end }: Span): Span {
    return {
      start: start + this.growthBefore((span) => span.start < start),
      end: end + this.growthBefore((span) => span.end <= end),
    }
  }
}
