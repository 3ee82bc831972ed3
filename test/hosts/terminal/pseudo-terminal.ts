/** The command in a real pseudo-terminal: what a person would see. */
import { readSync } from "node:fs"
import type { ReadStream } from "node:tty"
import pty from "@lydell/node-pty"
import { plainEnvironment } from "../../cli/built-cli.ts"
import { Screen, type ScreenOptions } from "./screen.ts"

export interface PseudoTerminalOptions extends ScreenOptions {
  readonly cwd?: string
  /** Default: this process's own. */
  readonly env?: NodeJS.ProcessEnv
}

/** The next part of what the kernel still holds of a terminal whose process has ended: empty after the last. */
const nextUnread = (fd: number): Buffer => {
  const bytes = Buffer.alloc(4096)
  try {
    return bytes.subarray(0, readSync(fd, bytes))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return Buffer.alloc(0)
    throw error
  }
}

export class PseudoTerminal extends Screen implements AsyncDisposable {
  private readonly child: pty.IPty
  /** The exit status, once everything that was written is on the screen. */
  readonly exited: Promise<number>

  /** @param args Of node. */
  constructor(args: ReadonlyArray<string>, options: PseudoTerminalOptions = {}) {
    super(options)
    const { columns: cols = 80, rows = 24, cwd = process.cwd(), env = process.env } = options
    this.child = pty.spawn(process.execPath, [...args], {
      cols,
      rows,
      cwd,
      name: env.TERM === "dumb" ? "dumb" : "xterm-256color",
      // A test leaves nothing behind, unless it says where.
      env: { XDG_STATE_HOME: "/dev/null", ...plainEnvironment(env) },
    })
    this.keepAll()
    this.child.onData((data) => this.feed(data))
    this.exited = new Promise((resolve) => {
      // The write comes back when it and all before it is on the screen.
      this.child.onExit(({ exitCode }) => this.flush(() => resolve(exitCode)))
    })
  }

  /** The process that runs in it. */
  get pid(): number {
    return this.child.pid
  }

  type(text: string): void {
    this.child.write(text)
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    this.child.resize(columns, rows)
  }

  /** Node takes what it reads once after the end of the process for all there is, and node-pty waits for no more than 200 ms. */
  private keepAll(): void {
    const { _socket: output, fd } = this.child as unknown as { _socket: ReadStream; fd: number }
    const push = output.push.bind(output)
    output.push = (chunk) => {
      if (chunk === null) {
        for (let rest = nextUnread(fd); rest.length > 0; rest = nextUnread(fd)) push(rest)
      }
      return push(chunk)
    }
    const destroy = output.destroy.bind(output)
    output.destroy = (error) => (error === undefined && !output.readableEnded ? output : destroy(error))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL")
    await this.exited
    this.terminal.dispose()
  }
}
