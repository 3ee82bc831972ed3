/**
 * A small agent with real extensions or custom tools: an executor, a history that it keeps as agents do, and a user
 * who is either absent or types given keys.
 */

import { onTestFinished } from "vitest"
import {
  type Component,
  type CustomToolHost,
  CustomTools,
  MemorySession,
  noOpUI,
  plainTheme,
  type ToolPath,
  type UIContext,
} from "../../../src/custom-tools/index.ts"
import { ToolExecutor, ToolRegistry, type ToolResult } from "../../../src/index.ts"

export interface ExampleAgentOptions {
  readonly paths: ReadonlyArray<ToolPath>
  readonly cwd: string
  readonly home: string
  /** What an earlier agent has kept. Default: nothing. */
  readonly session?: MemorySession
  /** What the user types into each screen, and answers to each `select`. Default: there is no user. */
  readonly user?: { readonly keys?: ReadonlyArray<string>; readonly choice?: string }
  readonly flags?: CustomToolHost["flags"]
}

/** What the host is asked and told, besides events. */
export interface HostRecord {
  readonly notices: Array<string>
  readonly userMessages: Array<unknown>
  /** What screens drew, the last drawing of each. */
  readonly screens: Array<string>
  shutdowns: number
}

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/** Draws a component, types the keys into it, and draws it after each. Resolves when it closes itself. */
const show = <T>(
  factory: (...parts: Array<unknown>) => unknown,
  keys: ReadonlyArray<string>,
  screens: Array<string>,
): Promise<T> =>
  new Promise((resolve) => {
    const screen = { requestRender: () => {}, terminal: { columns: 80, rows: 24 } }
    const component = factory(screen, plainTheme, {}, resolve) as Component
    const index = screens.length
    const draw = () => {
      screens[index] = component.render(80).join("\n")
    }
    draw()
    for (const key of keys) {
      component.handleInput?.(key)
      draw()
    }
  })

const userInterface = (record: HostRecord, user: ExampleAgentOptions["user"]): UIContext => ({
  ...noOpUI,
  notify: (message) => {
    record.notices.push(message)
  },
  select: async () => user?.choice,
  custom: (factory) => show(factory, user?.keys ?? [], record.screens),
})

export class ExampleAgent {
  readonly tools: CustomTools
  readonly executor: ToolExecutor
  readonly session: MemorySession
  readonly record: HostRecord
  /** The tools that gave a result, errors included. */
  readonly executed = new Set<string>()

  private constructor(parts: Pick<ExampleAgent, "tools" | "executor" | "session" | "record">) {
    this.tools = parts.tools
    this.executor = parts.executor
    this.session = parts.session
    this.record = parts.record
  }

  /** Loads them with our stand-ins for all that they import of their agents, and starts the session. */
  static async start(options: ExampleAgentOptions): Promise<ExampleAgent> {
    const { paths, cwd, home, session = new MemorySession(), user, flags = {} } = options
    const record: HostRecord = { notices: [], userMessages: [], screens: [], shutdowns: 0 }
    const host: CustomToolHost = {
      cwd,
      logger: silent,
      approval: false,
      sessionManager: session,
      ui: userInterface(record, user),
      hasUI: user !== undefined,
      mode: user === undefined ? "print" : "tui",
      flags,
      shutdown: () => {
        record.shutdowns++
      },
      sendMessage: () => {},
      sendUserMessage: (content) => {
        record.userMessages.push(content)
      },
      appendEntry: (customType, data) => {
        session.append({ type: "custom", customType, data })
      },
      setSessionName: (name) => session.setSessionName(name),
    }
    const registry = new ToolRegistry()
    const loading = { cwd, home, registry, host, paths, discovery: false as const }
    const tools = await CustomTools.load({ ...loading, standIns: "always" })
    const executor = new ToolExecutor(registry, { cwd, hooks: tools.hooks })
    onTestFinished(() => executor.shutdown())
    tools.attach(executor)
    await tools.emit({ reason: "start" })
    return new ExampleAgent({ tools, executor, session, record })
  }

  async run(name: string, params: unknown = {}): Promise<ToolResult> {
    const callId = crypto.randomUUID()
    const result = await this.executor.run({ callId, name, params })
    const { content, details } = result.output
    const message = { role: "toolResult", toolCallId: callId, toolName: name, isError: result.isError }
    const plain: unknown = JSON.parse(JSON.stringify({ ...message, content, details }))
    this.session.append({ type: "message", message: plain })
    this.executed.add(name)
    return result
  }

  async text(name: string, params?: unknown): Promise<string> {
    return (await this.run(name, params)).content
  }

  command(name: string, args?: string): Promise<void> {
    return this.tools.extensions.runCommand(name, args)
  }

  get names(): Array<string> {
    return this.executor
      .agent()
      .definitions()
      .map(({ name }) => name)
  }
}
