/** An editor that speaks ACP, made with the SDK's own client: its terminals are real processes, its buffers may be unsaved. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { Readable, Writable } from "node:stream"
import {
  type ClientCapabilities,
  type ClientConnection,
  type CreateTerminalRequest,
  client,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallContent,
} from "@agentclientprotocol/sdk"
import { onTestFinished } from "vitest"

export type Answer =
  | "allow_once"
  | "allow_always"
  | "reject_once"
  | "reject_always"
  | "cancelled"
  | { readonly optionId: string }

export interface EditorOptions {
  readonly capabilities?: ClientCapabilities
  /** What its user answers. Default: allows once. */
  readonly answer?: (request: RequestPermissionRequest) => Answer | Promise<Answer>
  /** Unsaved texts by path. */
  readonly buffers?: Map<string, string>
  /** Whether it gives no text of files, as of those outside of its project. */
  readonly refusesFiles?: boolean
}

/** What an editor knows of a tool call once the updates are laid over each other. */
export interface ShownCall {
  readonly title: string
  readonly kind: string
  readonly status: string
  readonly content: ReadonlyArray<ToolCallContent>
  readonly locations?: ReadonlyArray<{ readonly path: string; readonly line?: number }>
  readonly rawInput?: unknown
}

interface EditorTerminal {
  readonly request: CreateTerminalRequest
  readonly child: ChildProcess
  output: string
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>
  isReleased: boolean
}

export class Editor {
  readonly updates: Array<SessionUpdate> = []
  readonly asked: Array<RequestPermissionRequest> = []
  readonly terminals: Array<EditorTerminal> = []
  readonly buffers: Map<string, string>
  /** The requests for files, as `read PATH` and `write PATH`. */
  readonly fileRequests: Array<string> = []
  connection!: ClientConnection
  sessionId = ""
  private readonly options: EditorOptions
  private waiting: Array<() => void> = []

  constructor(options: EditorOptions) {
    this.options = options
    this.buffers = options.buffers ?? new Map()
  }

  /** Starts an agent, and a session in the folder. */
  static async open(
    command: ReadonlyArray<string>,
    cwd: string,
    options: EditorOptions & { readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<Editor & { readonly agent: ChildProcess }> {
    const [program = "", ...args] = command
    const agent = spawn(program, args, {
      cwd,
      env: { ...process.env, HOME: cwd, ...options.env },
      stdio: ["pipe", "pipe", "inherit"],
    })
    const editor = Object.assign(new Editor(options), { agent })
    const exited = once(agent, "exit")
    onTestFinished(async () => {
      editor.connection.close()
      agent.stdin!.end()
      await exited
      for (const { child } of editor.terminals) child.kill("SIGKILL")
    })
    const stream = ndJsonStream(
      Writable.toWeb(agent.stdin!) as WritableStream<Uint8Array>,
      Readable.toWeb(agent.stdout!) as ReadableStream<Uint8Array>,
    )
    editor.connection = editor.app().connect(stream)
    const { capabilities: clientCapabilities = {} } = options
    await editor.connection.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities,
    })
    const { sessionId } = await editor.connection.agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: [],
    })
    editor.sessionId = sessionId
    return editor
  }

  /** One turn of calls. Gives why it ended. */
  async prompt(...calls: ReadonlyArray<object | string>): Promise<string> {
    const text = calls.map((call) => (typeof call === "string" ? call : JSON.stringify(call))).join("\n")
    const { stopReason } = await this.connection.agent.request(methods.agent.session.prompt, {
      sessionId: this.sessionId,
      prompt: [{ type: "text", text }],
    })
    return stopReason
  }

  cancel(): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, { sessionId: this.sessionId })
  }

  /** A call as it is shown: what an update holds replaces what was there. */
  call(toolCallId: string): ShownCall {
    const shown: Record<string, unknown> = {}
    for (const update of this.updates) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue
      if (update.toolCallId === toolCallId) Object.assign(shown, update)
    }
    return shown as unknown as ShownCall
  }

  textOf(toolCallId: string): string {
    const texts = this.call(toolCallId).content.map((block) =>
      block.type === "content" && block.content.type === "text" ? block.content.text : "",
    )
    return texts.join("")
  }

  /** Resolves once what is shown is so. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  private changed(): void {
    const { waiting } = this
    this.waiting = []
    for (const resolve of waiting) resolve()
  }

  private app() {
    const { client: on } = methods
    return client({ name: "editor" })
      .onNotification(on.session.update, ({ params }) => {
        this.updates.push(params.update)
        this.changed()
      })
      .onRequest(on.session.requestPermission, async ({ params }) => {
        this.asked.push(params)
        this.changed()
        const answer = (await this.options.answer?.(params)) ?? "allow_once"
        if (answer === "cancelled") return { outcome: { outcome: "cancelled" } }
        if (typeof answer === "object") return { outcome: { outcome: "selected", ...answer } }
        const option = params.options.find(({ kind }) => kind === answer)
        if (option === undefined) throw RequestError.invalidParams(undefined, `There is no ${answer}`)
        return { outcome: { outcome: "selected", optionId: option.optionId } }
      })
      .onRequest(on.fs.readTextFile, async ({ params: { path } }) => {
        this.fileRequests.push(`read ${path}`)
        if (this.options.refusesFiles === true) throw RequestError.resourceNotFound(path)
        return { content: this.buffers.get(path) ?? (await readFile(path, "utf8")) }
      })
      .onRequest(on.fs.writeTextFile, async ({ params: { path, content } }) => {
        this.fileRequests.push(`write ${path}`)
        this.buffers.delete(path)
        await writeFile(path, content)
        return {}
      })
      .onRequest(on.terminal.create, async ({ params }) => ({
        terminalId: await this.createTerminal(params),
      }))
      .onRequest(on.terminal.output, ({ params }) => {
        const { output, child } = this.terminal(params.terminalId)
        const { exitCode, signalCode } = child
        const hasExited = exitCode !== null || signalCode !== null
        return {
          output,
          truncated: false,
          ...(hasExited && { exitStatus: { exitCode, signal: signalCode } }),
        }
      })
      .onRequest(on.terminal.waitForExit, ({ params }) => this.terminal(params.terminalId).exited)
      .onRequest(on.terminal.kill, ({ params }) => {
        this.end(this.terminal(params.terminalId))
        return {}
      })
      .onRequest(on.terminal.release, ({ params }) => {
        const terminal = this.terminal(params.terminalId)
        terminal.isReleased = true
        this.end(terminal)
        return {}
      })
  }

  private terminal(id: string): EditorTerminal {
    const terminal = this.terminals[Number(id)]
    if (terminal === undefined || terminal.isReleased) throw RequestError.resourceNotFound(id)
    return terminal
  }

  private async createTerminal(request: CreateTerminalRequest): Promise<string> {
    const { command, args = [], cwd, env = [] } = request
    const added = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    const child = spawn(command, args, {
      cwd: cwd ?? process.cwd(),
      env: { ...process.env, ...added },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    await once(child, "spawn")
    const exited = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }))
    const terminal: EditorTerminal = { request, child, output: "", exited, isReleased: false }
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text) => {
        terminal.output += text
        this.changed()
      })
    }
    this.terminals.push(terminal)
    return String(this.terminals.length - 1)
  }

  private end({ child }: EditorTerminal): void {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL")
  }
}
