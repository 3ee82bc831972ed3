/** The tools that extensions register, and the active tools: from the host's registry once a port is attached. */
import type { CallingAgent } from "../../model/handler.ts"
import { currentCall } from "../current-call.ts"
import type { ToolInfo } from "../extension.ts"
import type { LoadedExtensionTool } from "../loaded-tool.ts"
import type { ExtensionModule } from "./loaded-extension.ts"

/** The interface of extensions to the executor that runs the tools. */
export interface ToolPort {
  activeTools(agentId: string): Array<string>
  /** All tools of the registry, including hidden ones. */
  allTools(): ReadonlyArray<ToolInfo>
  setActiveTools(agentId: string, names: Array<string>): void
  /** Adds a tool, and replaces one of the same name. */
  registerTool(loaded: LoadedExtensionTool): void
  /** The agent for which hook listeners act. Without it they get no `signal`, and their `abort()` only notifies the host. */
  callingAgent?(agentId: string): CallingAgent | undefined
}

/** The agent whose call runs, else the agent of hosts without sub-agents. */
const agentId = (): string => currentCall.getStore()?.agent.agentId ?? "main"

export class ExtensionTools {
  private port: ToolPort | undefined
  /** In the order of registration; an extension's own tool of the same name is replaced. */
  private registrations: Array<LoadedExtensionTool> = []
  /** Tools registered after loading and before a port was attached. */
  private late: Array<LoadedExtensionTool> = []
  /** The active tools set before a port was attached. */
  private chosen: Array<string> | undefined

  attach(port: ToolPort): void {
    this.port = port
    for (const loaded of this.late) port.registerTool(loaded)
    this.late = []
    if (this.chosen !== undefined) port.setActiveTools("main", this.known(this.chosen))
    this.chosen = undefined
  }

  callingAgent(id: string): CallingAgent | undefined {
    return this.port?.callingAgent?.(id)
  }

  /** The registered tools; for each name the latest, whichever extension registered it. */
  get registered(): Array<LoadedExtensionTool> {
    return [...new Map(this.registrations.map((loaded) => [loaded.tool.name, loaded])).values()]
  }

  register(loaded: LoadedExtensionTool, isLive: boolean): void {
    const isSame = ({ resolvedPath, tool }: LoadedExtensionTool) =>
      resolvedPath === loaded.resolvedPath && tool.name === loaded.tool.name
    this.registrations = [...this.registrations.filter((other) => !isSame(other)), loaded]
    if (!isLive) return
    if (this.port === undefined) this.late.push(loaded)
    else this.port.registerTool(loaded)
  }

  drop({ resolvedPath }: ExtensionModule): void {
    this.registrations = this.registrations.filter((loaded) => loaded.resolvedPath !== resolvedPath)
  }

  all(): Array<ToolInfo> {
    const tools = this.port?.allTools() ?? this.registered.map(({ tool }) => tool)
    return tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
  }

  active(): Array<string> {
    return this.port?.activeTools(agentId()) ?? this.chosen ?? this.all().map(({ name }) => name)
  }

  /** Sets the active tools. Ignores unknown names. */
  setActive(names: Array<string>): void {
    if (this.port === undefined) this.chosen = [...names]
    else this.port.setActiveTools(agentId(), this.known(names))
  }

  private known(names: Array<string>): Array<string> {
    const all = new Set(this.all().map(({ name }) => name))
    return names.filter((name) => all.has(name))
  }
}
