/** An MCP server within another HTTP server, which authenticates its users. */
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { expectMount, identified, type Mounted, type MountOptions, toBase } from "../http/mount.ts"
import { nodeListener } from "../http/node-listener.ts"
import { expectEndpoint, type McpEndpoint, type McpEndpointOptions, openEndpoint } from "./http-endpoint.ts"
import type { McpBuild } from "./mcp-server.ts"

/** Options of `mcpHandler`. */
export interface McpHandlerOptions extends McpEndpointOptions, MountOptions {
  /** The path of the endpoint, such as `"/mcp"`; others are answered with 404. Default: any path. */
  readonly base?: string
}

/**
 * MCP over HTTP for a server of your own, behind its own sign-in: a function from a web request to its response, and `node`
 * for `node:http`, Express and Fastify. That server must check Host names and origins. `identify` returns who sends a
 * request: the `by` of answers, unless `mcpServer` has a `who`, and the owner of tasks and sessions. Needs the package
 * `@modelcontextprotocol/server`, loaded with the first request. Throws a TypeError for invalid options.
 *
 * @example
 * const { build } = mcpServer(executor, { name: "notes", version: "1.0.0" })
 * const mcp = mcpHandler(build, { identify: (request) => userOf(request)?.name })
 * app.all("/mcp", (c) => mcp(c.req.raw)) // Hono
 * app.use("/mcp", mcp.node) // Express
 */
export const mcpHandler = (build: McpBuild | McpServerFactory, options: McpHandlerOptions): Mounted => {
  expectMount(options)
  expectEndpoint(build, options)
  const base = options.base === undefined ? undefined : toBase(options.base)
  let opened: Promise<McpEndpoint> | undefined
  const open = () => {
    opened ??= openEndpoint(build, options)
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }
  const handle = async (request: Request, context?: unknown): Promise<Response> => {
    if (base !== undefined && new URL(request.url).pathname.replace(/\/$/, "") !== base)
      return new Response(null, { status: 404 })
    const by = await identified(options, request, context)
    return typeof by === "string" ? (await open()).fetch(request, by) : by
  }
  const close = async () => (await opened)?.close()
  return Object.assign(handle, { node: nodeListener(handle), close, [Symbol.asyncDispose]: close })
}
