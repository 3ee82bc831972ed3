export type PageTurn = "next" | "back" | "end"

/**
 * Rows that must have been seen before something may be decided, a page at a time. Seen is what was drawn: turning two
 * pages before the screen could show the first of them turns one. Who goes to the end has chosen to decide without the rest.
 */
export class Pager {
  private subject: unknown
  private rows: ReadonlyArray<string> = []
  private size = 0
  private top = 0
  /** Rows from the first on that have been on the screen. */
  private seen = 0
  /** From this row on all have been, too. */
  private tail = 0
  private isAtEnd = false
  private isRead = false
  private isDrawn = false

  /**
   * Says what there is to see, and on how many rows.
   *
   * @param subject What the rows are about: another one has not been seen at all.
   * @param rows The same array as long as they are broken in the same places.
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

  /** How many rows stand below those of this page. */
  get below(): number {
    return Math.max(0, this.rows.length - this.top - this.size)
  }

  /** Whether one page does not hold all. */
  get hasPages(): boolean {
    return this.rows.length > this.size
  }

  /** Whether more is below than somebody would page through. */
  get isLong(): boolean {
    return this.below > 2 * this.size
  }

  /** How many rows were passed over on the way to the end, once this page was on the screen. */
  get passed(): number {
    const [seen, tail] = this.seenWithPage
    return Math.max(0, tail - seen)
  }

  /** Whether all of it has been on the screen, or the end was asked for. */
  get isWholeSeen(): boolean {
    return this.isRead
  }

  /** The page is on the screen now. */
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
