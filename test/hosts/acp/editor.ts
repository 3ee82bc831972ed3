/** Editors that speak ACP, made with the SDK's own client: their terminals are real processes, their buffers may be unsaved. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { Readable, Writable } from "node:stream"
import {
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  client,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type TerminalOutputResponse,
  type ToolCallContent,
} from "@agentclientprotocol/sdk"

export type Answer =
  | "allow_once"
  | "allow_always"
  | "reject_once"
  | "reject_always"
  | "cancelled"
  | { readonly optionId: string }

export interface AgentOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** Of all editors that use it. */
  readonly capabilities?: ClientCapabilities
}

export interface EditorOptions {
  /** What its user answers. Default: allows once. */
  readonly answer?: (request: RequestPermissionRequest) => Answer | Promise<Answer>
  /** What its user fills into a form. */
  readonly fill?: (request: CreateElicitationRequest) => CreateElicitationResponse
  /** Unsaved texts by path. */
  readonly buffers?: Map<string, string>
  /** Whether it gives no text of files, as of those outside of its project. */
  readonly refusesFiles?: boolean
  /** Whether reading a file fails in the editor. */
  readonly failsFiles?: boolean
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

/** An agent on its standard streams. Editors that have a session each may use it, one after the other or beside each other. */
export class Agent implements AsyncDisposable {
  readonly process: ChildProcess
  readonly connection: ClientConnection
  readonly editors = new Map<string, Editor>()

  private constructor(process: ChildProcess) {
    this.process = process
    this.connection = this.client().connect(
      ndJsonStream(
        Writable.toWeb(process.stdin!) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdout!) as ReadableStream<Uint8Array>,
      ),
    )
  }

  static async start([program = "", ...args]: ReadonlyArray<string>, options: AgentOptions): Promise<Agent> {
    const { cwd, env, capabilities: clientCapabilities = {} } = options
    const stdio = ["pipe", "pipe", "inherit"] as const
    const agent = new Agent(spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: [...stdio] }))
    await agent.connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities })
    return agent
  }

  /** An editor with a session in the folder. */
  async open(cwd: string, options: EditorOptions = {}): Promise<Editor> {
    const session = await this.connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
    const editor = new Editor(this, session.sessionId, options)
    this.editors.set(session.sessionId, editor)
    return editor
  }

  /** As when the editor's program ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.process, "exit")
    this.connection.close()
    this.process.stdin!.end()
    if (this.process.exitCode === null && this.process.signalCode === null) await exited
    for (const { terminals } of this.editors.values()) {
      for (const { child } of terminals) child.kill("SIGKILL")
    }
  }

  private client() {
    const { client: on } = methods
    const of = ({ sessionId }: { readonly sessionId: string }) => this.editors.get(sessionId)!
    return client({ name: "editor" })
      .onNotification(on.session.update, ({ params }) => of(params).update(params.update))
      .onRequest(on.session.requestPermission, ({ params }) => of(params).permit(params))
      .onRequest(on.elicitation.create, ({ params }) =>
        of(params as { readonly sessionId: string }).options.fill!(params),
      )
      .onRequest(on.fs.readTextFile, ({ params }) => of(params).read(params.path))
      .onRequest(on.fs.writeTextFile, ({ params }) => of(params).write(params.path, params.content))
      .onRequest(on.terminal.create, ({ params }) => of(params).createTerminal(params))
      .onRequest(on.terminal.output, ({ params }) => of(params).outputOf(params.terminalId))
      .onRequest(on.terminal.waitForExit, ({ params }) => of(params).terminal(params.terminalId).exited)
      .onRequest(on.terminal.kill, ({ params }) => of(params).kill(params.terminalId))
      .onRequest(on.terminal.release, ({ params }) => of(params).release(params.terminalId))
  }
}

export class Editor {
  readonly updates: Array<SessionUpdate> = []
  readonly asked: Array<RequestPermissionRequest> = []
  readonly terminals: Array<EditorTerminal> = []
  readonly buffers: Map<string, string>
  /** The requests for files, as `read PATH` and `write PATH`. */
  readonly fileRequests: Array<string> = []
  readonly agent: Agent
  readonly sessionId: string
  readonly options: EditorOptions
  private waiting: Array<() => void> = []

  constructor(agent: Agent, sessionId: string, options: EditorOptions) {
    this.agent = agent
    this.sessionId = sessionId
    this.options = options
    this.buffers = options.buffers ?? new Map()
  }

  /** One turn of calls. Gives why it ended. */
  async prompt(...calls: ReadonlyArray<object | string>): Promise<string> {
    const text = calls.map((call) => (typeof call === "string" ? call : JSON.stringify(call))).join("\n")
    const { stopReason } = await this.agent.connection.agent.request(methods.agent.session.prompt, {
      sessionId: this.sessionId,
      prompt: [{ type: "text", text }],
    })
    return stopReason
  }

  cancel(): Promise<void> {
    return this.agent.connection.agent.notify(methods.agent.session.cancel, { sessionId: this.sessionId })
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

  update(update: SessionUpdate): void {
    this.updates.push(update)
    this.changed()
  }

  async permit(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    this.asked.push(request)
    this.changed()
    const answer = (await this.options.answer?.(request)) ?? "allow_once"
    if (answer === "cancelled") return { outcome: { outcome: "cancelled" } }
    if (typeof answer === "object") return { outcome: { outcome: "selected", ...answer } }
    const option = request.options.find(({ kind }) => kind === answer)
    if (option === undefined) throw RequestError.invalidParams(undefined, `There is no ${answer}`)
    return { outcome: { outcome: "selected", optionId: option.optionId } }
  }

  async read(path: string): Promise<{ content: string }> {
    this.fileRequests.push(`read ${path}`)
    if (this.options.refusesFiles === true) throw RequestError.resourceNotFound(path)
    if (this.options.failsFiles === true) throw RequestError.internalError(undefined, "out of memory")
    return { content: this.buffers.get(path) ?? (await readFile(path, "utf8")) }
  }

  async write(path: string, content: string): Promise<object> {
    this.fileRequests.push(`write ${path}`)
    this.buffers.delete(path)
    await writeFile(path, content)
    return {}
  }

  async createTerminal(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
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
    return { terminalId: String(this.terminals.length - 1) }
  }

  terminal(id: string): EditorTerminal {
    const terminal = this.terminals[Number(id)]
    if (terminal === undefined || terminal.isReleased) throw RequestError.resourceNotFound(id)
    return terminal
  }

  outputOf(id: string): TerminalOutputResponse {
    const { output, child } = this.terminal(id)
    const { exitCode, signalCode } = child
    const hasExited = exitCode !== null || signalCode !== null
    return {
      output,
      truncated: false,
      ...(hasExited && { exitStatus: { exitCode, signal: signalCode } }),
    }
  }

  kill(id: string): object {
    const { child } = this.terminal(id)
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL")
    return {}
  }

  release(id: string): object {
    const terminal = this.terminal(id)
    this.kill(id)
    terminal.isReleased = true
    return {}
  }

  private changed(): void {
    const { waiting } = this
    this.waiting = []
    for (const resolve of waiting) resolve()
  }
}
