/**
 * The extensions of one host, and what they registered. Emits events to them in the order of loading. Errors of listeners
 * are only logged, except that an error of a `tool_call` listener blocks its call.
 */

import type { Hooks } from "../../model/options.ts"
import { messageOf } from "../../text/message-of.ts"
import { commandContext, contextOf } from "../contexts.ts"
import type { CurrentCall } from "../current-call.ts"
import type { CustomToolAPI } from "../custom-tool.ts"
import { EventChannels } from "../event-channels.ts"
import type { ExtensionCommand, ExtensionContext, ExtensionFlag } from "../extension.ts"
import type { CustomToolHost } from "../host.ts"
import { isolatedCall } from "../loading/isolation.ts"
import type { ExtensionEvent, SessionEvent } from "../session-events.ts"
import { ExtensionTools, type ToolPort } from "./extension-tools.ts"
import type { LoadedExtension } from "./loaded-extension.ts"
import { McpServers } from "./mcp-servers.ts"
import { expectEvent, toExtensionEvents } from "./session-translation.ts"
import { listenerTimeout, settleWithin } from "./settle-within.ts"
import { type HookListener, makeToolHooks } from "./tool-hooks.ts"

export interface RunnerOptions {
  readonly cwd: string
  readonly host: CustomToolHost
  /** The API part that all extensions of a loader share: contexts use its screen. */
  readonly shared: CustomToolAPI
}

/** A command, for hosts to list. */
export interface CommandInfo {
  /** The name to run it by: `name:2` is the second with a name that several extensions use. */
  readonly name: string
  readonly description?: string
  readonly source: "extension"
  /** The path of the extension, as given. */
  readonly path: string
}

/** The loaded extensions: their listeners, commands, flags and tools. */
export class ExtensionRunner {
  /** For the executor's options. Runs only existing listeners. */
  readonly hooks: Hooks = makeToolHooks((type) => this.hookListeners(type))
  readonly tools = new ExtensionTools()
  /** The channels between the extensions. */
  readonly channels = new EventChannels()
  /** The MCP servers that extensions registered. */
  readonly mcpServers = new McpServers()
  private readonly options: RunnerOptions
  /** In the order of loading. */
  private readonly extensions = new Set<LoadedExtension>()

  constructor(options: RunnerOptions) {
    this.options = options
  }

  /** Sets the port to the executor and registry. It receives the tools that were registered since loading. */
  attach(port: ToolPort): void {
    this.tools.attach(port)
  }

  /** For the loader: adds an extension that starts to load. */
  add(extension: LoadedExtension): void {
    this.extensions.add(extension)
  }

  /** For the loader: removes an extension that failed to load, with everything that it registered. */
  drop(extension: LoadedExtension): void {
    extension.fail()
    this.extensions.delete(extension)
    this.tools.drop(extension.module)
    this.mcpServers.drop(extension)
  }

  /** The flags of all extensions; their values are the host's `flags`. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return new Map([...this.extensions].flatMap(({ flags }) => [...flags]))
  }

  get commands(): Array<CommandInfo> {
    return [...this.findCommands()].map(([name, { extension, command }]) => ({
      name,
      ...(command.description !== undefined && { description: command.description }),
      source: "extension",
      path: extension.module.path,
    }))
  }

  /** Runs a command as a user would. Rejects with its error, and if there is no such command. */
  async runCommand(name: string, args = ""): Promise<void> {
    const commands = this.findCommands()
    const found = commands.get(name)
    if (found === undefined) {
      const names = [...commands.keys()]
      const available =
        names.length === 0 ? "There are no commands." : `Available commands: ${names.join(", ")}`
      throw new Error(`Unknown command "${name}". ${available}`)
    }
    const { extension, command } = found
    await this.run(extension, (context) => command.handler(args, commandContext(context)))
  }

  /**
   * Emits an event to all listeners, one after the other. Session events of oh-my-pi are translated to pi's; all others are
   * unchanged. The hooks emit `tool_call` and `tool_result`, and `attach` of `CustomTools` emits `tool_execution_start`,
   * `_update` and `_end`, `turn_start` and `turn_end`; the host emits every other event. A listener is awaited for at most ten seconds. Rejects with a
   * TypeError for an invalid event.
   */
  async emit(event: SessionEvent | ExtensionEvent): Promise<void> {
    expectEvent(event)
    const variants = "type" in event ? [event] : toExtensionEvents(event)
    for (const extension of [...this.extensions]) {
      const heard = variants.find(({ type }) => extension.listeners.has(type))
      if (heard === undefined) continue
      for (const listener of extension.listeners.get(heard.type) ?? []) {
        const tell = () => this.run(extension, (context) => listener(heard, context))
        try {
          await settleWithin(listenerTimeout, tell)
        } catch (error) {
          this.warn(extension, `A ${heard.type} listener failed: ${messageOf(error)}`)
        }
      }
    }
  }

  /**
   * The types of events that there are listeners for.
   * @internal
   */
  get heard(): Array<string> {
    return [...new Set([...this.extensions].flatMap(({ listeners }) => [...listeners.keys()]))]
  }

  /** Whether there are listeners for events of this type. */
  hears(type: string): boolean {
    return [...this.extensions].some(({ listeners }) => listeners.has(type))
  }

  private hookListeners(type: string): ReadonlyArray<HookListener> {
    return [...this.extensions].flatMap((extension) =>
      (extension.listeners.get(type) ?? []).map((listener) => ({
        hear: (event, { callId, agentId }, signal) => {
          const agent = this.tools.callingAgent(agentId)
          const work = (context: ExtensionContext) => listener(event, context)
          return this.run(extension, work, agent && { callId, agent, signal })
        },
        warn: (message) => this.warn(extension, message),
      })),
    )
  }

  private run<T>(extension: LoadedExtension, work: (context: ExtensionContext) => T, given?: CurrentCall): T {
    const { host, cwd, shared } = this.options
    const { call, isolated } = isolatedCall(extension.module.resolvedPath, given, shared.logger)
    const context = Object.defineProperties(contextOf(host, call, cwd), {
      ui: { get: () => shared.ui, enumerable: true },
      hasUI: { get: () => shared.hasUI, enumerable: true },
    })
    return isolated(() => work(context))
  }

  private warn(extension: LoadedExtension, message: string): void {
    this.options.shared.logger.warn(message, { path: extension.module.path })
  }

  private findCommands() {
    const found = new Map<
      string,
      { readonly extension: LoadedExtension; readonly command: ExtensionCommand }
    >()
    for (const extension of this.extensions) {
      for (const [name, command] of extension.commands)
        found.set(freeName(name, found), { extension, command })
    }
    return found
  }
}

const freeName = (name: string, taken: ReadonlyMap<string, unknown>): string => {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}:${n}`
  return free
}
