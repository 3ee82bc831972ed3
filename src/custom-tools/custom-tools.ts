/**
 * All foreign tools of one host: finds, loads, adapts and registers them, with their hooks and session events. What cannot
 * be loaded is listed, and does not affect the rest.
 */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { resolve } from "node:path"
import { got } from "../model/got.ts"
import type { CallingAgent } from "../model/handler.ts"
import type { Hooks } from "../model/options.ts"
import type { ToolRegistry } from "../model/registry.ts"
import type { Tool } from "../model/tool.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { messageOf } from "../text/message-of.ts"
import { fromCustomTool, fromPiTool } from "./adapt-tool.ts"
import { Executions } from "./extensions/execution-events.ts"
import type { ExtensionRunner } from "./extensions/extension-runner.ts"
import { type LoadedExtensions, loadExtensions } from "./extensions/load-extensions.ts"
import { tellSession } from "./extensions/tell-session.ts"
import { loggerOf } from "./file-logger.ts"
import type { CustomToolHost } from "./host.ts"
import { layered } from "./layered.ts"
import {
  type LoadedCustomTool,
  type LoadedCustomTools,
  type LoadedExtensionTool,
  type ToolLoadError,
  type ToolPath,
  type ToolSource,
  toolLoadError,
} from "./loaded-tool.ts"
import { discoverCustomTools, discoverExtensions } from "./loading/discovery.ts"
import { loadCustomTools } from "./loading/load-custom-tools.ts"
import { type DiscoveryOptions, expectDiscovery, loaderOf } from "./loading/load-options.ts"
import { toToolPaths } from "./loading/tool-paths.ts"
import type { ExtensionEvent, SessionEvent } from "./session-events.ts"
import { isTaken, nameConflict } from "./tool-shape.ts"
import type { UIContext } from "./ui-context.ts"

/** The options of `CustomTools.load`. */
export interface CustomToolsOptions extends DiscoveryOptions {
  /** The agent's working directory: the base of relative paths and of discovery, and the `cwd` of tools, unless `host` has one. */
  readonly cwd: string
  /** Receives the tools, also those that extensions register later. Its existing names count as built-in. */
  readonly registry: ToolRegistry
  /** Further modules or folders to load, of either kind. */
  readonly paths?: ReadonlyArray<string | ToolPath>
}

/** The origin of a tool in the registry. */
export interface CustomToolOrigin {
  readonly name: string
  readonly path: string
  readonly resolvedPath: string
  readonly source?: ToolSource
  /** Whether it replaced a tool of that name. */
  readonly isOverride: boolean
}

/** The screen from `setUIContext`, which takes precedence over the host's. */
type Screen = Pick<CustomToolHost, "ui" | "hasUI">

type Loaded = LoadedCustomTool | LoadedExtensionTool

const realPaths = async (modules: ReadonlyArray<ToolPath>): Promise<ReadonlySet<string>> =>
  new Set(await Promise.all(modules.map(({ path }) => realpath(path).catch(() => path))))

/** Compiles the existing validators first, because foreign code can change globals that they depend on. */
const compileAll = async (registry: ToolRegistry): Promise<void> => {
  await Promise.all(registry.names.map((name) => registry.get(name)?.validator.compile()))
}

/** Tools of other agents: loaded, registered, and wired to an executor. */
export class CustomTools {
  /** What could not be loaded, and why. */
  readonly errors: Array<ToolLoadError>
  /** Listeners, commands and flags of the extensions. */
  readonly extensions: ExtensionRunner
  private readonly registry: ToolRegistry
  private readonly host: CustomToolHost
  private readonly screen: Screen
  private sessionTools: Array<LoadedCustomTool> = []
  private readonly origins = new Map<string, CustomToolOrigin>()
  private executor: ToolExecutor | undefined
  private executions: Executions | undefined
  /** The active tools that extensions chose for an agent. Tools registered later are added. */
  private readonly chosen = new Map<string, ReadonlySet<string>>()

  /** Finds and loads everything, one module after the other. Rejects with a TypeError for invalid options. */
  static async load(given: CustomToolsOptions): Promise<CustomTools> {
    const { cwd, registry, paths: named = [], discovery = "home", home = homedir() } = given
    expectDiscovery(discovery)
    if (typeof registry?.register !== "function")
      throw new TypeError(`Expected \`registry\` to be a ToolRegistry, ${got(registry)}`)
    const paths = toToolPaths(named)
    const screen: Screen = {}
    const host = layered(
      screen,
      layered(given.host ?? {}, { cwd: resolve(cwd), isProjectTrusted: () => discovery === "all" }),
    )
    const options = { ...given, discovery, host, loader: loaderOf(given, loggerOf(host)) }
    const toolPaths = discovery ? await discoverCustomTools(cwd, home, discovery) : []
    const extensionPaths = discovery ? await discoverExtensions(cwd, home, discovery) : []
    if (toolPaths.length + extensionPaths.length + paths.length > 0) await compileAll(registry)
    const found = await loadCustomTools(toolPaths, cwd, registry.names, options)
    const except = await realPaths(toolPaths)
    const extensions = await loadExtensions([...extensionPaths, ...paths], cwd, { ...options, except })
    return new CustomTools(options, screen, found, extensions)
  }

