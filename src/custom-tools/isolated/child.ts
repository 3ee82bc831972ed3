/**
 * The program of a module's process: loads the module as a host does, describes what it offers, and runs it on request. The
 * other end is `isolated-module.ts`, whose messages it trusts.
 */
import { Socket } from "node:net"
import { stayAlive } from "../../io/stay-alive.ts"
import type { ToolCall } from "../../model/call.ts"
import type { ToolResult } from "../../model/event.ts"
import type { CallingAgent } from "../../model/handler.ts"
import type { HookContext } from "../../model/options.ts"
import { toPlainJson } from "../../output/to-plain-json.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { messageOf } from "../../text/message-of.ts"
import { callerOf } from "../adapt-tool.ts"
import { contextOf } from "../contexts.ts"
import { resultOf } from "../execute-tool.ts"
import type { ExtensionRunner } from "../extensions/extension-runner.ts"
import { type LoadedExtensions, loadExtensions } from "../extensions/load-extensions.ts"
import type { CustomToolHost, Logger } from "../host.ts"
import type { LoadedCustomTool, LoadedExtensionTool } from "../loaded-tool.ts"
import { isolatedCall, runIsolated } from "../loading/isolation.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import { toPartial } from "../normalise-result.ts"
import { parameterSchema } from "../parameter-schema.ts"
import type { SessionEvent, ToolCallEvent, ToolResultEvent } from "../session-events.ts"
import { gateOf } from "../tool-approval.ts"
import type { AnyTool } from "../tool-shape.ts"
import { type DialogOptions, noOpUI, type UIContext } from "../ui-context.ts"
import { dialogs, hostMethods, logLevels, stateMethods, toldOf, uiNotes } from "./methods.ts"
import { type Message, Peer } from "./peer.ts"

/** What the host's `load` asks for. */
interface Load extends Pick<LoadOptions, "standIns" | "loadTimeout" | "argumentOrder" | "home" | "env"> {
  readonly path: string
  readonly cwd: string
  readonly host: Pick<CustomToolHost, "mode" | "flags" | "settings" | "cwd">
}

type Run = (call: Message, signal: AbortSignal) => Promise<unknown>

const socket = new Socket({ fd: 3 })
socket.once("close", () => process.exit())
stayAlive()

const runs = new Map<string, Run>()
let loaded: LoadedExtensions | undefined
let host: CustomToolHost = {}
/** What the host says of its session with each question. */
let state: Message = {}

const from = (
  names: ReadonlyArray<string>,
  make: (name: string) => unknown,
): Readonly<Record<string, unknown>> => Object.fromEntries(names.map((name) => [name, make(name)]))

const note =
  (kind: string) =>
  (name: string) =>
  (...args: Array<unknown>) =>
    peer.tell(kind, { name, args: toPlainJson(args) })

const ask =
  (name: string) =>
  async (...args: Array<unknown>) => {
    const { signal, timeout } = (args.find(isPlainObject) ?? {}) as DialogOptions
    const answer = await peer.ask("ui", { name, args: toPlainJson(args), timeout }, undefined, signal)
    return answer ?? (name === "confirm" ? false : undefined)
  }

const log =
  (level: string) =>
  (message: unknown, context?: unknown): void =>
    peer.tell("log", { level, message: messageOf(message), context: toPlainJson(context) })

const makeHost = (given: Load["host"]): CustomToolHost => ({
  ...given,
  ui: { ...noOpUI, ...from(uiNotes, note("ui")), ...from(dialogs, ask) } as UIContext,
  get hasUI() {
    return state.hasUI === true
  },
  ...from(stateMethods, (name) => () => state[name]),
  ...from(hostMethods, note("host")),
  logger: from(logLevels, log) as unknown as Logger,
  onAbort: () => peer.tell("abort", {}),
})

/** Previews and definitions are the host's. */
const agentOf = (agentId: unknown): CallingAgent =>
  ({ agentId, definitions: () => [], cancel: () => 0 }) as unknown as CallingAgent

