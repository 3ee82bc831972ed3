/**
 * A module in a process of its own, to its host like any other: its factory registers tools whose `execute` asks the process.
 * The process is not trusted: all that it sends is checked here, or by what checks the tools of any module.
 */
import { toPlainJson } from "../../output/to-plain-json.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { currentCall } from "../current-call.ts"
import type { CustomToolAPI, CustomToolContext } from "../custom-tool.ts"
import type { ExtensionAPI, ExtensionCommand, ExtensionContext, ExtensionFlag } from "../extension.ts"
import { loggerOf } from "../file-logger.ts"
import type { CustomToolHost } from "../host.ts"
import type { ArgumentOrder, OpenedModule, ReturnedTools, ToolPath } from "../loaded-tool.ts"
import { runOutside } from "../loading/isolation.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import type { ModuleLoader } from "../loading/module-loader.ts"
import type { SessionEvent } from "../session-events.ts"
import { type AnyTool, takeTool } from "../tool-shape.ts"
import { noOpUI } from "../ui-context.ts"
import { dialogs, hostMethods, logLevels, stateMethods, toldOf, uiNotes } from "./methods.ts"
import { type Asker, ModuleProcess } from "./module-process.ts"
import type { Message } from "./peer.ts"

type API = CustomToolAPI & Partial<ExtensionAPI>

const listOf = (value: unknown): Array<unknown> => (Array.isArray(value) ? value : [])
const objectsOf = (value: unknown): Array<Message> => listOf(value).filter(isPlainObject)
const textsOf = (value: unknown): Array<string> => listOf(value).filter((text) => typeof text === "string")

class IsolatedModule {
  private readonly process: ModuleProcess
  private readonly host: CustomToolHost
  /** Undefined while the module is loaded. */
  private api: API | undefined
  /** What was last said of each tool, listener, command and flag. */
  private readonly known = new Map<string, string>()
  /** What was registered before `wire`. */
  private readonly early: Array<readonly [kind: string, note: Message]> = []

  constructor(
    path: string,
    argumentOrder: ArgumentOrder | undefined,
    cwd: string,
    { mode: standIns, timeout: loadTimeout }: ModuleLoader,
    { host = {}, home, env }: LoadOptions,
  ) {
    this.host = host
    const params = () => {
      const { mode, flags, settings } = host
      const told = { mode, flags, settings: toPlainJson(settings), cwd: host.cwd }
      return { cwd, standIns, loadTimeout, argumentOrder, home, env, host: told }
    }
    const state = () => ({
      hasUI: this.api?.hasUI ?? host.hasUI,
      ...Object.fromEntries(stateMethods.map((name) => [name, host[name]?.()])),
    })
    this.process = new ModuleProcess(
      { path, env, loadTimeout, params, state },
      (method, given, signal, asker) => this.take(method, given, signal, asker),
    )
  }

  async open(): Promise<OpenedModule> {
    const loaded = await this.process.load()
    const [tools, errors] = [objectsOf(loaded.tools), textsOf(loaded.errors)]
    const [error] = errors
    if (error !== undefined && tools.length + this.early.length === 0) {
      this.process.end()
      return { error }
    }
    return { factory: (api) => this.wire(api as API, tools), errors }
  }

  private async wire(api: API, tools: Array<Message>): Promise<ReturnedTools> {
    this.api = api
    const isReturned = ({ kind }: Message) => kind === "omp"
    for (const tool of tools) if (!isReturned(tool)) this.register("tool", tool)
    for (const [kind, note] of this.early) this.register(kind, note)
    api.on?.("session_shutdown", () => this.process.end())
    return tools.filter(isReturned).map((tool) => this.proxy(tool))
  }

  /** Registers what the module did, at any time. A process that starts again says what the last one said. */
  private register(kind: string, note: Message): void {
    const { api } = this
    if (api === undefined) {
      this.early.push([kind, note])
      return
    }
    const name = String(note.name)
    const text = JSON.stringify(note)
    if (this.known.get(`${kind} ${name}`) === text) return
    this.known.set(`${kind} ${name}`, text)
    if (kind === "tool") api.registerTool?.(this.proxy(note) as never)
    if (kind === "listener") this.listen(api, name)
    if (kind === "command") this.registerCommand(api, name, note.description)
    if (kind === "flag" && isPlainObject(note.flag))
      api.registerFlag?.(name, note.flag as unknown as ExtensionFlag)
  }