  private constructor(
    { registry, host }: CustomToolsOptions & { readonly host: CustomToolHost },
    screen: Screen,
    found: LoadedCustomTools,
    extensions: LoadedExtensions,
  ) {
    this.registry = registry
    this.host = host
    this.errors = [...found.errors, ...extensions.errors]
    this.extensions = extensions.runner
    this.screen = screen
    for (const loaded of [...found.tools, ...extensions.customTools]) this.add(loaded)
    for (const loaded of extensions.tools) this.replace(loaded)
    this.extensions.attach({
      registerTool: (loaded) => this.replace(loaded),
      allTools: () => this.registry.definitions(() => true),
      activeTools: (agentId) => this.active(agentId),
      setActiveTools: (agentId, names) => this.setActiveTools(agentId, names),
      callingAgent: (agentId) => this.callingAgent(agentId),
    })
  }

  /** The origin of each foreign tool: first those that modules returned, then those that extensions registered. */
  get tools(): Array<CustomToolOrigin> {
    return [...this.origins.values()]
  }

  /** For the executor's options: the extensions' `tool_call` and `tool_result` listeners. */
  get hooks(): Hooks {
    return this.extensions.hooks
  }

  /**
   * Sets the executor that runs the tools, so that extensions receive events of its calls and turns, and can read and change
   * the active tools. Turns are those of `runTurn` and `beginTurn`, until `emit` is given such an event: then the host's.
   */
  attach(executor: ToolExecutor): void {
    if (this.executor !== executor) {
      this.executions = new Executions(this.extensions)
      executor.watch(this.executions)
    }
    this.executor = executor
    for (const [agentId, names] of this.chosen) executor.agent(agentId).setActiveTools(names)
  }

  /** Sets the tools' screen, once there is one. */
  setUIContext(ui: UIContext, hasUI: boolean): void {
    Object.assign(this.screen, { ui, hasUI })
  }

  /**
   * Emits a session event to all tools and extensions, in order. A host emits `start` once its executor exists: extensions
   * can register tools then. Errors of listeners are only logged. Rejects with a TypeError for an event with neither a
   * `type` nor a reason of a session event.
   */
  async emit(event: SessionEvent | ExtensionEvent): Promise<void> {
    await tellSession(this.sessionTools, event, this.host)
    await this.executions?.hosts("type" in event && event.type)
    await this.extensions.emit(event)
  }

  /** Adds a tool that a module returned, which does not replace another one. */
  private add(loaded: LoadedCustomTool): void {
    const { name } = loaded.tool
    if (isTaken(name) || this.registry.get(name) !== undefined) {
      this.reject(loaded, nameConflict(name))
      return
    }
    if (this.register(loaded, () => fromCustomTool(loaded.tool, this.host))) this.sessionTools.push(loaded)
  }

  /** Adds a tool that an extension registered, which replaces one of the same name. */
  private replace(loaded: LoadedExtensionTool): void {
    const { tool, argumentOrder } = loaded
    this.register(loaded, () => fromPiTool(tool, this.host, argumentOrder && { argumentOrder }))
  }

  private register(loaded: Loaded, adapt: () => Tool): boolean {
    const { tool, path, resolvedPath, source } = loaded
    const { name } = tool
    try {
      const before = this.origins.get(name)
      const isOwn = before?.resolvedPath === resolvedPath
      const isOverride = isOwn ? before.isOverride : this.registry.get(name) !== undefined
      const adapted = adapt()
      void adapted.validator.compile()
      this.registry.register(adapted, { replace: true })
      this.sessionTools = this.sessionTools.filter((other) => other.tool.name !== name)
      this.activate(name)
      // Delete first, because a map keeps the position of a replaced key.
      this.origins.delete(name)
      this.origins.set(name, { name, path, resolvedPath, ...(source && { source }), isOverride })
      return true
    } catch (error) {
      this.reject(loaded, `Failed to load tool: ${messageOf(error)}`)
      return false
    }
  }

  private reject(loaded: Loaded, error: string): void {
    this.errors.push(toolLoadError(loaded, error))
  }

  private setActiveTools(agentId: string, names: Iterable<string>): void {
    const active = new Set(names)
    this.executor?.agent(agentId).setActiveTools(active)
    this.chosen.set(agentId, active)
  }

  /** Activates a tool for all agents, also if extensions chose the active tools before. */
  private activate(name: string): void {
    for (const [agentId, names] of this.chosen) this.setActiveTools(agentId, [...names, name])
  }

  private callingAgent(agentId: string): CallingAgent | undefined {
    const { executor } = this
    return (
      executor && {
        agentId,
        pendingActions: executor.agent(agentId).pendingActions,
        definitions: () => executor.agent(agentId).definitions(),
        cancel: (reason) => executor.cancel({ agentId, ...(reason !== undefined && { reason }) }),
      }
    )
  }

  private active(agentId: string): Array<string> {
    if (this.executor !== undefined)
      return this.executor
        .agent(agentId)
        .definitions()
        .map(({ name }) => name)
    return [...(this.chosen.get(agentId) ?? this.registry.definitions().map(({ name }) => name))]
  }
}
