/** Changes the text of a file of UTF-8, which keeps its byte order mark. */
import { withUnixEndings } from "./text-edits.ts"

const byteOrderMark = "\uFEFF"

/** The text of UTF-8 bytes, including a byte order mark; undefined for other bytes. */
export const strictText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export interface ChangedText {
  /** The whole new text. */
  readonly content: string
  /** For a diff: with LF endings, and without the byte order mark. */
  readonly before: string
  readonly after: string
}

/** Returns undefined for bytes that are not UTF-8 text. `change` gets and returns the text without its byte order mark. */
export const changedText = (bytes: Uint8Array, change: (text: string) => string): ChangedText | undefined => {
  const whole = strictText(bytes)
  if (whole === undefined) return undefined
  const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : ""
  const before = whole.slice(mark.length)
  const after = change(before)
  return { content: mark + after, before: withUnixEndings(before), after: withUnixEndings(after) }
}
