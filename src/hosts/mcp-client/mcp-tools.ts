/** The tools of an MCP server in a registry: they come, change and go as the server says. */
import type { Tool as McpTool, Transport, VersionNegotiationOptions } from "@modelcontextprotocol/client"
import type { ToolRegistry } from "../../pipeline/model/registry.ts"
import type { Tool } from "../../pipeline/model/tool.ts"
import { Connection } from "./connection.ts"
import { remoteName } from "./remote-name.ts"
import { type RemotePrimary, remoteTool } from "./remote-tool.ts"

/** Which server, and what is known of its tools. */
export interface McpToolsOptions {
  /** What the server is called: in front of names that clash, and in what people and models are told. */
  readonly name: string
  /** Makes a transport of `@modelcontextprotocol/client`: for the first connection, and for each after one that was lost. */
  readonly transport: () => Transport | Promise<Transport>
  readonly registry: ToolRegistry
  /** Whether calls of a tool have a gate. Default: all have, whatever the server says of its tools. */
  readonly approval?: (tool: McpTool) => boolean
  /** What rules match of a call. Default: nothing, so that a rule is for all calls of the tool. */
  readonly primary?: (tool: McpTool) => RemotePrimary | undefined
  /**
   * Which revision is spoken. Default `"legacy"`, 2025-11-25. `"auto"` asks the server first, over stdio in a process of its own;
   * `{ pin: "2026-07-28" }` insists.
   */
  readonly mode?: VersionNegotiationOptions["mode"]
  /** Told what goes wrong beside the calls, such as a tool that cannot be used. */
  readonly onError?: (error: Error) => void
}

interface Known {
  /** As the server described it. */
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

  private constructor(options: McpToolsOptions) {
    this.options = options
    const { name, transport, mode = "legacy", onError = () => {} } = options
    this.connection = new Connection({
      name,
      transport,
      mode,
      onError,
      onTools: (tools) => this.sync(tools),
    })
  }

  /** Registers the server's tools. Rejects where it cannot be reached; a connection that is lost later is made again by the next call. */
  static async connect(options: McpToolsOptions): Promise<McpTools> {
    const tools = new McpTools(options)
    await tools.connection.open()
    return tools
  }

  /** The names of its tools in the registry. */
  get names(): Array<string> {
    return [...this.known.values()].map(({ tool }) => tool.name)
  }

  /** Takes the tools out of the registry, and ends the connection; calls that run fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isOpen = false
    for (const name of [...this.known.keys()]) this.remove(name)
    await this.connection[Symbol.asyncDispose]()
  }

  private sync(tools: ReadonlyArray<McpTool>): void {
    // A list that was asked for may come after the end.
    if (!this.isOpen) return
    const names = new Set(tools.map(({ name }) => name))
    for (const name of [...this.known.keys()]) {
      if (!names.has(name)) this.remove(name)
    }
    for (const tool of tools) this.put(tool)
  }

  private put(described: McpTool): void {
    const { name: server, registry, approval = () => true, primary, onError } = this.options
    const json = JSON.stringify(described)
    const before = this.known.get(described.name)
    if (before?.json === json) return
    try {
      const isTaken = (name: string) => name === "resolve" || registry.get(name) !== undefined
      const name = before?.tool.name ?? remoteName(server, described.name, isTaken)
      const options = { name, server, asks: approval(described), primary: primary?.(described) }
      const tool = remoteTool(described, this.connection, options)
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
    // Somebody may have put another one in its place.
    if (known !== undefined && registry.get(known.tool.name) === known.tool)
      registry.unregister(known.tool.name)
  }
}
