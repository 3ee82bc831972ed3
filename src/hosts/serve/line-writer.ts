/** Writes messages, a line each, and tells when their reader has taken them: whoever writes a lot waits for that. */

import { shownJson } from "../shown-json.ts"

/** A stream, or what writes to one. */
export interface LineOutput {
  /** Whether there is room for more. */
  write(text: string): boolean
  /** What was written and is not taken yet. */
  readonly pending: number
  /** Calls `listener` whenever something of it was taken, and when nobody reads any more. */
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

  /** What is no JSON in it is sent as a copy that is. */
  send(message: object): void {
    if (this.isOpen) this.output.write(`${shownJson(message)}\n`)
  }

  /** Resolves once no more than so many bytes wait for the reader. */
  async room(pending = 0): Promise<void> {
    while (this.isOpen && this.output.pending > pending) {
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Nobody reads any more, or nobody is to wait for it. */
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
