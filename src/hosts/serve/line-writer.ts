/** Writes messages, one per line, and reports when their reader has taken them, so that large writes can wait. */

import { shownJson } from "../shown-json.ts"

/** A stream, or an adapter to one. */
export interface LineOutput {
  /** Whether there is room for more. */
  write(text: string): boolean
  /** Bytes that were written and not taken yet. */
  readonly pending: number
  /** Calls `listener` whenever bytes were taken, and when the reader is gone. */
  onRoom(listener: () => void): void
}

export class LineWriter {
  private readonly output: LineOutput
  private waiting: Array<() => void> = []
  private isOpen = true

  constructor(output: LineOutput) {
    this.output = output
    output.onRoom(() => this.release())
  }

  /** Sends a message; values that JSON cannot represent are replaced by copies that it can. */
  send(message: object): void {
    if (this.isOpen) this.output.write(`${shownJson(message)}\n`)
  }

  /** Resolves once at most `pending` bytes wait for the reader. */
  async room(pending = 0): Promise<void> {
    while (this.isOpen && this.output.pending > pending) {
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Ends all waits, when the reader is gone or no longer awaited. */
  close(): void {
    this.isOpen = false
    this.release()
  }

  private release(): void {
    const { waiting } = this
    this.waiting = []
    for (const resolve of waiting) resolve()
  }
}
