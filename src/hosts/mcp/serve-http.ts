/**
 * Serves MCP clients over HTTP, by default only those of this machine. Requests from web pages, and requests to foreign DNS
 * names of this machine, are refused before anything is read.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { AddressInfo } from "node:net"
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { expectText } from "../../model/got.ts"
import { openServer } from "../http/open-server.ts"
import { expectPort } from "../port.ts"
import { expectEndpoint, type McpEndpointOptions, openEndpoint } from "./http-endpoint.ts"
import { loadServerSdk } from "./load-sdk.ts"
import type { McpBuild } from "./mcp-server.ts"
import { rejection } from "./rejection.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** Options of `serveMcpHttp`. */
export interface McpHttpOptions extends McpEndpointOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** Default `"127.0.0.1"`. Any address reachable from outside needs a `token`. */
  readonly host?: string
  /** Names for which requests are accepted, besides `host` and `localhost`. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** The token that clients send as `Authorization: Bearer`. Default: none is required. */
  readonly token?: string
}

/** A server that listens. */
export interface McpHttp extends AsyncDisposable {
  /** The address for clients. */
  readonly url: string
}

const path = "/mcp"

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host)

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares tokens in constant time. */
const isToken = (given: string | null, token: string): boolean =>
  timingSafeEqual(digest(given ?? ""), digest(`Bearer ${token}`))

const unauthorized = (): Response => {
  const refused = rejection(401, -32001, "A bearer token is required")
  refused.headers.set("WWW-Authenticate", "Bearer")
  return refused
}

/** Refuses requests by their origin, by the host that they name, and by their token. */
const guard = (sdk: Sdk, options: McpHttpOptions): ((request: Request) => Response | undefined) => {
  const { host = "127.0.0.1", allowedHosts = [], token } = options
  const named = host.includes(":") ? `[${host}]` : host
  const hosts = [...sdk.localhostAllowedHostnames(), named, ...allowedHosts]
  const origins = [...sdk.localhostAllowedOrigins(), named, ...allowedHosts]
  return (request) => {
    const refused =
      sdk.hostHeaderValidationResponse(request, hosts) ?? sdk.originValidationResponse(request, origins)
    if (refused !== undefined) return refused
    if (token !== undefined && !isToken(request.headers.get("authorization"), token)) return unauthorized()
    return new URL(request.url).pathname === path ? undefined : new Response(undefined, { status: 404 })
  }
}

/**
 * Serves MCP clients over HTTP, at `/mcp`. Needs the package `@modelcontextprotocol/server`. Rejects if the port is taken,
 * and without a token for a host reachable from outside. Within your own server, use `mcpHandler`.
 */
export const serveMcpHttp = async (
  build: McpBuild | McpServerFactory,
  options: McpHttpOptions,
): Promise<McpHttp> => {
  expectEndpoint(build, options)
  expectPort(options.port)
  expectText("host", options.host)
  expectText("token", options.token)
  const { port, host = "127.0.0.1", token } = options
  if (token === "")
    throw new TypeError("Expected `token` to be something that cannot be guessed, got nothing")
  if (token === undefined && !isLoopback(host)) {
    throw new TypeError(`Expected a \`token\`: ${host} can be reached from other machines`)
  }
  const refuse = guard(await loadServerSdk(), options)
  const endpoint = await openEndpoint(build, options)
  const answer = async (request: Request, keep: () => void): Promise<Response> => {
    const refused = refuse(request)
    if (refused !== undefined) return refused
    keep()
    return endpoint.fetch(request)
  }
  const server = await openServer((request, _incoming, keep) => answer(request, keep), port, host).catch(
    async (error) => {
      await endpoint.close()
      throw error
    },
  )
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}${path}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      await endpoint.close()
      server.closeAllConnections()
      await closed
    },
  }
}
