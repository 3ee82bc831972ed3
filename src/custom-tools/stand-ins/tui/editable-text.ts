/** A text with a cursor in it, and what keys do to both. The cursor stands between characters as people see them. */
import { matchesKey, typedText } from "./keys.ts"

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** How many UTF-16 units the first and the last character of a text take. */
const firstLength = (text: string): number => {
  for (const { segment } of graphemes.segment(text)) return segment.length
  return 0
}

const lastLength = (text: string): number => {
  // Enough to find where the last character starts.
  let length = 0
  for (const { segment } of graphemes.segment(text.slice(-64))) length = segment.length
  return length
}

const wordBefore = /(?:[^\s]+|)\s*$/

export class EditableText {
  text = ""
  /** An offset into the text. */
  cursor = 0

  get before(): string {
    return this.text.slice(0, this.cursor)
  }

  get after(): string {
    return this.text.slice(this.cursor)
  }

  set(text: string): void {
    this.text = text
    this.cursor = text.length
  }

  insert(text: string): void {
    this.text = this.before + text + this.after
    this.cursor += text.length
  }

  /** False for data that means nothing here. */
  handle(data: string): boolean {
    const action = this.actionOf(data)
    if (action === undefined) return false
    action()
    return true
  }

  private get lineStart(): number {
    return this.before.lastIndexOf("\n") + 1
  }

  private get lineEnd(): number {
    const end = this.text.indexOf("\n", this.cursor)
    return end === -1 ? this.text.length : end
  }

  private actionOf(data: string): (() => void) | undefined {
    const is = (...ids: Array<string>) => ids.some((id) => matchesKey(data, id))
    if (is("left", "ctrl+b")) return () => this.moveTo(this.cursor - lastLength(this.before))
    if (is("right", "ctrl+f")) return () => this.moveTo(this.cursor + firstLength(this.after))
    if (is("home", "ctrl+a")) return () => this.moveTo(this.lineStart)
    if (is("end", "ctrl+e")) return () => this.moveTo(this.lineEnd)
    if (is("up")) return () => this.moveLine(this.lineStart - 1)
    if (is("down")) return () => this.moveLine(this.lineEnd + 1)
    if (is("backspace")) return () => this.remove(this.cursor - lastLength(this.before), this.cursor)
    if (is("delete", "ctrl+d")) return () => this.remove(this.cursor, this.cursor + firstLength(this.after))
    if (is("ctrl+w", "alt+backspace"))
      return () => this.remove(wordBefore.exec(this.before)!.index, this.cursor)
    if (is("ctrl+u")) return () => this.remove(this.lineStart, this.cursor)
    if (is("ctrl+k")) return () => this.remove(this.cursor, this.lineEnd)
    const typed = typedText(data)
    return typed === undefined ? undefined : () => this.insert(typed)
  }

  private moveTo(offset: number): void {
    this.cursor = Math.max(0, Math.min(offset, this.text.length))
  }

  /** To the line that holds an offset, as far from its start as now. */
  private moveLine(offset: number): void {
    if (offset < 0 || offset > this.text.length) return
    const column = this.cursor - this.lineStart
    this.cursor = offset
    this.moveTo(Math.min(this.lineStart + column, this.lineEnd))
  }

  private remove(start: number, end: number): void {
    this.text = this.text.slice(0, start) + this.text.slice(end)
    this.cursor = start
  }
}
