/**
 * The extensions of one host: what they registered, told of what happens in the order of their loading. What a listener
 * throws is logged and goes no further; only a `tool_call` listener that throws blocks its call.
 */

import type { Hooks } from "../../pipeline/model/options.ts"
import { messageOf } from "../../text/message-of.ts"
import { extensionContext } from "../contexts.ts"
import { type CurrentCall, currentCall } from "../current-call.ts"
import type { CustomToolAPI } from "../custom-tool.ts"
import type { ExtensionCommand, ExtensionContext, ExtensionFlag } from "../extension.ts"
import type { CustomToolHost } from "../host.ts"
import { isolatedSignal, runIsolated } from "../loading/isolation.ts"
import type { ExtensionEvent, SessionEvent } from "../session-events.ts"
import { commandContext } from "./command-context.ts"
import { ExtensionBus } from "./event-bus.ts"
import { expectEvent } from "./expect-event.ts"
import { ExtensionTools, type ToolPort } from "./extension-tools.ts"
import type { LoadedExtension } from "./loaded-extension.ts"
import { McpServers } from "./mcp-servers.ts"
import { toExtensionEvents } from "./session-translation.ts"
import { listenerTimeout, settleWithin } from "./settle-within.ts"
import { type HookListener, makeToolHooks } from "./tool-hooks.ts"

export interface RunnerOptions {
  readonly cwd: string
  readonly host: CustomToolHost
  /** What all extensions of a loader share: contexts take its screen. */
  readonly shared: CustomToolAPI
}

/** A command as hosts list it. */
export interface CommandInfo {
  /** What it is run by: `name:2` is the second of a name that several extensions use. */
  readonly name: string
  readonly description?: string
  readonly source: "extension"
  /** The extension, as it was given. */
  readonly path: string
}

interface FoundCommand {
  readonly extension: LoadedExtension
  readonly command: ExtensionCommand
}

/** The extensions that were loaded: their listeners, commands, flags and tools. */
export class ExtensionRunner {
  /** For the executor's options. Runs only the listeners that there are. */
  readonly hooks: Hooks = makeToolHooks((type) => this.hookListeners(type))
  readonly tools = new ExtensionTools()
  readonly bus: ExtensionBus
  /** What extensions registered for a client of the Model Context Protocol. */
  readonly mcpServers = new McpServers()
  private readonly options: RunnerOptions
  /** In the order of their loading. */
  private readonly extensions = new Set<LoadedExtension>()

  constructor(options: RunnerOptions) {
    this.options = options
    this.bus = new ExtensionBus(options.shared.logger)
  }

  /** Names the executor and registry that extensions ask for tools; they get what was registered since the loading. */
  attach(port: ToolPort): void {
    this.tools.attach(port)
  }

  /** For the loader: an extension that starts to load. */
  add(extension: LoadedExtension): void {
    this.extensions.add(extension)
  }

  /** For the loader: an extension that failed to load, with all that it registered. */
  drop(extension: LoadedExtension): void {
    extension.fail()
    this.extensions.delete(extension)
    this.tools.drop(extension)
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

  /** Runs a command as a user would. Rejects with what it throws, and where there is no such command. */
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
   * Tells all listeners, one after the other. Session events of oh-my-pi are told in pi's words; all others as they
   * are. The hooks emit `tool_call` and `tool_result`, and `attach` of `CustomTools` sees to
   * `tool_execution_start`, `_update` and `_end`; every other event is the host's to emit. A listener that takes
   * more than ten seconds is not waited for any longer. Rejects with a TypeError for what is no event.
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

  /** Whether anybody listens to such events. */
  hears(type: string): boolean {
    return [...this.extensions].some(({ listeners }) => listeners.has(type))
  }

  private hookListeners(type: string): ReadonlyArray<HookListener> {
    return [...this.extensions].flatMap((extension) =>
      (extension.listeners.get(type) ?? []).map((listener) => ({
        hear: (event, { callId, agentId }, signal) => {
          const agent = this.tools.callingAgent(agentId)
          const call: CurrentCall | undefined = agent && {
            callId,
            agent,
            signal: isolatedSignal(signal, (work) => this.isolated(extension, work, call)),
          }
          return this.run(extension, (context) => listener(event, context), call)
        },
        warn: (message) => this.warn(extension, message),
      })),
    )
  }

  private run<T>(
    extension: LoadedExtension,
    work: (context: ExtensionContext) => T,
    call?: CurrentCall | undefined,
  ): T {
    const { host, cwd, shared } = this.options
    const context = Object.defineProperties(extensionContext(host, call, cwd), {
      ui: { get: () => shared.ui, enumerable: true },
      hasUI: { get: () => shared.hasUI, enumerable: true },
    })
    return this.isolated(extension, () => work(context), call)
  }

  private isolated<T>(extension: LoadedExtension, work: () => T, call: CurrentCall | undefined): T {
    const { resolvedPath } = extension.module
    const run = () => runIsolated(resolvedPath, work, this.options.shared.logger)
    return call === undefined ? run() : currentCall.run(call, run)
  }

  private warn(extension: LoadedExtension, message: string): void {
    this.options.shared.logger.warn(message, { path: extension.module.path })
  }

  private findCommands(): Map<string, FoundCommand> {
    const found = new Map<string, FoundCommand>()
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
