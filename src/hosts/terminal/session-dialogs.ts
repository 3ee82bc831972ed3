/**
 * The session's screen for the tools of other agents. Their messages are notes above the prompt. Their questions replace the
 * prompt, one at a time, in the order of asking, while nobody types and no gate is shown.
 */
import { AsyncResource } from "node:async_hooks"
import { currentCall } from "../../custom-tools/current-call.ts"
import { type DialogOptions, noOpUI, type UIContext } from "../../custom-tools/ui-context.ts"
import { longestTimer } from "../../pipeline/time/longest-timer.ts"
import type { BlockView } from "./block-view.ts"
import { clip } from "./columns.ts"
import { pageKeys } from "./gate-keys.ts"
import { moreNote } from "./gate-view.ts"
import type { KeyPress } from "./keyboard.ts"
import type { Frame, TerminalOutput } from "./live-region.ts"
import { Pager } from "./pager.ts"
import {
  confirmQuestion,
  LineQuestion,
  type LineQuestionOptions,
  type Question,
  SelectQuestion,
} from "./question.ts"
import { ReactionTime } from "./reaction-time.ts"
import { visibleLine, visibleSentence } from "./render-text.ts"
import { rowsIn } from "./terminal-size.ts"
import { margin, markedRows, saidRows } from "./visible-rows.ts"

/** The part of the session that dialogs use. */
export interface DialogSession {
  readonly output: TerminalOutput
  readonly view: BlockView
  /** What currently has the keys, and must end before a question gets them. */
  keysTaken(): string | undefined
  say(text: string, paint?: (line: string) => string): void
  leave(): void
}

/** A question with its text, which is the tool's own and untrusted. */
interface Dialog {
  readonly title: string
  readonly message: string
  readonly question: Question
  dismiss(): void
}

interface Asked<T> {
  readonly title: string
  readonly message?: string
  readonly dialog: DialogOptions | undefined
  /** The result of a question that nobody answers. */
  readonly unanswered: T
  question(answer: (value: T, said: string) => void): Question
}

const prose = { prose: true } as const

/** Tools have no types here: every value becomes text before it is drawn. */
const textOf = (value: unknown): string => String(value ?? "")

/** Handles the rejection of a question that cannot be asked, so that it does not affect a tool that does not await the answer. */
const answering = <T>(ask: () => Promise<T>): Promise<T> => {
  const answer = (async () => ask())()
  answer.catch(() => undefined)
  return answer
}

export class SessionDialogs {
  /** For `CustomTools.setUIContext`, with `hasUI` true. Requests that a terminal line cannot show are ignored. */
  readonly ui: UIContext
  private readonly session: DialogSession
  /** In the order of asking. */
  private readonly waiting = new Set<Dialog>()
  /** The question on the screen, which can have ended since. */
  private shown: Dialog | undefined
  /** The pages of the question's text, which must be read before the answer. */
  private readonly pager = new Pager()
  private readonly reaction = new ReactionTime()
  private text: { readonly dialog: Dialog; readonly width: number; readonly rows: Array<string> } | undefined
  private isClosed = false

  constructor(session: DialogSession) {
    this.session = session
    this.ui = {
      ...noOpUI,
      notify: (message, type) => this.notify(textOf(message), type),
      confirm: (title, message, dialog) =>
        answering(() => this.confirm(textOf(title), textOf(message), dialog)),
      select: (title, options, dialog) => answering(() => this.select(textOf(title), options, dialog)),
      input: (title, placeholder, dialog) =>
        answering(() => this.line(textOf(title), { placeholder: textOf(placeholder) }, dialog)),
      editor: (title, prefill) =>
        answering(() => this.line(textOf(title), { text: textOf(prefill), hasLines: true })),
    }
  }

  /** Whether the screen shows a question; until the next frame also an ended one. */
  get isOnScreen(): boolean {
    return this.shown !== undefined
  }

  /**
   * Handles a key of a question; returns whether it was one. A key that was typed while the question appeared goes to the
   * line below.
   */
  press(key: KeyPress): boolean {
    const dialog = this.shown
    this.reaction.pressed()
    if (dialog === undefined || !this.waiting.has(dialog) || !this.reaction.isOver) return false
    if (key.name === "escape" && !key.pasted) dialog.dismiss()
    else if (key.ctrl && key.name === "d" && !dialog.question.hasText) this.session.leave()
    else if (!this.turnPage(key) && this.pager.isWholeSeen) dialog.question.press(key)
    return true
  }

  /** Dismisses all questions; returns their number. */
  dismissAll(): number {
    const dialogs = [...this.waiting]
    for (const dialog of dialogs) dialog.dismiss()
    return dialogs.length
  }

  /** Dismisses all questions, and refuses later ones. */
  close(): void {
    this.isClosed = true
    this.dismissAll()
  }

  /** The frame instead of the prompt, if a question can be shown. */
  frame(width: number): Frame | undefined {
    if (this.shown === undefined || !this.waiting.has(this.shown) || !this.reaction.isOver) {
      const [next] = this.waiting
      this.shown = this.session.keysTaken() === undefined ? next : undefined
    }
    this.reaction.shown(this.shown)
    return this.shown && this.draw(this.shown, width)
  }

  /** The lines above the prompt while questions wait for the keys. */
  waitingLines(width: number): Array<string> {
    const [next] = this.waiting
    if (next === undefined) return []
    const { style } = this.session.view
    const note = `  waits until ${this.session.keysTaken()}`
    const title = clip(visibleSentence(next.title), Math.max(10, width - 2 - note.length))
    return [style.ask(`? ${title}`) + style.dim(clip(note, width - 12))]
  }

