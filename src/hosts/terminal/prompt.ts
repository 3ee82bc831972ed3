/** Draws the line that calls are typed into. */
import type { PendingAction } from "../../model/pending-actions.ts"
import { clip, columnsOf } from "./columns.ts"
import type { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { pendingNote } from "./session-text.ts"
import type { Style } from "./style.ts"

export const prompt = "› "

export interface PromptOptions {
  readonly editor: LineEditor
  /** In columns. */
  readonly width: number
  /** The maximum number of rows of the input. */
  readonly rows: number
  readonly style: Style
  /** Pending actions, from the oldest to the latest. */
  readonly actions: ReadonlyArray<PendingAction>
  /** Lines directly above the prompt. */
  readonly above: ReadonlyArray<string>
}

export const promptFrame = ({ editor, width, rows, style, actions, above }: PromptOptions): Frame => {
  const { searchText } = editor
  const note = searchText === undefined ? pendingNote(actions, width) : `search: ${clip(searchText, 20)} `
  const { rows: lines, isStart, cursor } = editor.draw(width, rows, columnsOf(note + prompt))
  const [first = "", ...rest] = lines
  return {
    live: ["", ...above, isStart ? style.ask(note) + style.bold(prompt) + first : first, ...rest],
    cursor: { ...cursor, row: 1 + above.length + cursor.row },
  }
}
