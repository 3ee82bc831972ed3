/** Reads single keys from a terminal, and gives the terminal back as it was. */
import { emitKeypressEvents, type Key } from "node:readline"
import type { ReadStream } from "node:tty"
import type { TerminalOutput } from "./live-region.ts"

export interface KeyPress extends Key {
  /** What the key types, if it types anything. */
  readonly text: string
  /** Is a whole paste: text, whatever it says, and no decision. */
  readonly pasted: boolean
  /** Came at once with other keys, as what is pasted does where the terminal does not say so. Default false. */
  readonly inBurst?: boolean
}

const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" }

export class Keyboard {
  readonly input: ReadStream
  private readonly output: TerminalOutput
  private readonly onKey: (key: KeyPress) => void
  /** What is being pasted, as far as it has come. */
  private pasted: Array<string> | undefined
  /** What came with one read of the terminal. */
  private burst: Array<KeyPress> = []
  private isOpen = false

  /** Throws a TypeError for an input that is no terminal, which its type does not tell: standard input may be a pipe. */
  constructor(input: ReadStream, output: TerminalOutput, onKey: (key: KeyPress) => void) {
    if (typeof input.setRawMode !== "function")
      throw new TypeError(
        "Expected `input` to be a terminal, got a stream that is none: open a session only where `process.stdin.isTTY` is true",
      )
    this.input = input
    this.output = output
    this.onKey = onKey
  }

  open(): void {
    if (this.isOpen) return
    this.isOpen = true
    emitKeypressEvents(this.input)
    this.input.setRawMode(true)
    this.input.on("keypress", this.press)
    this.input.resume()
    this.output.write(bracketedPaste.on)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.input.off("keypress", this.press)
    this.input.setRawMode(false)
    this.input.pause()
    this.output.write(bracketedPaste.off)
  }

  private readonly press = (text: string | undefined, key: Key): void => {
    if (key.name === "paste-start") this.pasted = []
    else if (key.name === "paste-end") this.endPaste()
    else if (this.pasted !== undefined) this.pasted.push(text ?? key.sequence ?? "")
    else this.take({ ...key, text: text ?? "", pasted: false })
  }

  /** A paste is one key, however long it is. */
  private endPaste(): void {
    const text = this.pasted?.join("") ?? ""
    this.pasted = undefined
    if (text !== "") this.take({ text, pasted: true })
  }

  /** Handed on when all that came at once is known. */
  private take(key: KeyPress): void {
    this.burst.push(key)
    if (this.burst.length === 1) queueMicrotask(() => this.handOn())
  }

  private handOn(): void {
    const keys = this.burst
    this.burst = []
    const inBurst = keys.length > 1
    for (const key of keys) if (this.isOpen) this.onKey(inBurst ? { ...key, inBurst } : key)
  }
}
