/** Reads single keys from a terminal, and restores the terminal afterwards. */
import { emitKeypressEvents, type Key } from "node:readline"
import { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import type { ReadStream } from "node:tty"
import type { TerminalOutput } from "./live-region.ts"

export interface KeyPress extends Key {
  /** What the key types, if it types anything. */
  readonly text: string
  /** Whether this is a whole paste: text, and never a decision. */
  readonly pasted: boolean
  /** Whether the key came together with others, as pasted keys do if the terminal does not mark pastes. Default false. */
  readonly inBurst?: boolean
}

const escape = "\u001b"
/** Before these characters, Escape begins a sequence, or is Alt for a key of the line editor; otherwise it is the Escape key. */
const escapeKey = /\u001b(?![[Obfd\r\n\u007f\b])/
/** In characters: systems deliver a paste in parts of at least about this length. */
const longRead = 1000
/** Maximum milliseconds between the parts of one sequence on a slow line. */
const longestGap = 50

const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" }

export class Keyboard {
  readonly input: ReadStream
  private readonly output: TerminalOutput
  private readonly onKey: (key: KeyPress) => void
  /** The paste so far. */
  private pasted: Array<string> | undefined
  /** The keys of one read of the terminal. */
  private burst: Array<KeyPress> = []
  private isOpen = false
  /** Node parses keys from this stream. */
  private readonly sequences = new Readable({ read() {} })
  private decoder = new StringDecoder()
  /** Runs after an escape at the end of a read, since the rest of a sequence can follow. */
  private escapeTimer: NodeJS.Timeout | undefined
  /** Whether the last read was long, and whether the current one is its rest. */
  private wasLong = false
  private isRest = false
  /** Whether the read was typed before the terminal was in raw mode, when Enter became a line end. */
  private isTypedAhead = false

  /** Throws a TypeError for an input that is not a terminal, which the type does not exclude: standard input can be a pipe. */
  constructor(input: ReadStream, output: TerminalOutput, onKey: (key: KeyPress) => void) {
    if (typeof input.setRawMode !== "function")
      throw new TypeError(
        "Expected `input` to be a terminal, got a stream that is none: open a session only where `process.stdin.isTTY` is true",
      )
    this.input = input
    this.output = output
    this.onKey = onKey
    emitKeypressEvents(this.sequences)
    this.sequences.on("keypress", this.press)
  }

  open(): void {
    if (this.isOpen) return
    this.isOpen = true
    this.isTypedAhead = true
    this.input.setRawMode(true)
    this.input.on("data", this.read)
    this.input.resume()
    // After one turn of the event loop, everything was read.
    setImmediate(() =>
      setImmediate(() => {
        this.isTypedAhead = false
      }),
    )
    this.output.write(bracketedPaste.on)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.input.off("data", this.read)
    clearTimeout(this.escapeTimer)
    this.escapeTimer = undefined
    this.decoder = new StringDecoder()
    this.input.setRawMode(false)
    this.input.pause()
    this.output.write(bracketedPaste.off)
  }

  private readonly read = (chunk: Buffer): void => {
    let text = this.decoder.write(chunk)
    if (text === "") return
    this.isRest = this.wasLong
    this.wasLong = text.length >= longRead
    if (this.isTypedAhead) text = text.replaceAll("\n", "\r")
    if (this.escapeTimer !== undefined) {
      clearTimeout(this.escapeTimer)
      if (/^[[O]/.test(text)) text = escape + text
      else this.handOnEscape()
      this.escapeTimer = undefined
    }
    const isCut = text.endsWith(escape)
    for (const [index, keys] of (isCut ? text.slice(0, -1) : text).split(escapeKey).entries()) {
      if (index > 0) this.pressEscape()
      if (keys !== "") this.sequences.emit("data", keys)
    }
    if (isCut && this.isOpen) this.escapeTimer = setTimeout(this.handOnEscape, longestGap)
  }

  private pressEscape(): void {
    this.press(undefined, { name: "escape", sequence: escape, ctrl: false, meta: false, shift: false })
  }

  /** Handles an escape that came before the next read, not with it. */
  private readonly handOnEscape = (): void => {
    this.escapeTimer = undefined
    this.pressEscape()
    this.handOn()
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

  /** Keys are passed on when all keys of one read are known. */
  private take(key: KeyPress): void {
    this.burst.push(key)
    if (this.burst.length === 1) queueMicrotask(() => this.handOn())
  }

  private handOn(): void {
    const keys = this.burst
    this.burst = []
    const inBurst = keys.length > 1 || this.isRest
    for (const key of keys) if (this.isOpen) this.onKey(inBurst ? { ...key, inBurst } : key)
  }
}
