/** Answers MCP clients over HTTP, after they were admitted: those of 2026-07-28 request by request, older ones in sessions. */
import type { AuthInfo, McpServerFactory } from "@modelcontextprotocol/server"
import { expectFunction } from "../../model/got.ts"
import { identifiedBy } from "./caller-name.ts"
import { expectBuild } from "./expect-build.ts"
import { HttpSessions } from "./http-sessions.ts"
import { loadServerSdk } from "./load-sdk.ts"
import type { McpBuild } from "./mcp-server.ts"
import { refuseMismatch } from "./param-headers.ts"
import { rejection } from "./rejection.ts"

/** The options of an endpoint over HTTP. */
export interface McpEndpointOptions {
  /** Whether clients of the revision 2025-11-25 are served, each with a session. Default `"sessions"`. */
  readonly legacy?: "sessions" | "reject"
  /** Bytes of one request. Default 4 MiB. */
  readonly maxRequestBytes?: number
  /** Called with faults outside of calls. */
  readonly onError?: (error: Error) => void
}

/** Answers requests until it is closed. */
export interface McpEndpoint {
  /** `by`: who sends the request, if known. */
  fetch(request: Request, by?: string): Promise<Response>
  close(): Promise<void>
}

const maxSessions = 1_000

/** Throws a TypeError for invalid arguments of an endpoint. */
export const expectEndpoint = (build: unknown, options: McpEndpointOptions): void => {
  expectBuild(build)
  expectFunction("onError", options.onError)
}

/** Rejects if the package `@modelcontextprotocol/server` is missing. */
export const openEndpoint = async (
  build: McpBuild | McpServerFactory,
  { legacy = "sessions", maxRequestBytes = 4 * 1024 * 1024, onError = () => {} }: McpEndpointOptions,
): Promise<McpEndpoint> => {
  const sdk = await loadServerSdk()
  const limits = { maxRequestBodySize: maxRequestBytes }
  const modern = sdk.createMcpHandler(build, { legacy: "reject", ...limits, onerror: onError })
  const sessions = new HttpSessions(sdk, build, maxSessions, onError)
  const stop = "onToolsChange" in build ? build.onToolsChange(() => modern.notify.toolsChanged()) : undefined

  const route = async (request: Request, parsedBody: unknown, by: string | undefined): Promise<Response> => {
    const authInfo: AuthInfo | undefined = by === undefined ? undefined : identifiedBy(by)
    const options = { ...(authInfo && { authInfo }), ...(parsedBody !== undefined && { parsedBody }) }
    if (legacy === "sessions" && (await sdk.isLegacyRequest(request, parsedBody, limits)))
      return sessions.fetch(request, options).catch((error) => {
        onError(error)
        throw error
      })
    // The SDK does this only for its own servers.
    const mismatch = "schemaOf" in build ? refuseMismatch(request, parsedBody, build.schemaOf) : undefined
    return mismatch ?? modern.fetch(request, options)
  }
  return {
    fetch: async (request, by) => {
      if (request.method !== "POST") return route(request, undefined, by)
      const body = await sdk.readRequestBody(request, maxRequestBytes)
      if (body.tooLarge) return rejection(413, -32000, `A request has at most ${maxRequestBytes} bytes`)
      let parsed: unknown
      try {
        parsed = JSON.parse(body.text)
      } catch {
        return rejection(400, -32700, "Parse error: the request body is not valid JSON")
      }
      return route(request, parsed, by)
    },
    close: async () => {
      stop?.()
      await Promise.all([modern.close(), sessions.close()])
    },
  }
}
