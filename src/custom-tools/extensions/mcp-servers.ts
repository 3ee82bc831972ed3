/** The MCP servers that extensions register, for hosts to connect. */
import { toPlainJson } from "../../output/to-plain-json.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import type { McpServerConfig, RegisteredMcpServer } from "../extension.ts"
import type { LoadedExtension } from "./loaded-extension.ts"

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** The MCP servers that extensions register, for hosts to connect. */
export class McpServers {
  /** By name. */
  private readonly servers = new Map<
    string,
    { readonly owner: LoadedExtension; readonly config: McpServerConfig }
  >()

  /** The servers in the order of registration. */
  list(): Array<RegisteredMcpServer> {
    return [...this.servers].map(([name, { owner, config }]) => ({
      name,
      config,
      extensionPath: owner.module.resolvedPath,
    }))
  }

  /**
   * Registers a server. Throws for an invalid configuration, and for a name that another extension uses. An extension's own
   * server is replaced.
   */
  register(owner: LoadedExtension, name: string, given: unknown): void {
    const config = toPlainJson(given)
    if (!isText(name) || !isPlainObject(config) || !(isText(config.command) || isText(config.url))) {
      throw new TypeError("Expected an MCP server to have a name, and a `command` or a `url`")
    }
    const other = this.servers.get(name)
    if (other !== undefined && other.owner !== owner) {
      throw new Error(`MCP server "${name}" is already registered by ${other.owner.module.path}`)
    }
    if (owner.state !== "failed") this.servers.set(name, { owner, config })
  }

  /** Removes a server, unless it belongs to another extension. */
  unregister(owner: LoadedExtension, name: string): void {
    if (this.servers.get(name)?.owner === owner) this.servers.delete(name)
  }

  drop(owner: LoadedExtension): void {
    for (const [name, server] of this.servers) if (server.owner === owner) this.servers.delete(name)
  }
}
