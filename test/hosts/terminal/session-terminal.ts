/** A session on a terminal within this process, for what needs no process of its own: it starts in milliseconds. */
import { PassThrough } from "node:stream"
import type { ReadStream, WriteStream } from "node:tty"
import { Session } from "../../../src/hosts/terminal/session.ts"
import type { SessionOptions } from "../../../src/hosts/terminal/session-options.ts"
import { Screen, type ScreenOptions } from "./screen.ts"

export class SessionTerminal extends Screen implements AsyncDisposable {
  readonly session: Session
  /** Resolves once the session has ended, and all that it wrote is on the screen. */
  readonly ended: Promise<void>
  private readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  private readonly output: PassThrough & { columns: number; rows: number }

  constructor(options: SessionOptions, screen: ScreenOptions = {}) {
    super(screen)
    const { columns = 80, rows = 24 } = screen
    const output = new PassThrough({ decodeStrings: false, encoding: "utf8" })
    this.output = Object.assign(output, { isTTY: true, columns, rows, hasColors: () => false })
    this.output.on("data", (data: string) => this.feed(data))
    this.session = new Session({
      colors: false,
      ...options,
      input: this.input as unknown as ReadStream,
      output: this.output as unknown as WriteStream,
    })
    this.ended = this.session.run().then(
      () =>
        new Promise((resolve) => {
          // What was written comes out of the stream in a later turn.
          setImmediate(() => this.flush(resolve))
        }),
    )
  }

  type(text: string): void {
    this.input.write(text)
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    Object.assign(this.output, { columns, rows })
    this.output.emit("resize")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.leave()
    await this.ended
    this.terminal.dispose()
  }
}
