/** Messages and questions of tools of other agents, as notes and questions of a page. */
import { currentCall } from "../../../custom-tools/current-call.ts"
import { type DialogOptions, noOpUI, type UIContext } from "../../../custom-tools/ui-context.ts"
import { longestTimer } from "../../../pipeline/time/longest-timer.ts"
import type { DialogRow } from "../state/page-state.ts"
import { bounded, boundedName, boundedTitle } from "./bounded.ts"
import { noAnswer, type OnChange, type Took, tooLate } from "./source.ts"

/** Maximum characters of one question: the person who answers must see all of it. */
const maxAsked = 50_000
/** Maximum number of open questions. */
const maxOpen = 100

/** The call during which a tool asks or reports something. */
export interface AskingCall {
  readonly key: number
  readonly name: string
}

interface Open {
  readonly row: DialogRow
  /** Answers the question. Returns false for an invalid answer. */
  answer(value: unknown): boolean
  dismiss(): void
}

interface Asked<T> {
  readonly kind: DialogRow["kind"]
  readonly title: string
  readonly message?: string
  readonly options?: ReadonlyArray<string>
  readonly text?: string
  readonly placeholder?: string
  readonly dialog?: DialogOptions | undefined
  /** The result of a question that nobody answers. */
  readonly unanswered: T
  /** Returns undefined for an invalid answer. */
  read(value: unknown): { readonly value: T } | undefined
}

/** Tools have no types here: every value becomes text. */
const textOf = (value: unknown): string => String(value ?? "")

/** Handles the rejection of a question that cannot be asked, so that it does not affect a tool that does not await the answer. */
const answering = <T>(ask: () => Promise<T>): Promise<T> => {
  const answer = (async () => ask())()
  answer.catch(() => undefined)
  return answer
}

const readText = (value: unknown) => (typeof value === "string" ? { value } : undefined)

/** The open questions of tools, by their ids. */
export class PageDialogs {
  /** For `CustomTools.setUIContext`, with `hasUI` true. Requests that a page cannot show are ignored. */
  readonly ui: UIContext
  private readonly tell: OnChange
  private readonly callOf: (callId: string) => AskingCall | undefined
  private readonly open = new Map<string, Open>()
  private count = 0
  private isClosed = false

  constructor(tell: OnChange, callOf: (callId: string) => AskingCall | undefined) {
    this.tell = tell
    this.callOf = callOf
    this.ui = {
      ...noOpUI,
      notify: (message, type) => this.notify(textOf(message), type),
      confirm: (title, message, dialog) =>
        answering(() =>
          this.ask<boolean>({
            kind: "confirm",
            title: textOf(title),
            message: textOf(message),
            dialog,
            unanswered: false,
            read: (value) => (typeof value === "boolean" ? { value } : undefined),
          }),
        ),
      select: (title, options, dialog) => answering(() => this.select(textOf(title), options, dialog)),
      input: (title, placeholder, dialog) =>
        answering(() =>
          this.ask<string | undefined>({
            kind: "input",
            title: textOf(title),
            placeholder: boundedTitle(textOf(placeholder)),
            dialog,
            unanswered: undefined,
            read: readText,
          }),
        ),
      editor: (title, prefill) =>
        answering(() =>
          this.ask<string | undefined>({
            kind: "editor",
            title: textOf(title),
            text: textOf(prefill),
            unanswered: undefined,
            read: readText,
          }),
        ),
    }
  }

  /** Answers a question, or, without a value, dismisses it. */
  answer(id: string, value: unknown): Took {
    const dialog = this.open.get(id)
    if (dialog === undefined) return tooLate
    if (value === undefined) {
      dialog.dismiss()
      return { took: true }
    }
    if (dialog.row.isCut || !dialog.answer(value)) return noAnswer
    return { took: true }
  }

  /** Dismisses all questions, and refuses later ones. */
  close(): void {
    this.isClosed = true
    for (const dialog of [...this.open.values()]) dialog.dismiss()
  }

  private async select(
    title: string,
    options: ReadonlyArray<string>,
    dialog?: DialogOptions,
  ): Promise<string | undefined> {
    if (options.length === 0) return undefined
    return this.ask<string | undefined>({
      kind: "select",
      title,
      options: options.map(textOf),
      dialog,
      unanswered: undefined,
      read: (value) =>
        typeof value === "number" && value in options ? { value: options[value] } : undefined,
    })
  }

  private callNow(): AskingCall | undefined {
    const call = currentCall.getStore()
    return call && this.callOf(call.callId)
  }

  private notify(message: string, type: Parameters<UIContext["notify"]>[1] = "info"): void {
    const { name } = this.callNow() ?? {}
    const text = bounded(name === undefined ? message : `${name}: ${message}`, 2_000)
    this.count += 1
    this.tell({ _tag: "Said", note: { id: `n${this.count}`, kind: type, text, at: Date.now() } })
  }

  private ask<T>(asked: Asked<T>): Promise<T> {
    const { dialog, unanswered, read } = asked
    const { signal, timeout = 0 } = dialog ?? {}
    const callSignal = currentCall.getStore()?.signal
    // Throws instead of returning no answer: a tool that asks until it has an answer would ask forever.
    callSignal?.throwIfAborted()
    if (this.isClosed) throw new Error("The page has ended: nobody is there to answer")
    if (this.open.size >= maxOpen) throw new Error("Too many questions are open: nobody can answer them")
    if (signal?.aborted) return Promise.resolve(unanswered)
    const row = this.rowOf(asked)
    // A cancelled call needs no answer, even if it did not pass its signal on.
    const signals = [signal, callSignal].filter((given) => given !== undefined)
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const end = (value: T): void => {
        if (!this.open.delete(row.id)) return
        clearTimeout(timer)
        for (const given of signals) given.removeEventListener("abort", dismiss)
        this.tell({ _tag: "DialogOver", id: row.id })
        resolve(value)
      }
      const dismiss = (): void => end(unanswered)
      const answer = (given: unknown): boolean => {
        const value = read(given)
        if (value !== undefined) end(value.value)
        return value !== undefined
      }
      for (const given of signals) given.addEventListener("abort", dismiss)
      if (timeout > 0 && timeout <= longestTimer) timer = setTimeout(dismiss, timeout)
      this.open.set(row.id, { row, answer, dismiss })
      this.tell({ _tag: "DialogAsked", dialog: row })
    })
  }

  private rowOf<T>({ kind, title, message = "", options, text, placeholder }: Asked<T>): DialogRow {
    this.count += 1
    const call = this.callNow()
    const all = [title, message, ...(options ?? []), text ?? ""]
    const isCut = all.reduce((sum, each) => sum + each.length + 10, 0) > maxAsked
    return {
      id: `d${this.count}`,
      kind,
      title: isCut ? boundedTitle(title) : title,
      at: Date.now(),
      ...(call !== undefined && { key: call.key, name: boundedName(call.name) }),
      ...(isCut && { isCut }),
      ...(message !== "" && { message: isCut ? bounded(message, 2_000) : message }),
      ...(options !== undefined && { options: isCut ? [] : options }),
      ...(text !== undefined && !isCut && { text }),
      ...(placeholder !== undefined && placeholder !== "" && { placeholder }),
    }
  }
}