  private listen(api: API, type: string): void {
    const isHook = type === "tool_call" || type === "tool_result"
    const hook = (event: Message, context: ExtensionContext) =>
      this.process.ask("hook", { event }, { context }, context.signal)
    api.on?.(type, isHook ? hook : (event, context) => this.process.emit(event, { context }))
  }

  private registerCommand(api: API, name: string, description: unknown): void {
    const handler: ExtensionCommand["handler"] = (args, context) =>
      this.process.ask("command", { name, args }, { context })
    api.registerCommand?.(name, { handler, ...(typeof description === "string" && { description }) })
  }

  private proxy({ kind, hasOnSession, ...described }: Message): AnyTool | undefined {
    const { name } = described
    const onSession = (event: SessionEvent, context: CustomToolContext) =>
      this.session(name, event, context, hasOnSession === true)
    const execute = (...parts: Array<unknown>) => this.execute(name, parts)
    return takeTool({ ...toldOf(described), execute, ...(kind === "omp" && { onSession }) })
  }

  /** The order of arguments depends on the runtime and its version: their kinds do not. */
  private execute(tool: unknown, [callId, params, ...rest]: Array<unknown>): Promise<unknown> {
    const signal = rest.find((part): part is AbortSignal => part instanceof AbortSignal)
    const onUpdate = rest.find((part): part is NonNullable<Asker["onUpdate"]> => typeof part === "function")
    const context = rest.find((part) => part !== signal && typeof part === "object") as Asker["context"] & {
      readonly cwd: string
    }
    const { agentId } = currentCall.getStore()?.agent ?? {}
    const call = { tool, callId, params, cwd: context.cwd, agentId }
    return this.process.ask("call", call, { onUpdate, context }, signal)
  }

  private async session(
    tool: unknown,
    event: SessionEvent,
    context: CustomToolContext,
    isHeard: boolean,
  ): Promise<void> {
    if (isHeard) await this.process.ask("session", { tool, event }, { context })
    if (event.reason === "shutdown" && this.api?.on === undefined) this.process.end()
  }

  /** Answers the process. */
  private take(method: string, params: Message, signal: AbortSignal, asker: Asker | undefined): unknown {
    switch (method) {
      case "tool":
      case "listener":
      case "command":
      case "flag":
        return this.register(method, params)
      case "log":
        return this.log(params)
      case "update":
        return asker?.onUpdate?.(params.update as never)
      case "abort":
        return asker?.context?.abort()
      case "ui":
        return this.show(params, signal)
      case "host": {
        const name = hostMethods.find((each) => each === params.name)
        const act: Method | undefined = name && this.host[name]
        return runOutside(() => act?.apply(this.host, listOf(params.args)))
      }
    }
  }

  private log({ level, message, context }: Message): void {
    const known = logLevels.find((each) => each === level)
    if (known === undefined || typeof message !== "string") return
    runOutside(() => loggerOf(this.host)[known](message, isPlainObject(context) ? context : undefined))
  }

  private show({ name, args, timeout }: Message, signal: AbortSignal): unknown {
    const method = [...dialogs, ...uiNotes].find((each) => each === name)
    const [first, second] = listOf(args)
    if (method === undefined || typeof first !== "string")
      throw new TypeError("Expected texts for the screen")
    const list = Array.isArray(second) ? textsOf(second) : undefined
    const text = typeof second === "string" ? second : undefined
    const dialog = { signal, ...(typeof timeout === "number" && { timeout }) }
    const given = method === "select" ? (list ?? []) : method === "setWidget" ? list : text
    const ui: Readonly<Record<string, unknown>> = this.api?.ui ?? noOpUI
    return (ui[method] as Method)(first, given, ...(dialogs.includes(method as never) ? [dialog] : []))
  }
}

type Method = (...parts: Array<unknown>) => unknown

/** Starts the process of a module and loads it there. */
export const openIsolated = async (
  loader: ModuleLoader,
  { resolvedPath, argumentOrder }: ToolPath & { readonly resolvedPath: string },
  cwd: string,
  options: LoadOptions,
): Promise<OpenedModule> => {
  if (loader.check !== undefined)
    throw new Error("Its files cannot be checked in a process of its own: load it without `isolate`")
  const order = argumentOrder ?? options.argumentOrder
  return await new IsolatedModule(resolvedPath, order, cwd, loader, options).open()
}
