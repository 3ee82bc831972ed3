/** The content of a preview: the text of a new file, or a file before and after the edits. */
import { applyTextEdits, withUnixEndings } from "../../handlers/text-edits.ts"
import { localFiles } from "../../io/files.ts"
import type { TextEdit } from "../../model/host-effect.ts"
import { messageOf } from "../../text/message-of.ts"
import { visibleText } from "../../text/visible-text.ts"

/** A side of a preview, with its name in Neovim. */
export interface Pane {
  readonly label: "new" | "current" | "proposed" | "note"
  readonly lines: ReadonlyArray<string>
}

/** A longer text is not shown: comparing and sending it would stop the editor for seconds. */
const maxPreviewBytes = 4 * 1024 * 1024

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > maxPreviewBytes

/** The lines that a person decides on: marks show what an editor would hide. Tabs remain, for the editor to draw. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = visibleText(withUnixEndings(text), { keepTabs: true }).split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines
}

/** Undefined if the text is too long to be shown. */
export const panesOfNew = (content: string): ReadonlyArray<Pane> | undefined =>
  isTooLong(content) ? undefined : [{ label: "new", lines: linesOf(content) }]

/** A change that a comparison of lines does not show; undefined if the lines themselves change. */
const invisibleChange = (before: string, after: string): string | undefined => {
  if (before === after) return "Nothing changes."
  const [unixBefore, unixAfter] = [withUnixEndings(before), withUnixEndings(after)]
  if (unixBefore === unixAfter) return "Only line endings change."
  if (unixBefore === `${unixAfter}\n`) return "Only the newline at the end of the file is taken away."
  if (unixAfter === `${unixBefore}\n`) return "Only a newline at the end of the file is added."
  return undefined
}

/** One pane with a sentence if the two would look the same. */
const panesOfChange = (before: string, after: string): ReadonlyArray<Pane> => {
  const note = invisibleChange(before, after)
  if (note !== undefined) return [{ label: "note", lines: [note] }]
  return [
    { label: "current", lines: linesOf(before) },
    { label: "proposed", lines: linesOf(after) },
  ]
}

/** Undefined if the file is, or would be, too long to be shown. Rejects if the edits do not fit the file. */
export const panesOfEdits = async (
  path: string,
  edits: ReadonlyArray<TextEdit>,
): Promise<ReadonlyArray<Pane> | undefined> => {
  try {
    const real = await localFiles.resolveLinks(path)
    const size = (await localFiles.stat(real))?.size ?? 0
    if (size > maxPreviewBytes) return undefined
    const text = new TextDecoder().decode(await localFiles.read(real))
    const edited = applyTextEdits(text, edits)
    return isTooLong(edited) ? undefined : panesOfChange(text, edited)
  } catch (cause) {
    throw new Error(`Cannot show what would change in ${path}: ${messageOf(cause)}`, { cause })
  }
}
