/** The gate of a session: its keys, the reason for a denial, and the parameters as a text to edit. */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../pipeline/model/failure.ts"
import type { BlockView } from "./block-view.ts"
import { clip } from "./columns.ts"
import { editorCommand } from "./external-editor.ts"
import { decideGate } from "./gate-keys.ts"
import type { KeyPress } from "./keyboard.ts"
import { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { type ParamsText, paramsText } from "./params-text.ts"

/** The session, as far as its gate needs it. */
export interface GateSession {
  readonly executor: ToolExecutor
  readonly view: BlockView
  say(text: string): void
  /** Gives the terminal to somebody else until the promise settles. */
  lend<T>(use: () => Promise<T>): Promise<T>
  /** Edits a text in the user's editor. */
  edit(command: string, text: string, fileName: string): Promise<string>
}

/** What is typed in the prompt's place. */
interface GateInput {
  readonly callId: string
  readonly title: string
  readonly editor: LineEditor
  /** Whether Enter approves. */
  readonly approves: boolean
}

const isPlain = ({ pasted, ctrl, meta }: KeyPress): boolean => !pasted && ctrl !== true && meta !== true

/** A line end that is pasted approves nothing, also where the terminal does not say that it is. */
const isPastedEnter = ({ name, inBurst }: KeyPress): boolean =>
  inBurst === true && (name === "return" || name === "enter")

export class SessionGate {
  private readonly session: GateSession
  private input: GateInput | undefined

  constructor(session: GateSession) {
    this.session = session
  }

  /** Whether the keys go to a reason or to parameters. */
  get isTyping(): boolean {
    if (this.input !== undefined && this.session.view.gate !== this.input.callId) this.input = undefined
    return this.input !== undefined
  }

  /** True if the key was for the gate. */
  press(key: KeyPress): boolean {
    const { view, executor } = this.session
    if (this.isTyping) {
      if (key.name === "escape" && !key.pasted) this.input = undefined
      else if (!(this.input!.approves && isPastedEnter(key))) this.input!.editor.press(key)
      return true
    }
    const callId = view.gate
    if (callId === undefined) return false
    const letter = isPlain(key) ? key.text.toLowerCase() : ""
    if (letter === "n") this.askReason(callId)
    else if (letter === "e") {
      // What is pasted goes on with more keys, which are no parameters.
      if (key.inBurst !== true) this.edit(callId)
    } else return decideGate(key, view, executor)
    return true
  }

  /** What stands in the prompt's place while something is typed. */
  frame(width: number, rows: number): Frame | undefined {
    if (!this.isTyping) return undefined
    const { title, editor } = this.input!
    const { style } = this.session.view
    const { rows: lines, isStart, cursor } = editor.draw(width, rows, 2)
    const [first = "", ...rest] = lines
    return {
      live: ["", style.dim(clip(title, width)), isStart ? style.bold("› ") + first : first, ...rest],
      cursor: { ...cursor, row: cursor.row + 2 },
    }
  }

  private open(input: Omit<GateInput, "editor">, text: string, onLine: (line: string) => void): void {
    const editor = new LineEditor({ onLine, onEnd: () => undefined })
    editor.set(text)
    this.input = { ...input, editor }
  }

  private askReason(callId: string): void {
    const { view, executor } = this.session
    const title = "Why not? Enter denies the call, also without a reason; Esc goes back."
    this.open({ callId, title, approves: false }, "", (line) => {
      this.input = undefined
      const reason = line.trim()
      if (reason === "" ? executor.deny(callId) : executor.deny(callId, reason)) view.denied(callId)
    })
  }

  private edit(callId: string): void {
    const { view, executor } = this.session
    const block = view.blocks.get(callId)
    // What was not seen is not edited: the rest of it would be approved too.
    if (block === undefined || !view.isGateRead) return
    const text = paramsText(block.params, executor.agent().tool(block.toolName))
    const command = editorCommand(process.env)
    if (text.isLong && command !== undefined) void this.editElsewhere(callId, text, command)
    else this.editHere(callId, text, text.text)
  }

  private editHere(callId: string, text: ParamsText, edited: string): void {
    const title = `${text.title} Enter approves the call with it; Ctrl-J begins a line, Esc goes back.`
    this.open({ callId, title, approves: true }, edited, (line) => this.approveWith(callId, text, line))
  }

  private async editElsewhere(callId: string, text: ParamsText, command: string): Promise<void> {
    const { lend, edit, say } = this.session
    try {
      const edited = await lend(() => edit(command, text.text, text.fileName))
      // Editors end a file with a line end.
      if (edited.trimEnd() !== text.text.trimEnd()) this.approveWith(callId, text, edited)
    } catch (error) {
      say(messageOf(error))
    }
  }

  private approveWith(callId: string, text: ParamsText, edited: string): void {
    const { view, executor, say } = this.session
    const read = text.read(edited)
    if (typeof read === "string") {
      say(read)
      return this.editHere(callId, text, edited)
    }
    this.input = undefined
    if (executor.approve(callId, { params: read })) view.approved(callId)
    else say("The parameters of this call cannot be edited any more. Decide on it as it is.")
  }
}
