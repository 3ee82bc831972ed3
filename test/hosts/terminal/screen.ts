/** What a person would see of what is written to a terminal: read through a terminal emulator. */
import xterm from "@xterm/headless"

export interface ScreenOptions {
  readonly columns?: number
  readonly rows?: number
}

const deadline = 100_000
// What stands between them shows at once, though the kernel may hand it on in parts.
const beginFrame = "\u001b[?2026h"
const endFrame = "\u001b[?2026l"

export abstract class Screen {
  /** All that was written, escape sequences included. */
  raw = ""
  protected readonly terminal: xterm.Terminal
  private readonly watchers = new Set<() => void>()
  /** The beginning of a frame whose end has not come yet. */
  private held = ""

  constructor({ columns = 80, rows = 24 }: ScreenOptions) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  }

  /** Keys as a terminal sends them. */
  abstract type(text: string): void

  /** A line and Enter. */
  enter(line: string): void {
    this.type(`${line}\r`)
  }

  control(letter: string): void {
    this.type(String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64))
  }

  /** What stands on the screen, without spaces at the ends of lines. */
  screen(): string {
    return this.text(this.terminal.buffer.active.baseY)
  }

  /** The screen and all that scrolled off it. */
  everything(): string {
    return this.text(0)
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.terminal.buffer.active
    return { row: cursorY, column: cursorX }
  }

  /** Resolves with the screen once it holds the text; rejects with the screen as it is after a while. */
  async see(expected: string | RegExp, where: "screen" | "everything" = "screen"): Promise<string> {
    let text = ""
    const holds = () => {
      text = this[where]()
      return typeof expected === "string" ? text.includes(expected) : expected.test(text)
    }
    await this.until(holds, `see ${expected}`)
    return text
  }

  /** Resolves once the screen holds the text no more. */
  async missing(text: string): Promise<void> {
    await this.until(() => !this.screen().includes(text), `no more ${text}`)
  }

  protected feed(data: string): void {
    this.raw += data
    this.held += data
    if (this.held.lastIndexOf(beginFrame) > this.held.lastIndexOf(endFrame)) return
    this.flush(() => {
      for (const watch of this.watchers) watch()
    })
  }

  /** Calls back when all that came so far is on the screen. */
  protected flush(done: () => void): void {
    const { held } = this
    this.held = ""
    this.terminal.write(held, done)
  }

  private until(holds: () => boolean, expectation: string): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(watch)
        reject(new Error(`Expected to ${expectation}, the screen shows:\n${this.screen()}`))
      }, deadline)
      const watch = () => {
        if (!holds()) return
        clearTimeout(timer)
        this.watchers.delete(watch)
        resolve()
      }
      this.watchers.add(watch)
    })
  }

  private text(from: number): string {
    const { active } = this.terminal.buffer
    const lines: Array<string> = []
    for (let row = from; row < active.baseY + this.terminal.rows; row += 1) {
      lines.push(active.getLine(row)?.translateToString(true) ?? "")
    }
    return lines.join("\n").trimEnd()
  }
}