  /** Records that the drawn frame is on the screen. */
  drawn(): void {
    if (this.shown !== undefined) this.pager.drawn()
    this.reaction.drawn()
  }

  /** Prints the whole question that is shown; returns false if there is none. */
  expand(): boolean {
    const { shown, session } = this
    if (shown === undefined) return false
    session.view.print(this.textRows(shown, session.view.width))
    return true
  }

  // --- What tools call

  private notify(message: string, type: Parameters<UIContext["notify"]>[1]): void {
    const { style } = this.session.view
    const paint = type === "error" ? style.bad : type === "warning" ? style.ask : style.dim
    this.session.say(this.named(message), paint)
  }

  private confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean> {
    return this.ask<boolean>({
      title,
      message,
      dialog,
      unanswered: false,
      question: (answer) => confirmQuestion((isConfirmed) => answer(isConfirmed, isConfirmed ? "yes" : "no")),
    })
  }

  private async select(
    title: string,
    options: ReadonlyArray<string>,
    dialog?: DialogOptions,
  ): Promise<string | undefined> {
    if (options.length === 0) return undefined
    const labels = options.map(textOf)
    return this.ask<string | undefined>({
      title,
      dialog,
      unanswered: undefined,
      question: (answer) => new SelectQuestion(labels, (index) => answer(options[index], labels[index]!)),
    })
  }

  private line(
    title: string,
    options: LineQuestionOptions,
    dialog?: DialogOptions,
  ): Promise<string | undefined> {
    return this.ask<string | undefined>({
      title,
      dialog,
      unanswered: undefined,
      question: (answer) => new LineQuestion(options, (line) => answer(line, line)),
    })
  }

  /** Names the tool whose call asks or reports something. */
  private named(text: string): string {
    const call = currentCall.getStore()
    const block = call && this.session.view.blocks.get(call.callId)
    return block === undefined ? text : `${block.toolName}: ${text}`
  }

  private ask<T>({ title: asked, message = "", dialog, unanswered, question }: Asked<T>): Promise<T> {
    const { signal, timeout = 0 } = dialog ?? {}
    const callSignal = currentCall.getStore()?.signal
    // Throws instead of returning no answer: a tool that asks until it has an answer would ask forever.
    callSignal?.throwIfAborted()
    if (this.isClosed) throw new Error("The session has ended: nobody is there to answer")
    if (signal?.aborted) return Promise.resolve(unanswered)
    // A cancelled call needs no answer, even if it did not pass its signal on.
    const signals = [signal, callSignal].filter((given) => given !== undefined)
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const end = (value: T, said: string): void => {
        if (!this.waiting.delete(waiting)) return
        clearTimeout(timer)
        for (const given of signals) given.removeEventListener("abort", dismiss)
        waiting.question.close()
        resolve(value)
        if (!this.isClosed) this.session.say(`${visibleSentence(waiting.title)} ${visibleLine(said)}`)
      }
      // Bound to this async context: if a tool aborts its own signal, the screen must not be drawn in the tool's context.
      const dismiss = AsyncResource.bind((): void => end(unanswered, "(not answered)"))
      const waiting: Dialog = { title: this.named(asked), message, question: question(end), dismiss }
      for (const given of signals) given.addEventListener("abort", dismiss)
      if (timeout > 0 && timeout <= longestTimer) timer = setTimeout(dismiss, timeout)
      this.waiting.add(waiting)
      this.session.view.invalidate()
    })
  }

  // --- Drawing

  /** Turns a page; returns whether the key did. A line to type takes these keys itself. */
  private turnPage(key: KeyPress): boolean {
    const way = key.pasted || key.ctrl || key.meta ? undefined : pageKeys.get(key.name ?? "")
    if (way === undefined || (this.pager.isWholeSeen && !/^page/.test(key.name!))) return false
    this.pager[way]()
    return true
  }

  private draw(dialog: Dialog, width: number): Frame {
    const { view, output } = this.session
    const room = Math.max(6, rowsIn(output) - 4)
    const { live, cursor } = dialog.question.draw({ width, rows: Math.ceil(room / 2), style: view.style })
    const { pager } = this
    pager.lay(dialog, this.textRows(dialog, width), Math.max(1, room - 2 - live.length))
    const above = ["", ...pager.page]
    const { wait } = this.reaction
    if (wait < Number.POSITIVE_INFINITY) {
      const blank = live.map((_, row) => (row === 0 ? view.style.dim("  …") : ""))
      return { live: [...above, ...blank], changesIn: wait }
    }
    if (pager.below > 0)
      return { live: [...above, view.style.dim(clip(`  ${moreNote(pager.below)}`, width))] }
    return {
      live: [...above, ...live],
      ...(cursor !== undefined && { cursor: { ...cursor, row: cursor.row + above.length } }),
    }
  }

  private textRows(dialog: Dialog, width: number): Array<string> {
    if (this.text?.dialog === dialog && this.text.width === width) return this.text.rows
    const { title, message, question } = dialog
    const { style } = this.session.view
    const room = width - margin
    const sentences = (text: string) => markedRows(text, room, style, undefined, prose)
    const [first = "", ...rest] = saidRows(title, room, style, style.ask, prose)
    const rows = [
      style.ask("? ") + first.slice(margin),
      ...rest,
      ...(message === "" ? [] : sentences(message)),
      ...(question.longTexts?.(width) ?? []).flatMap(sentences),
    ]
    this.text = { dialog, width, rows }
    return rows
  }
}
