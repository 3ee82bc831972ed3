/**
 * Replaces strings in a text, each of which must occur exactly once. In a text with CRLF, an LF in an edit matches both;
 * inserted text gets the line ending of its surroundings, and all other endings are kept.
 */
import type { TextEdit } from "../model/host-effect.ts"
import { ToolError } from "../model/step.ts"

/** Replaces each CRLF with LF. */
export const withUnixEndings = (text: string): string => text.replaceAll("\r\n", "\n")

/** Throws a ToolError for half of a surrogate pair, as a text has that was cut: a file would get U+FFFD for it. */
export const expectWholeCharacters = (text: string, what: string): void => {
  if (/\p{Surrogate}/u.test(text))
    throw new ToolError(`${what} has half of a character (one of two surrogates). Give whole characters.`)
}

const count = (text: string, part: string): number => {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++
  return found
}

/** Returns the offset of the only occurrence of `part`. Overlapping occurrences count as two. */
const findOnce = (text: string, part: string, label: string): number => {
  const at = text.indexOf(part)
  if (at === -1) throw new ToolError(`${label}: old_string not found in file. ${notFoundAdvice(part)}`)
  if (text.indexOf(part, at + 1) === -1) return at
  const times = Math.max(2, count(text, part))
  throw new ToolError(
    `${label}: old_string found ${times} times (must be unique). Include more surrounding context to make the match unique.`,
  )
}

const notFoundAdvice = (part: string): string =>
  /^ *\d+│/m.test(part)
    ? "Leave out the line numbers that read_file shows."
    : "It must match exactly, with all whitespace, in the text as the earlier edits left it. Read the file again and copy the text from it."

/** Converts an offset in a text with LFs to the offset in the same text with CRLFs. */
export const originalOffset = (text: string, unixOffset: number): number => {
  let offset = unixOffset
  for (let at = text.indexOf("\r\n"); at !== -1 && at < offset; at = text.indexOf("\r\n", at + 2)) offset++
  return offset
}

const applyEdit = (text: string, edit: TextEdit, label: string): string => {
  if (!text.includes("\r\n")) {
    const start = findOnce(text, edit.old_string, label)
    return text.slice(0, start) + edit.new_string + text.slice(start + edit.old_string.length)
  }
  const oldText = withUnixEndings(edit.old_string)
  const found = findOnce(withUnixEndings(text), oldText, label)
  const start = originalOffset(text, found)
  const end = originalOffset(text, found + oldText.length)
  const newText = withUnixEndings(edit.new_string)
  const replaced = text.slice(start, end)
  const usesLf = replaced.includes("\n") ? !replaced.includes("\r\n") : isLfLine(text, end)
  return text.slice(0, start) + (usesLf ? newText : newText.replaceAll("\n", "\r\n")) + text.slice(end)
}

/** Whether the line at an offset ends with a bare LF; the last line counts as one with CRLF. */
const isLfLine = (text: string, offset: number): boolean => {
  const at = text.indexOf("\n", offset)
  return at > 0 && text[at - 1] !== "\r"
}

/** Applies the edits in order, each to the result of the earlier ones. Throws a ToolError that names the edit. */
export const applyTextEdits = (text: string, edits: ReadonlyArray<TextEdit>): string => {
  if (edits.length === 0) throw new ToolError("No edits given. Give at least one { old_string, new_string }.")
  return edits.reduce((current, edit, index) => {
    const label = `Edit ${index + 1}`
    if (edit.old_string === "") {
      throw new ToolError(
        `${label}: old_string is empty. Give the text to replace; use write_file for a new file.`,
      )
    }
    if (edit.old_string === edit.new_string) {
      throw new ToolError(`${label}: old_string and new_string are the same. There is nothing to change.`)
    }
    expectWholeCharacters(edit.old_string, `${label}: old_string`)
    expectWholeCharacters(edit.new_string, `${label}: new_string`)
    return applyEdit(current, edit, label)
  }, text)
}
