/** The command in a real pseudo-terminal, read through a terminal emulator: what a person would see. */
import pty from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { plainEnvironment } from "../../cli/built-cli.ts"

export interface PseudoTerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
  /** Default: this process's own. */
  readonly env?: NodeJS.ProcessEnv
}

const deadline = 25_000
// What stands between them shows at once, though the kernel may hand it on in parts.
const beginFrame = "\u001b[?2026h"
const endFrame = "\u001b[?2026l"

export class PseudoTerminal implements AsyncDisposable {
  private readonly child: pty.IPty
  private readonly terminal: xterm.Terminal
  private readonly watchers = new Set<() => void>()
  /** The beginning of a frame whose end has not come yet. */
  private held = ""
  /** The exit status, once everything that was written is on the screen. */
  readonly exited: Promise<number>
  /** All that was written, escape sequences included. */
  raw = ""

  /** @param args Of node. */
  constructor(args: ReadonlyArray<string>, options: PseudoTerminalOptions = {}) {
    const { columns: cols = 80, rows = 24, cwd = process.cwd(), env = process.env } = options
    this.terminal = new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true })
    this.child = pty.spawn(process.execPath, [...args], {
      cols,
      rows,
      cwd,
      name: "xterm-256color",
      env: plainEnvironment(env),
    })
    this.child.onData((data) => {
      this.raw += data
      this.held += data
      if (this.held.lastIndexOf(beginFrame) > this.held.lastIndexOf(endFrame)) return
      this.terminal.write(this.takeHeld(), () => {
        for (const watch of this.watchers) watch()
      })
    })
    this.exited = new Promise((resolve) => {
      // The write comes back when it and all before it is on the screen.
      this.child.onExit(({ exitCode }) => this.terminal.write(this.takeHeld(), () => resolve(exitCode)))
    })
  }

  /** The process that runs in it. */
  get pid(): number {
    return this.child.pid
  }

  /** Keys as a terminal sends them. */
  type(text: string): void {
    this.child.write(text)
  }

  /** A line and Enter. */
  enter(line: string): void {
    this.type(`${line}\r`)
  }

  control(letter: string): void {
    this.type(String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64))
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    this.child.resize(columns, rows)
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL")
    await this.exited
    this.terminal.dispose()
  }

  private takeHeld(): string {
    const { held } = this
    this.held = ""
    return held
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
