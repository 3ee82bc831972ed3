/** Some lines of a text of any length, in bounded memory; all lines are counted. */
import { headOf } from "../../../text/truncation.ts"
import { DEFAULT_MAX_BYTES, type TruncationResult, truncateHead } from "../truncation.ts"

/** One byte more than is shown, to detect that there was more. */
const keptBytes = DEFAULT_MAX_BYTES + 1

export class LineWindow {
  /** Newlines separate lines: a text that ends with one has an empty last line. */
  totalLines = 1
  /** Size of the first line of the window, in bytes. */
  firstLineBytes = 0
  private readonly first: number
  private readonly end: number
  private kept = ""
  private bytes = 0

  /** `first`: 0-based. */
  constructor(first: number, count: number) {
    this.first = first
    this.end = first + count
  }

  push(text: string): void {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) {
        this.totalLines++
        if (this.totalLines - 1 > this.first) this.keep("\n")
      }
      this.keep(piece)
      if (this.totalLines - 1 === this.first) this.firstLineBytes += Buffer.byteLength(piece)
    }
  }

  /** How many lines the window contains. */
  get lines(): number {
    return Math.max(0, Math.min(this.end, this.totalLines) - this.first)
  }

  /** The window's lines, as far as they can be shown. */
  truncation(): TruncationResult {
    return { ...truncateHead(this.kept), totalLines: this.lines, totalBytes: this.bytes }
  }

  private keep(text: string): void {
    const line = this.totalLines - 1
    if (line < this.first || line >= this.end) return
    const room = keptBytes - this.bytes
    this.bytes += Buffer.byteLength(text)
    // Even if a character at the end is cut, the kept text is longer than the limit.
    if (room > 0) this.kept += this.bytes <= keptBytes ? text : headOf(text, room + 3)
  }
}
