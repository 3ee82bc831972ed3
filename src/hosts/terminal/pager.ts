export type PageTurn = "next" | "back" | "end"

/**
 * Rows that must be seen, page by page, before a decision. Only drawn rows count as seen: two page turns before the next
 * frame turn one page. A user who goes to the end chooses to decide without the rest.
 */
export class Pager {
  private subject: unknown
  private rows: ReadonlyArray<string> = []
  private size = 0
  private top = 0
  /** The number of rows from the start that have been on the screen. */
  private seen = 0
  /** All rows from this index on have been on the screen, too. */
  private tail = 0
  private isAtEnd = false
  private isRead = false
  private isDrawn = false

  /**
   * Sets the rows, and how many fit a page.
   *
   * @param subject What the rows are about: no rows of a new subject have been seen.
   * @param rows The same array while the rows are broken at the same places.
   */
  lay(subject: unknown, rows: ReadonlyArray<string>, size: number): void {
    if (subject !== this.subject) this.isRead = false
    if (subject !== this.subject || rows !== this.rows) {
      this.top = 0
      this.seen = 0
      this.tail = rows.length
      this.isAtEnd = false
    }
    this.subject = subject
    this.rows = rows
    this.size = size
    this.top = Math.max(0, Math.min(this.top, rows.length - size))
    this.isDrawn = false
  }

  get page(): ReadonlyArray<string> {
    return this.rows.slice(this.top, this.top + this.size)
  }

  /** The number of rows below this page. */
  get below(): number {
    return Math.max(0, this.rows.length - this.top - this.size)
  }

  /** Whether there is more than one page. */
  get hasPages(): boolean {
    return this.rows.length > this.size
  }

  /** Whether the rest is too long for a person to page through. */
  get isLong(): boolean {
    return this.below > 2 * this.size
  }

  /** The number of rows that were skipped on the way to the end, once this page was on the screen. */
  get passed(): number {
    const [seen, tail] = this.seenWithPage
    return Math.max(0, tail - seen)
  }

  /** Whether all rows have been on the screen, or the user went to the end. */
  get isWholeSeen(): boolean {
    return this.isRead
  }

  /** Records that the page is on the screen. */
  drawn(): void {
    this.isDrawn = true
    ;[this.seen, this.tail] = this.seenWithPage
    if (this.passed === 0 || this.isAtEnd) this.isRead = true
  }

  next(): void {
    if (this.isDrawn && this.below > 0) this.turn(this.top + Math.max(1, this.size))
  }

  back(): void {
    if (this.isDrawn) this.turn(this.top - Math.max(1, this.size))
  }

  end(): void {
    if (!this.isDrawn || this.below === 0 || this.size === 0) return
    this.turn(this.rows.length)
    this.isAtEnd = true
  }

  private get seenWithPage(): [seen: number, tail: number] {
    const { top, seen, tail } = this
    const bottom = top + this.size
    return [top <= seen ? Math.max(seen, bottom) : seen, bottom >= tail ? Math.min(tail, top) : tail]
  }

  private turn(top: number): void {
    this.top = Math.max(0, Math.min(top, this.rows.length - this.size))
    this.isDrawn = false
  }
}
