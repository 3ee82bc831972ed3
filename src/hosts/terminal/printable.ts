/**
 * Makes untrusted text safe to print: it cannot move the cursor, colour or clear the screen, set the title, or reorder
 * what is shown. Linear in the length of the text.
 */
import { withoutTrailing } from "../../text/without-trailing.ts"

/** Whole escape sequences: CSI, the string sequences (OSC, DCS, SOS, PM, APC), and the short ones. */
const escapeSequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-Z\\-~]/g

const colorSequence = /^\u001b\[[\d;:]*m$/

/** C0 except tab and newline, DEL, C1, line separators, and marks that reverse the direction (a `txt.exe` that reads `exe.txt`). */
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const needsCare = new RegExp(unprintable.source)

const visible = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? "\u2421" : "\ufffd"
}

/** The last state of a line with carriage returns, such as a progress bar's. */
const afterCarriageReturn = (line: string): string => {
  const trimmed = withoutTrailing(line, "\r")
  return trimmed.slice(trimmed.lastIndexOf("\r") + 1)
}

/**
 * Escape sequences are removed, other control characters become visible symbols (`␇`, `�`), a line that was
 * overwritten with carriage returns shows its last state. Tabs and newlines stay.
 *
 * @param options.keepColors Leaves colour sequences (SGR) in, for renderers that are meant to colour. Default false.
 */
export const printable = (text: string, options?: { readonly keepColors?: boolean }): string => {
  if (!needsCare.test(text)) return text
  const lines = text.includes("\r") ? text.split("\n").map(afterCarriageReturn).join("\n") : text
  if (options?.keepColors !== true) return lines.replace(escapeSequences, "").replace(unprintable, visible)
  let clean = ""
  let end = 0
  for (const match of lines.matchAll(escapeSequences)) {
    clean += lines.slice(end, match.index).replace(unprintable, visible)
    if (colorSequence.test(match[0])) clean += match[0]
    end = match.index + match[0].length
  }
  return clean + lines.slice(end).replace(unprintable, visible)
}
