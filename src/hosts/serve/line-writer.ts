/** Writes messages, a line each, and reports when their reader has taken them, so that writers of much can wait. */

import { shownJson } from "../shown-json.ts"

/** A stream, or an adapter to one. */
export interface LineOutput {
  /** Whether there is room for more. */
  write(text: string): boolean
  /** Bytes that were written and are not taken yet. */
  readonly pending: number
  /** Calls `listener` whenever some bytes were taken, and when nobody reads any more. */
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

  /** Sends a message; parts that are no JSON are replaced by copies that are. */
  send(message: object): void {
    if (this.isOpen) this.output.write(`${shownJson(message)}\n`)
  }

  /** Resolves once at most `pending` bytes wait for the reader. */
  async room(pending = 0): Promise<void> {
    while (this.isOpen && this.output.pending > pending) {
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Ends all waits: nobody reads any more, or is waited for. */
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
