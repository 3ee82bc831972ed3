/** A text of several lines with a cursor, and the moves and cuts of a line editor. Never splits a grapheme. */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The longest grapheme that is recognised, in characters. */
const reach = 256

const firstLength = (text: string): number => {
  for (const { segment } of graphemes.segment(text.slice(0, reach))) return segment.length
  return 0
}

const lastLength = (text: string): number => {
  let length = 0
  for (const { segment } of graphemes.segment(text.slice(-reach))) length = segment.length
  return length
}

export class TextBuffer {
  text = ""
  /** An index into the text. */
  cursor = 0
  /** The last text that was cut. */
  private cut = ""

  get before(): string {
    return this.text.slice(0, this.cursor)
  }

  get after(): string {
    return this.text.slice(this.cursor)
  }

  set(text: string, cursor = text.length): void {
    this.text = text
    this.cursor = cursor
  }

  insert(text: string): void {
    this.text = this.before + text + this.after
    this.cursor += text.length
  }

  /** Replaces the text between an index and the cursor. */
  replaceFrom(start: number, text: string): void {
    this.text = this.text.slice(0, start) + text + this.after
    this.cursor = start + text.length
  }

  deleteBefore(): void {
    this.remove(this.cursor - lastLength(this.before), this.cursor)
  }

  deleteAfter(): void {
    this.remove(this.cursor, this.cursor + firstLength(this.after))
  }

  left(): void {
    this.cursor -= lastLength(this.before)
  }

  right(): void {
    this.cursor += firstLength(this.after)
  }

  wordLeft(): void {
    this.cursor = this.wordStart()
  }

  wordRight(): void {
    this.cursor = this.wordEnd()
  }

  lineStart(): void {
    this.cursor = this.startOfLine()
  }

  lineEnd(): void {
    this.cursor = this.endOfLine()
  }

  /** Moves up. Returns false on the first line. */
  up(): boolean {
    const start = this.startOfLine()
    if (start === 0) return false
    const above = this.text.lastIndexOf("\n", start - 2) + 1
    this.cursor = Math.min(above + this.cursor - start, start - 1)
    return true
  }

  /** Moves down. Returns false on the last line. */
  down(): boolean {
    const end = this.endOfLine()
    if (end === this.text.length) return false
    const column = this.cursor - this.startOfLine()
    const nextEnd = this.text.indexOf("\n", end + 1)
    this.cursor = Math.min(end + 1 + column, nextEnd === -1 ? this.text.length : nextEnd)
    return true
  }

  cutToLineEnd(): void {
    const end = this.endOfLine()
    // At the end of a line, cuts the line end itself.
    this.cutRange(this.cursor, end === this.cursor ? Math.min(end + 1, this.text.length) : end)
  }

  cutToLineStart(): void {
    const start = this.startOfLine()
    this.cutRange(start === this.cursor ? Math.max(0, start - 1) : start, this.cursor)
  }

  cutWordBefore(): void {
    this.cutRange(this.wordStart(), this.cursor)
  }

  cutWordAfter(): void {
    this.cutRange(this.cursor, this.wordEnd())
  }

  paste(): void {
    this.insert(this.cut)
  }

  private startOfLine(): number {
    return this.cursor === 0 ? 0 : this.text.lastIndexOf("\n", this.cursor - 1) + 1
  }

  private endOfLine(): number {
    const end = this.text.indexOf("\n", this.cursor)
    return end === -1 ? this.text.length : end
  }

  private wordStart(): number {
    const words = this.before.trimEnd()
    let start = words.length
    while (start > 0 && /\S/.test(words[start - 1]!)) start -= 1
    return start
  }

  private wordEnd(): number {
    return this.cursor + /^\s*\S*/.exec(this.after)![0].length
  }

  private cutRange(start: number, end: number): void {
    if (start === end) return
    this.cut = this.text.slice(start, end)
    this.remove(start, end)
  }

  private remove(start: number, end: number): void {
    this.text = this.text.slice(0, start) + this.text.slice(end)
    this.cursor = start
  }
}
