/** The gate of a session: its keys, the reason for a denial, and the parameters as a text to edit. */
import { isDeepStrictEqual } from "node:util"
import type { RememberChoice } from "../../policy/index.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Block } from "./block.ts"
import { readChoice } from "./choose-calls.ts"
import { wrap } from "./columns.ts"
import { editorCommand } from "./external-editor.ts"
import { answerGates, type GateAnswering } from "./gate-answers.ts"
import { decideGate } from "./gate-keys.ts"
import type { KeyPress } from "./keyboard.ts"
import { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { type ParamsText, paramsText } from "./params-text.ts"
import { SelectQuestion } from "./question.ts"
import { ReactionTime } from "./reaction-time.ts"
import { ownPattern, rememberOptions } from "./remember-menu.ts"
import { visibleLine } from "./render-text.ts"

/** The part of the session that its gate uses. */
export interface GateSession extends GateAnswering {
  /** The file that stores remembered rules. */
  readonly rulesPath?: string
  /** Lends the terminal until the promise settles. */
  lend<T>(use: () => Promise<T>): Promise<T>
  /** Edits a text in the user's editor. */
  edit(command: string, text: string, fileName: string): Promise<string>
}

/** An input instead of the prompt: a text to type, or a menu. */
interface GateInput {
  readonly callId: string
  readonly title: string
  readonly keys: LineEditor | SelectQuestion
  /** Whether Enter approves. */
  readonly approves: boolean
}

/** The number and the mark before a line of the menu. */
const menuMargin = 6
/** Maximum rows of a choice. */
const menuRows = 3

const unchanged = "Nothing was changed, and nothing is decided yet: [y]es approves the call as it is."

const isPlain = ({ pasted, ctrl, meta }: KeyPress): boolean => !pasted && ctrl !== true && meta !== true

const isEnter = ({ name }: KeyPress): boolean => name === "return" || name === "enter"

/** Whether a key goes back: Esc, also Esc and Enter, which terminals send for Alt+Enter. */
const goesBack = (key: KeyPress): boolean =>
  !key.pasted && (key.name === "escape" || (key.meta === true && isEnter(key)))

export class SessionGate {
  private readonly session: GateSession
  private input: GateInput | undefined
  /** Enter approves only what is on the screen. */
  private readonly seen = new ReactionTime(0)

  constructor(session: GateSession) {
    this.session = session
  }

  /** Whether the keys go to a reason, to parameters or to a menu. */
  get isTyping(): boolean {
    if (this.input !== undefined && this.session.view.gateOnShow !== this.input.callId) this.input = undefined
    return this.input !== undefined
  }

  /** Handles a key of the gate; returns whether it was one. */
  press(key: KeyPress): boolean {
    const { view } = this.session
    if (this.isTyping) {
      if (goesBack(key)) this.input = undefined
      else if (this.mayTake(key)) this.input!.keys.press(key)
      return true
    }
    const callId = view.gate
    if (callId === undefined) return false
    const letter = isPlain(key) ? key.text.toLowerCase() : ""
    if (letter === "n") this.askReason(callId)
    else if (letter === "e") {
      // The other keys of a paste are not parameters.
      if (key.inBurst !== true) this.edit(callId)
    } else if (letter === "a") {
      if (key.inBurst !== true) this.offerRules(callId)
    } else if (letter === "l" && view.together(callId).length > 1) this.list(callId)
    else return decideGate(key, this.session)
    return true
  }

  /** Whether the input takes a key: a pasted line end must not approve, even if the terminal does not mark pastes. */
  private mayTake(key: KeyPress): boolean {
    return !this.input!.approves || !isEnter(key) || (key.inBurst !== true && this.seen.isOver)
  }

  /** Records that the drawn frame is on the screen. */
  drawn(): void {
    this.seen.drawn()
  }

  /** The frame instead of the prompt while something is typed. */
  frame(width: number, rows: number): Frame | undefined {
    const { isTyping } = this
    this.seen.shown(this.input)
    if (!isTyping) return undefined
    const { title, keys } = this.input!
    const { style } = this.session.view
    const above = ["", ...wrap(title, width).map(style.dim)]
    if (keys instanceof SelectQuestion) {
      const { live } = keys.draw({ width, rows: Math.max(rows, menuRows + 3), style })
      return { live: [...above, ...live] }
    }
    const { rows: lines, isStart, cursor } = keys.draw(width, rows, 2)
    const [first = "", ...rest] = lines
    return {
      live: [...above, isStart ? style.bold("› ") + first : first, ...rest],
      cursor: { ...cursor, row: cursor.row + above.length },
    }
  }

  private open(input: Omit<GateInput, "keys">, text: string, onLine: (line: string) => void): void {
    const editor = new LineEditor({ onLine, onEnd: () => undefined })
    editor.set(text)
    this.input = { ...input, keys: editor }
  }

  /** Shows each rule before it is stored. */
  private offerRules(callId: string): void {
    const { view, executor, say } = this.session
    const block = view.blocks.get(callId)
    if (block === undefined || !view.isGateRead) return
    const tool = executor.agent().tool(block.toolName) ?? { name: block.toolName }
    const options = rememberOptions(executor, callId, tool, menuRows * (view.width - menuMargin))
    if (options.length === 0) return say("No rule can allow this call again. [y]es approves it this once.")
    const keys = new SelectQuestion(
      options.map(({ text }) => text),
      (index) => {
        const { choice } = options[index]!
        if (choice === undefined) this.typeRule(callId, block.toolName, ownPattern(tool, block.params))
        else this.approveAlways(callId, choice)
      },
    )
    const { rulesPath } = this.session
    const kept = rulesPath === undefined ? "" : ` (kept in ${visibleLine(rulesPath)})`
    const title = `Approve it, and from now on without asking${kept}:`
    this.input = { callId, title, approves: true, keys }
  }

  private typeRule(callId: string, toolName: string, pattern: string): void {
    const { executor, say } = this.session
    const title = `A regular expression for ${toolName}. Enter approves the call and stores it; Esc goes back.`
    this.open({ callId, title, approves: true }, pattern, (line) => {
      const rule = line.trim()
      if (rule !== "" && executor.wouldRemember(callId, { rule }) !== undefined) {
        return this.approveAlways(callId, { rule })
      }
      say("This pattern does not allow the call, or is no regular expression. Nothing is decided yet.")
      this.typeRule(callId, toolName, line)
    })
  }

  /** Shows the calls that wait together, to choose from. Later calls are not included. */
  private list(callId: string): void {
    const { view } = this.session
    const blocks = view.together(callId)
    view.printGates(blocks)
    this.choose(callId, blocks, "")
  }

  private choose(callId: string, blocks: ReadonlyArray<Block>, typed: string): void {
    const title = `Which of the ${blocks.length} calls above? 1 3-5 or all approves them, n 2 denies, n 2: why not says why; the others go on waiting. Esc goes back.`
    this.open({ callId, title, approves: true }, typed, (line) => {
      const choice = readChoice(line, blocks.length)
      if (typeof choice === "string") {
        this.session.say(visibleLine(choice))
        return this.choose(callId, blocks, line)
      }
      this.input = undefined
      const answer = choice.isDenial ? { deny: choice.reason ?? (true as const) } : { approve: true as const }
      const answers = choice.places.map((place) => {
        const { callId: id, asked = 0 } = blocks[place]!
        return { callId: id, question: { seq: asked }, ...answer }
      })
      answerGates(answers, this.session)
    })
  }

  private approveAlways(callId: string, remember: RememberChoice): void {
    this.input = undefined
    answerGates([{ callId, approve: { remember } }], this.session)
  }

  private askReason(callId: string): void {
    const title = "Why not? Enter denies the call, also without a reason; Esc goes back."
    this.open({ callId, title, approves: false }, "", (line) => {
      this.input = undefined
      answerGates([{ callId, deny: line.trim() || true }], this.session)
    })
  }

  private edit(callId: string): void {
    const { view, executor } = this.session
    const block = view.blocks.get(callId)
    // Unread parameters cannot be edited: the rest of them would be approved too.
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
      // Editors end a file with a line end, and can remove white space before it.
      const isAsBefore = edited.trimEnd() === text.text.trimEnd()
      this.approveWith(callId, text, isAsBefore ? text.text : edited)
    } catch (error) {
      say(messageOf(error))
    }
  }

  private approveWith(callId: string, text: ParamsText, edited: string): void {
    const { say } = this.session
    const read = text.read(edited)
    if (typeof read === "string") {
      say(read)
      return this.editHere(callId, text, edited)
    }
    this.input = undefined
    if (isDeepStrictEqual(read, text.read(text.text))) say(unchanged)
    else answerGates([{ callId, approve: { params: read } }], this.session)
  }
}
