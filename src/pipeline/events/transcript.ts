/** The text that a call has streamed, up to a limit, so that a cancel or a time-out can keep it in the result. */
import { maxOutputBytes, tailOf } from "../../text/truncation.ts"

/** The last bytes of a text that fit, cut on a character boundary, after a note with the total length. */
const notedTail = (text: string, totalChars: number): string => {
  if (totalChars === text.length && Buffer.byteLength(text) <= maxOutputBytes) return text
  return `[truncated: the last part of ${totalChars} characters]\n${tailOf(text, maxOutputBytes)}`
}

/** The text that one call streamed: all of it or, past the limit, its end after a note. */
export class Transcript {
  private text = ""
  private total = 0

  append(content: string): void {
    this.total += content.length
    this.text += content
    // Cut only at twice the limit, so that a long stream is not copied for every delta.
    if (this.text.length > 2 * maxOutputBytes) this.text = this.text.slice(-maxOutputBytes)
  }

  /** The text after this number of characters, or its end after a note, with the total number of characters. */
  since(characters: number): { readonly text: string; readonly end: number } {
    const left = this.text.slice(Math.max(0, characters - (this.total - this.text.length)))
    return { text: notedTail(left, this.total - characters), end: this.total }
  }

  toString(): string {
    return notedTail(this.text, this.total)
  }
}
