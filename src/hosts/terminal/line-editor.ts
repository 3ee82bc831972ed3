/** Edits one input of any number of lines, with the keys of shells. The caller draws it. */
import { type DrawnInput, drawInput } from "./draw-input.ts"
import type { KeyPress } from "./keyboard.ts"
import { LineHistory } from "./line-history.ts"
import { TextBuffer } from "./text-buffer.ts"

export interface Completion {
  /** The start of the word that a candidate replaces. */
  readonly from: number
  readonly candidates: ReadonlyArray<string>
}

export interface LineEditorOptions {
  onLine(line: string): void
  /** Ctrl-D on an empty line. */
  onEnd(): void
  /** Completions of the word before the cursor. Default: none. */
  complete?(before: string): Completion | Promise<Completion>
  /** Shows the completions if there are several. */
  onCandidates?(candidates: ReadonlyArray<string>): void
  /** Called for changes that were not caused by a key. */
  onChange?(): void
  /** Default: only the lines that are typed here. */
  readonly history?: LineHistory
}

const commonStart = (texts: ReadonlyArray<string>): string => {
  const [first = "", ...others] = texts
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

export class LineEditor {
  private readonly options: LineEditorOptions
  private readonly history: LineHistory
  private readonly buffer = new TextBuffer()
  /** The position in the history, and the text that was typed before it was entered. */
  private place: number
  private draft = ""
  private searching: { readonly text: string; readonly found: number | undefined } | undefined
  private isClosed = false

  constructor(options: LineEditorOptions) {
    this.options = options
    this.history = options.history ?? new LineHistory()
    this.place = this.history.size
  }

  get text(): string {
    return this.buffer.text
  }

  get isEmpty(): boolean {
    return this.buffer.text === "" && this.searching === undefined
  }

  /** The text that is searched in the history, during a search. */
  get searchText(): string | undefined {
    return this.searching?.text
  }

  /** Replaces the text. */
  set(text: string): void {
    this.buffer.set(text)
  }

  clear(): void {
    this.searching = undefined
    this.buffer.set("")
    this.place = this.history.size
  }

  press(key: KeyPress): void {
    if (this.isClosed) return
    if (key.pasted) return this.paste(key.text)
    if (this.searching !== undefined && this.search(key)) return
    if (key.ctrl === true) return this.control(key)
    if (key.meta === true) return this.meta(key)
    this.plain(key)
  }

  close(): void {
    this.isClosed = true
  }

  /**
   * The rows around the cursor, at most `maxRows`.
   *
   * @param start Columns of the first row that are taken.
   */
  draw(width: number, maxRows: number, start: number): DrawnInput {
    return drawInput(this.buffer, { width, maxRows, start })
  }

  // --- Keys

  private paste(text: string): void {
    this.searching = undefined
    this.buffer.insert(text.replace(/\r\n?/g, "\n"))
  }

  private plain(key: KeyPress): void {
    const { buffer } = this
    switch (key.name) {
      case "return":
        return this.submit()
      case "enter":
        return buffer.insert("\n")
      case "backspace":
        return buffer.deleteBefore()
      case "delete":
        return buffer.deleteAfter()
      case "left":
        return buffer.left()
      case "right":
        return buffer.right()
      case "home":
        return buffer.lineStart()
      case "end":
        return buffer.lineEnd()
      case "up":
        if (!buffer.up()) this.recall(this.place - 1)
        return
      case "down":
        if (!buffer.down()) this.recall(this.place + 1)
        return
      case "tab":
        void this.complete()
        return
      default:
        if (/^[^\p{Cc}]+$/u.test(key.text)) buffer.insert(key.text)
    }
  }

  private control(key: KeyPress): void {
    const { buffer } = this
    switch (key.name) {
      case "a":
        return buffer.lineStart()
      case "e":
        return buffer.lineEnd()
      case "f":
        return buffer.right()
      case "h":
        return buffer.deleteBefore()
      case "d":
        if (buffer.text === "") return this.options.onEnd()
        return buffer.deleteAfter()
      case "j":
        return buffer.insert("\n")
      case "k":
        return buffer.cutToLineEnd()
      case "u":
        return buffer.cutToLineStart()
      case "w":
        return buffer.cutWordBefore()
      case "y":
        return buffer.paste()
      case "p":
        return this.recall(this.place - 1)
      case "n":
        return this.recall(this.place + 1)
      case "r":
        this.searching = { text: "", found: undefined }
        return
      case "left":
        return buffer.wordLeft()
      case "right":
        return buffer.wordRight()
    }
  }

  private meta(key: KeyPress): void {
    const { buffer } = this
    switch (key.name) {
      case "return":
      case "enter":
        return buffer.insert("\n")
      case "b":
      case "left":
        return buffer.wordLeft()
      case "f":
      case "right":
        return buffer.wordRight()
      case "d":
        return buffer.cutWordAfter()
      case "backspace":
        return buffer.cutWordBefore()
    }
  }

  private submit(): void {
    const { text } = this.buffer
    this.history.add(text)
    this.clear()
    this.options.onLine(text)
  }

  // --- History

  private recall(place: number): void {
    if (place < 0 || place > this.history.size) return
    if (this.place === this.history.size) this.draft = this.buffer.text
    this.place = place
    this.buffer.set(this.history.at(place) ?? this.draft)
  }

  /** Handles a key of the search; returns whether it was one. Any other key ends the search and keeps the found line. */
  private search(key: KeyPress): boolean {
    const { text, found } = this.searching!
    if (key.name === "escape" || (key.ctrl === true && key.name === "g")) {
      this.searching = undefined
      return true
    }
    if (key.ctrl === true && key.name === "r") this.find(text, found ?? this.history.size)
    else if (key.name === "backspace") this.find([...text].slice(0, -1).join(""), this.history.size)
    else if (key.ctrl !== true && key.meta !== true && /^[^\p{Cc}]+$/u.test(key.text)) {
      this.find(text + key.text, found === undefined ? this.history.size : found + 1)
    } else {
      this.searching = undefined
      return false
    }
    return true
  }

  private find(text: string, before: number): void {
    const found = text === "" ? undefined : this.history.find(text, before)
    this.searching = { text, found: found ?? this.searching?.found }
    if (found === undefined) return
    this.place = found
    const line = this.history.at(found)!
    this.buffer.set(line, line.indexOf(text))
  }

  // --- Completion

  private async complete(): Promise<void> {
    const { buffer, options } = this
    const { text, before } = buffer
    const completion = options.complete?.(before)
    if (!(completion instanceof Promise)) return completion && this.take(completion)
    const found = await completion
    // A late completion must not overwrite newer text.
    if (!this.isClosed && buffer.text === text && buffer.before === before) this.take(found)
  }

  private take({ from, candidates }: Completion): void {
    const { buffer, options } = this
    const { before } = buffer
    if (candidates.length === 0) return
    const start = commonStart(candidates)
    if (start.length > before.length - from) buffer.replaceFrom(from, start)
    else if (candidates.length === 1) buffer.replaceFrom(from, candidates[0]!)
    else options.onCandidates?.(candidates)
    options.onChange?.()
  }
}