/** Keeps a tool to run it as the executor of the host would; returns what the host is told of it. */
const describe = (kind: "pi" | "omp", loaded: LoadedCustomTool | LoadedExtensionTool): Message => {
  const { tool, argumentOrder } = loaded as LoadedExtensionTool
  const { name, parameters, onSession } = tool as AnyTool
  const { schema, parse } = parameterSchema(name, parameters, host.cwd ?? process.cwd())
  const execute = callerOf(tool as AnyTool, host, kind === "omp" ? "legacy" : argumentOrder, parse)
  runs.set(name, async ({ callId, params, cwd, agentId }, signal) => {
    const given = { callId: callId as string, agent: agentOf(agentId), signal }
    const { call, isolated } = isolatedCall(name, given, host.logger)
    const onUpdate = (update: unknown) => peer.tell("update", { update: toPartial(update).partial })
    const gate = gateOf(tool, host, params)
    if (gate._tag === "Refuse") throw new Error(gate.reason)
    const execution = { params, call, onUpdate, cwd: cwd as string }
    const result = await isolated(() => resultOf(name, () => execute(execution)))
    if ("failure" in result) throw new Error(result.failure)
    return { ...result.output, isError: result.isError }
  })
  const told = toldOf({ ...tool, parameters: schema })
  return { ...(toPlainJson(told) as Message), kind, hasOnSession: typeof onSession === "function" }
}

const load = async ({ path, cwd, host: given, ...options }: Load): Promise<Message> => {
  host = makeHost(given)
  const found = await loadExtensions([path], cwd, { ...options, host })
  loaded = found
  const { runner, tools, customTools, errors } = found
  const described = [
    ...tools.map((tool) => () => describe("pi", tool)),
    ...customTools.map((tool) => () => describe("omp", tool)),
  ].flatMap((make) => {
    try {
      return [make()]
    } catch (error) {
      errors.push({ path, error: `Failed to load tool: ${(error as Error).message}` })
      return []
    }
  })
  runner.attach({
    registerTool: (tool) => peer.tell("tool", describe("pi", tool)),
    activeTools: () => [],
    allTools: () => [],
    setActiveTools: () => undefined,
    callingAgent: agentOf,
  })
  return {
    tools: described,
    errors: errors.map(({ error }) => error),
  }
}

/** Answers for the listeners of `tool_call` and `tool_result` as one listener would. */
const hear = async (event: ToolCallEvent | ToolResultEvent, signal: AbortSignal): Promise<object> => {
  const { beforeCall, afterCall } = loaded!.runner.hooks
  const { toolCallId: callId, toolName: name, input: params } = event
  const call = { callId, name, params, agentId: "main" } as ToolCall
  const context = { signal } as HookContext
  if (event.type === "tool_call") {
    const answer = (await beforeCall?.(call, context)) as { readonly params?: unknown } | undefined
    return { ...answer, input: answer?.params }
  }
  const { content, details, isError } = event
  const result = { output: { content, details }, isError } as ToolResult
  const answer = await afterCall?.(call, result, context)
  return { ...(answer?.output as object), isError: answer?.isError }
}

/** What the host can ask for. */
const methods: Readonly<Record<string, (params: Message, signal: AbortSignal) => unknown>> = {
  load: (params) => load(params as unknown as Load),
  call: (params, signal) => {
    const run = runs.get(params.tool as string)
    if (run === undefined) throw new Error(`The extension no longer has a tool ${params.tool}`)
    return run(params, signal)
  },
  event: ({ event }) => loaded!.runner.emit(event as SessionEvent),
  hook: ({ event }, signal) => hear(event as ToolCallEvent | ToolResultEvent, signal),
  session: async ({ tool: name, event }) => {
    const { tool, resolvedPath } = loaded!.customTools.find(({ tool }) => tool.name === name)!
    const context = contextOf(host, undefined, host.cwd ?? process.cwd())
    await runIsolated(resolvedPath, () => tool.onSession?.(event as SessionEvent, context), host.logger)
  },
  command: ({ name, args }) => loaded!.runner.runCommand(name as string, args as string),
}

const told = new Set<string>()

/** Tells the host what is new of listeners, commands and flags: modules register some after they were loaded. */
const tellRegistered = ({ heard, commands, flags }: ExtensionRunner): void => {
  const tell = (kind: string, note: Message) => {
    const text = JSON.stringify([kind, note])
    if (!told.has(text)) peer.tell(kind, note)
    told.add(text)
  }
  for (const name of heard) tell("listener", { name })
  for (const { name, description } of commands) tell("command", { name, description })
  for (const [name, flag] of flags) tell("flag", { name, flag: toPlainJson(flag) })
}

const peer = new Peer<undefined>(socket, async (method, params, signal) => {
  if (isPlainObject(params.state)) state = params.state
  try {
    return await methods[method]?.(params, signal)
  } finally {
    if (loaded !== undefined) tellRegistered(loaded.runner)
  }
})
