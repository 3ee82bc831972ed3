/**
 * Serves MCP clients over HTTP, by default only those of this machine. Requests of web pages, and requests to names that foreign DNS
 * gives this machine, are refused before anything is read.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { boundConnections, requestTimes } from "../../io/bound-connections.ts"
import { expectFunction, expectText } from "../../pipeline/model/got.ts"
import { loadPeer } from "../load-peer.ts"
import { expectPort } from "../port.ts"
import { expectBuild } from "./expect-build.ts"
import { HttpSessions } from "./http-sessions.ts"
import { loadServerSdk } from "./load-sdk.ts"
import type { McpBuild } from "./mcp-server.ts"
import { refuseMismatch } from "./param-headers.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** Options of `serveMcpHttp`. */
export interface McpHttpOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** Default `"127.0.0.1"`. Any address beyond this machine needs a `token`. */
  readonly host?: string
  /** Names for which requests are accepted, besides `host` and `localhost`. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** The token that clients send as `Authorization: Bearer`. Default: none is required. */
  readonly token?: string
  /** Whether clients of the revision 2025-11-25 are served, each with a session. Default `"sessions"`. */
  readonly legacy?: "sessions" | "reject"
  /** Bytes of one request. Default 4 MiB. */
  readonly maxRequestBytes?: number
  /** Called with faults outside of calls. */
  readonly onError?: (error: Error) => void
}

/** A server that listens. */
export interface McpHttp extends AsyncDisposable {
  /** The address for clients. */
  readonly url: string
}

const path = "/mcp"
const maxSessions = 1_000

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host)

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares tokens in a time that does not depend on how much is right. */
const isToken = (given: string | null, token: string): boolean =>
  timingSafeEqual(digest(given ?? ""), digest(`Bearer ${token}`))

const unauthorized = (): Response =>
  Response.json(
    { jsonrpc: "2.0", id: null, error: { code: -32001, message: "A bearer token is required" } },
    { status: 401, headers: { "WWW-Authenticate": "Bearer" } },
  )

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

/** A request without its body, which is not read for refused clients. Undefined for a request without an address. */
const headOf = ({ url = "/", headers }: IncomingMessage): Request | undefined => {
  if (!URL.canParse(url, "http://localhost")) return undefined
  const head = new Headers()
  for (const name of ["host", "origin", "authorization"]) {
    const value = headers[name]
    if (typeof value === "string") head.set(name, value)
  }
  return new Request(new URL(url, "http://localhost"), { headers: head })
}

const refuseWith = async (refused: Response, response: ServerResponse): Promise<void> => {
  response.writeHead(refused.status, { ...Object.fromEntries(refused.headers), Connection: "close" })
  response.end(await refused.text())
}

/**
 * Serves MCP clients over HTTP, at `/mcp`. Needs the packages `@modelcontextprotocol/server` and `@modelcontextprotocol/node`.
 * Rejects if the port is taken, and for a host beyond this machine without a token.
 */
export const serveMcpHttp = async (
  build: McpBuild | McpServerFactory,
  options: McpHttpOptions,
): Promise<McpHttp> => {
  expectBuild(build)
  expectPort(options.port)
  expectText("host", options.host)
  expectText("token", options.token)
  expectFunction("onError", options.onError)
  const { port, host = "127.0.0.1", legacy = "sessions", maxRequestBytes = 4 * 1024 * 1024 } = options
  const { onError: onerror = () => {}, token } = options
  if (token === "")
    throw new TypeError("Expected `token` to be something that cannot be guessed, got nothing")
  if (token === undefined && !isLoopback(host)) {
    throw new TypeError(`Expected a \`token\`: ${host} can be reached from other machines`)
  }
  const sdk = await loadServerSdk()
  const { toNodeHandler } = await loadPeer(
    "@modelcontextprotocol/node",
    "2",
    () => import("@modelcontextprotocol/node"),
  )
  const refuse = guard(sdk, options)
  const modern = sdk.createMcpHandler(build, {
    legacy: "reject",
    maxRequestBodySize: maxRequestBytes,
    onerror,
  })
  const sessions = new HttpSessions(sdk, build, maxSessions)
  const fetch = async (request: Request): Promise<Response> => {
    const isLegacy =
      legacy === "sessions" &&
      (await sdk.isLegacyRequest(request, undefined, { maxRequestBodySize: maxRequestBytes }))
    if (isLegacy) return sessions.fetch(request)
    // The SDK does this only for its own servers.
    const mismatch = "schemaOf" in build ? await refuseMismatch(request, build.schemaOf) : undefined
    return mismatch ?? modern.fetch(request)
  }
  const answer = toNodeHandler({ fetch }, { onerror, maxRequestBodySize: maxRequestBytes })
  const server = createServer(requestTimes, (request, response) => {
    const head = headOf(request)
    const refused = head === undefined ? new Response(undefined, { status: 400 }) : refuse(head)
    if (refused !== undefined) return void refuseWith(refused, response)
    use(request.socket, response)
    response.once("close", sessions.use(request.headers["mcp-session-id"]))
    void answer(request, response)
  })
  const use = boundConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  const stop = "onToolsChange" in build ? build.onToolsChange(() => modern.notify.toolsChanged()) : undefined
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}${path}`,
    [Symbol.asyncDispose]: async () => {
      stop?.()
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.all([modern.close(), sessions.close()])
      server.closeAllConnections()
      await closed
    },
  }
}
