/** Clients of the revision 2025-11-25 over HTTP: each has a session, with a server of its own, until it says that it goes. */
import { randomUUID } from "node:crypto"
import type {
  McpServerFactory,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"

type Sdk = typeof import("@modelcontextprotocol/server")

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Awaited<ReturnType<McpServerFactory>>
}

const rejection = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })

/** The sessions of one HTTP server. Past `max`, the one that was used least recently ends. */
export class HttpSessions {
  private readonly sdk: Sdk
  private readonly build: McpServerFactory
  private readonly max: number
  /** In the order of their last use. */
  private readonly sessions = new Map<string, Session>()

  constructor(sdk: Sdk, build: McpServerFactory, max: number) {
    this.sdk = sdk
    this.build = build
    this.max = max
  }

  /** Answers a request that belongs to a session, or opens one. */
  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id")
    if (id !== null) {
      const session = this.sessions.get(id)
      if (session === undefined) return rejection(404, -32001, "Session not found")
      this.sessions.delete(id)
      this.sessions.set(id, session)
      return session.transport.handleRequest(request)
    }
    if (!(await this.isInitialize(request)))
      return rejection(400, -32000, "Mcp-Session-Id header is required")
    return this.open(request)
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((id) => this.end(id)))
  }

  private async isInitialize(request: Request): Promise<boolean> {
    if (request.method !== "POST") return false
    const body: unknown = await request
      .clone()
      .json()
      .catch(() => undefined)
    return this.sdk.isInitializeRequest(body)
  }

  private async open(request: Request): Promise<Response> {
    const transport = new this.sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.sessions.set(id, { transport, server })
        const [oldest] = this.sessions.keys()
        if (this.sessions.size > this.max && oldest !== undefined) void this.end(oldest)
      },
      onsessionclosed: (id) => void this.end(id),
    })
    const server = await this.build({ era: "legacy" })
    await (server as Server).connect(transport)
    return transport.handleRequest(request)
  }

  private async end(id: string): Promise<void> {
    const session = this.sessions.get(id)
    this.sessions.delete(id)
    await session?.server.close()
  }
}
