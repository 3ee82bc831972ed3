/** The line that calls are typed into, as it is drawn. */
import type { PendingAction } from "../../pipeline/model/staged-action.ts"
import { columnsOf } from "./columns.ts"
import type { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { pendingNote } from "./session-text.ts"
import type { Style } from "./style.ts"

export const prompt = "› "

export interface PromptOptions {
  readonly editor: LineEditor
  /** In columns. */
  readonly width: number
  readonly style: Style
  /** What is pending, from the oldest to the latest. */
  readonly actions: ReadonlyArray<PendingAction>
  /** Lines right above the prompt. */
  readonly above: ReadonlyArray<string>
}

export const promptFrame = ({ editor, width, style, actions, above }: PromptOptions): Frame => {
  const note = pendingNote(actions, width)
  const start = columnsOf(note + prompt)
  const { text, cursor } = editor.draw(width - start)
  return {
    live: ["", ...above, style.ask(note) + style.bold(prompt) + text],
    cursor: { row: 1 + above.length, column: start + cursor },
  }
}
