/** The tools of an MCP server in a registry, which follows the changes that the server reports. */
import type {
  Tool as McpTool,
  ServerCapabilities,
  Transport,
  VersionNegotiationOptions,
} from "@modelcontextprotocol/client"
import type { ToolRegistry } from "../../model/registry.ts"
import type { Tool } from "../../model/tool.ts"
import { Connection } from "./connection.ts"
import { extraTools } from "./extra-tools.ts"
import { ownTool } from "./own-tool.ts"
import { remoteName } from "./remote-name.ts"
import { remoteTool } from "./remote-tool.ts"
import type { RemotePrimary, ServerTool } from "./server-tool.ts"

/** A server, and how to use its tools. */
export interface McpToolsOptions {
  /** The name of the server: a prefix of names that clash, and in messages to people and models. */
  readonly name: string
  /** Makes a transport of `@modelcontextprotocol/client`: for the first connection, and for each after a lost one. */
  readonly transport: () => Transport | Promise<Transport>
  readonly registry: ToolRegistry
  /** Whether calls of a tool have a gate. Default: all have, whatever the server declares. */
  readonly approval?: (tool: McpTool) => boolean
  /** The parameter that rules match. Default: none, so that a rule applies to all calls of the tool. */
  readonly primary?: (tool: McpTool) => RemotePrimary | undefined
  /**
   * The revision of the protocol. Default `"legacy"`, 2025-11-25. `"auto"` asks the server first, over stdio in a separate
   * process; `{ pin: "2026-07-28" }` accepts no other.
   */
  readonly mode?: VersionNegotiationOptions["mode"]
  /** The tools are registered once this has settled: for several servers that connect at once, whose names can clash. */
  readonly after?: Promise<unknown>
  /** Called with faults outside of calls, such as a tool that cannot be used. */
  readonly onError?: (error: Error) => void
}

interface Known {
  /** The server's description of the tool. */
  readonly json: string
  readonly tool: Tool
}

/**
 * Connects executors to the tools of MCP servers. Needs the package `@modelcontextprotocol/client`.
 *
 * @example
 * await using notes = await McpTools.connect({
 *   name: "notes",
 *   transport: () => new StdioClientTransport({ command: "notes-server" }),
 *   registry,
 * })
 */
export class McpTools implements AsyncDisposable {
  private readonly options: McpToolsOptions
  private readonly connection: Connection
  private readonly known = new Map<string, Known>()
  private isOpen = true

  /** Connects with `open`. */
  constructor(options: McpToolsOptions) {
    this.options = options
    const { name, transport, mode = "legacy", onError = () => {}, after } = options
    this.connection = new Connection({
      name,
      transport,
      mode,
      onError,
      onTools: (tools, capabilities) => this.sync(tools, capabilities),
      after,
    })
  }

  /** Registers the server's tools. Rejects if the server cannot be reached; after a later loss, the next call connects again. */
  static async connect(options: McpToolsOptions): Promise<McpTools> {
    const tools = new McpTools(options)
    await tools.open()
    return tools
  }

  /** Registers the server's tools. Rejects if the server cannot be reached. */
  async open(): Promise<void> {
    await this.connection.open()
  }

  /** The names of the server's tools in the registry. */
  get names(): Array<string> {
    return [...this.known.values()].map(({ tool }) => tool.name)
  }

  /** Removes the tools from the registry, and ends the connection; running calls fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isOpen = false
    for (const name of [...this.known.keys()]) this.remove(name)
    await this.connection[Symbol.asyncDispose]()
  }

  private sync(described: ReadonlyArray<McpTool>, capabilities: ServerCapabilities): void {
    // A requested list can arrive after the end.
    if (!this.isOpen) return
    const { name: server } = this.options
    const tools = [
      ...described.map((tool) => ownTool(server, tool, capabilities)),
      ...extraTools(server, capabilities),
    ]
    const names = new Set(tools.map((tool) => tool.described.name))
    for (const name of [...this.known.keys()]) {
      if (!names.has(name)) this.remove(name)
    }
    for (const tool of tools) this.update(tool)
  }

  private update(of: ServerTool): void {
    const { name: server, registry, approval = () => true, primary, onError } = this.options
    const { described } = of
    const json = JSON.stringify(described)
    const before = this.known.get(described.name)
    if (before?.json === json) return
    try {
      const isTaken = (name: string) => name === "resolve" || registry.get(name) !== undefined
      const name = before?.tool.name ?? remoteName(server, described.name, isTaken)
      const options = { name, server, asks: approval(described), primary: primary?.(described) ?? of.primary }
      const tool = remoteTool(of, this.connection, options)
      registry.register(tool, { replace: before !== undefined })
      this.known.set(described.name, { json, tool })
    } catch (cause) {
      this.remove(described.name)
      const message = cause instanceof Error ? cause.message : String(cause)
      onError?.(
        new Error(`The tool ${described.name} of the MCP server ${server} cannot be used: ${message}`, {
          cause,
        }),
      )
    }
  }

  private remove(name: string): void {
    const { registry } = this.options
    const known = this.known.get(name)
    this.known.delete(name)
    // The host may have registered another tool in its place.
    if (known !== undefined && registry.get(known.tool.name) === known.tool)
      registry.unregister(known.tool.name)
  }
}
