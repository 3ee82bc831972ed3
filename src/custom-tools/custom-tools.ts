/**
 * All foreign tools of one host: found, loaded, adapted and put into its registry, with the hooks and the session
 * events that belong to them. What cannot be loaded is listed and costs nothing else.
 */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { got } from "../pipeline/model/got.ts"
import type { CallingAgent } from "../pipeline/model/handler.ts"
import type { Hooks } from "../pipeline/model/options.ts"
import type { ToolRegistry } from "../pipeline/model/registry.ts"
import type { Tool } from "../pipeline/model/tool.ts"
import { messageOf } from "../text/message-of.ts"
import { tellExecutions } from "./extensions/execution-events.ts"
import type { ExtensionRunner } from "./extensions/extension-runner.ts"
import { type LoadedExtensions, loadExtensions } from "./extensions/load-extensions.ts"
import { tellSession } from "./extensions/tell-session.ts"
import { loggerOf } from "./file-logger.ts"
import { fromCustomTool } from "./from-custom-tool.ts"
import { fromPiTool } from "./from-pi-tool.ts"
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
import { type DiscoveryOptions, expectDiscovery } from "./loading/load-options.ts"
import { loaderOf } from "./loading/shared-loader.ts"
import { toToolPaths } from "./loading/tool-paths.ts"
import type { ExtensionEvent, SessionEvent } from "./session-events.ts"
import { isTaken, nameConflict } from "./tool-names.ts"
import type { UIContext } from "./ui-context.ts"

/** The options of `CustomTools.load`. */
export interface CustomToolsOptions extends DiscoveryOptions {
  /** Where the agent works: relative paths start here, and so does discovery. What tools are told, unless `host` says otherwise. */
  readonly cwd: string
  /** Gets the tools, also those that extensions register later. Its names are taken for the built-in ones. */
  readonly registry: ToolRegistry
  /** Modules or folders to load besides, of either kind. */
  readonly paths?: ReadonlyArray<string | ToolPath>
}

/** Where a tool of the registry comes from. */
export interface CustomToolOrigin {
  readonly name: string
  readonly path: string
  readonly resolvedPath: string
  readonly source?: ToolSource
  /** Whether it took the place of a tool of that name. */
  readonly isOverride: boolean
}

/** What `setUIContext` gave: it goes before the host's own. */
type Screen = Pick<CustomToolHost, "ui" | "hasUI">

type Loaded = LoadedCustomTool | LoadedExtensionTool

const realPaths = async (modules: ReadonlyArray<ToolPath>): Promise<ReadonlySet<string>> =>
  new Set(await Promise.all(modules.map(({ path }) => realpath(path).catch(() => path))))

/** What foreign code does to the globals must not break the checks of the tools that are there. */
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
  /** The active tools that extensions chose for an agent. What is registered later is active besides. */
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

  /** Where each foreign tool comes from: first what modules returned, then what extensions registered. */
  get tools(): Array<CustomToolOrigin> {
    return [...this.origins.values()]
  }

  /** For the executor's options: the extensions' `tool_call` and `tool_result` listeners. */
  get hooks(): Hooks {
    return this.extensions.hooks
  }

  /** Names the executor that runs the tools, so that extensions hear of its calls, and can ask which are active and change that. */
  attach(executor: ToolExecutor): void {
    if (this.executor !== executor) tellExecutions(executor, this.extensions)
    this.executor = executor
    for (const [agentId, names] of this.chosen) executor.agent(agentId).setActiveTools(names)
  }

  /** Gives the tools a screen, once there is one. */
  setUIContext(ui: UIContext, hasUI: boolean): void {
    Object.assign(this.screen, { ui, hasUI })
  }

  /**
   * Tells all tools and extensions what happens to the session, in order. A host emits `start` once its executor is
   * there: extensions may register tools then. What a listener throws is logged and goes no further. Rejects with a
   * TypeError for an event with neither a `type` nor a reason of a session event.
   */
  async emit(event: SessionEvent | ExtensionEvent): Promise<void> {
    await tellSession(this.sessionTools, event, this.host)
    await this.extensions.emit(event)
  }

  /** A returned tool does not replace another one. */
  private add(loaded: LoadedCustomTool): void {
    const { name } = loaded.tool
    if (isTaken(name) || this.registry.get(name) !== undefined) {
      this.reject(loaded, nameConflict(name))
      return
    }
    if (this.register(loaded, () => fromCustomTool(loaded.tool, this.host))) this.sessionTools.push(loaded)
  }

  /** A registered tool does. */
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
      // A map keeps the place of what it replaces.
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

  /** What extensions chose before they registered a tool does not leave it out. */
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
