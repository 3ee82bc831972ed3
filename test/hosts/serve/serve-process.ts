/** `stepline serve` as a process, driven by raw lines. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { plainEnvironment } from "../../cli/built-cli.ts"

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly params?: { readonly seq: number; readonly event: Record<string, unknown> }
}

export interface ServeProcessOptions {
  readonly cwd: string
  readonly args?: ReadonlyArray<string>
  /** Besides this process's own. */
  readonly env?: NodeJS.ProcessEnv
}

export class ServeProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** All that came so far. */
  readonly messages: Array<Message> = []
  stderr = ""
  private readonly lines: AsyncIterator<string>
  private ids = 0

  constructor(cli: string, { cwd, args = [], env }: ServeProcessOptions) {
    this.child = spawn(process.execPath, [cli, "serve", ...args], {
      cwd,
      env: { ...plainEnvironment(process.env), HOME: cwd, ...env },
    })
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.stderr += text))
    this.child.stdin.on("error", () => {})
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  write(...lines: ReadonlyArray<string>): void {
    this.child.stdin.write(`${lines.join("\n")}\n`)
  }

  send(method: string, params?: object): number {
    this.ids += 1
    this.write(JSON.stringify({ jsonrpc: "2.0", id: this.ids, method, params }))
    return this.ids
  }

  notify(method: string, params: object): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params }))
  }

  /** Undefined once there are no more. */
  async next(): Promise<Message | undefined> {
    const { value, done } = await this.lines.next()
    if (done) return undefined
    const message = JSON.parse(value) as Message
    this.messages.push(message)
    return message
  }

  /** The next message for which this holds. */
  async until(holds: (message: Message) => boolean): Promise<Message> {
    for (let message = await this.next(); message !== undefined; message = await this.next()) {
      if (holds(message)) return message
    }
    throw new Error(`It ended before that, with ${this.stderr}`)
  }

  async request(method: string, params?: object): Promise<Message> {
    const id = this.send(method, params)
    return this.until((message) => message.id === id)
  }

  event(tag: string, callId?: string): Promise<Message> {
    return this.until(({ params }) => {
      const event = params?.event
      return event?._tag === tag && (callId === undefined || event.callId === callId)
    })
  }

  /** Reads all that is left. Gives the exit status, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    const exit =
      this.child.exitCode !== null || this.child.signalCode !== null ? undefined : once(this.child, "exit")
    while ((await this.next()) !== undefined);
    await exit
    return this.child.exitCode ?? this.child.signalCode
  }

  /** What was told, by its tags. */
  get tags(): ReadonlyArray<unknown> {
    return this.messages.flatMap(({ params }) => (params === undefined ? [] : [params.event._tag]))
  }
}
