/**
 * Clients of the revision 2025-11-25 over HTTP: each has a session with its own server, until the client ends it or is
 * silent for a long time, so that vanished clients leave nothing behind.
 */
import { randomUUID } from "node:crypto"
import type {
  HandleRequestOptions,
  McpServerFactory,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { rejection } from "./rejection.ts"
import { whenOver } from "./when-over.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

interface Session {
  /** Who opened the session: nobody else is answered. */
  readonly owner: string | undefined
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** The number of requests under way, streams among them. */
  open: number
  /** Ends the session if no request comes. */
  idle: NodeJS.Timeout | undefined
}

/** Milliseconds for which a session without a request is kept. */
const maxIdle = 3_600_000

/** The sessions of one HTTP server. Beyond `max`, the least recently used session ends. */
export class HttpSessions {
  private readonly sdk: Sdk
  private readonly build: McpServerFactory
  private readonly max: number
  private readonly onError: (error: Error) => void
  /** By id, the least recently used first. */
  private readonly sessions = new Map<string, Session>()

  constructor(sdk: Sdk, build: McpServerFactory, max: number, onError: (error: Error) => void) {
    this.sdk = sdk
    this.build = build
    this.max = max
    this.onError = onError
  }

  /** Answers a request that belongs to a session, or opens one. */
  async fetch(request: Request, options: HandleRequestOptions): Promise<Response> {
    const id = request.headers.get("mcp-session-id")
    const owner = options.authInfo?.clientId
    if (id === null) {
      const opens = request.method === "POST" && this.sdk.isInitializeRequest(options.parsedBody)
      return opens
        ? this.open(request, options, owner)
        : rejection(400, -32000, "Mcp-Session-Id header is required")
    }
    const session = this.sessions.get(id)
    if (session?.owner !== owner || session === undefined) return rejection(404, -32001, "Session not found")
    const stop = this.use(id, session)
    return whenOver(await session.transport.handleRequest(request, options), stop)
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((id) => this.end(id)))
  }

  /** Keeps a session while a request is answered. Call the returned function when it is. */
  private use(id: string, session: Session): () => void {
    this.sessions.delete(id)
    this.sessions.set(id, session)
    clearTimeout(session.idle)
    session.open += 1
    return () => {
      session.open -= 1
      if (session.open === 0 && this.sessions.get(id) === session) this.rest(id, session)
    }
  }

  private async open(
    request: Request,
    options: HandleRequestOptions,
    owner: string | undefined,
  ): Promise<Response> {
    const transport = new this.sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const session: Session = { owner, transport, server, open: 0, idle: undefined }
        this.sessions.set(id, session)
        this.rest(id, session)
        const [oldest] = this.sessions.keys()
        if (this.sessions.size > this.max && oldest !== undefined) void this.end(oldest)
      },
      onsessionclosed: (id) => void this.end(id),
    })
    const server = (await this.build({ era: "legacy" })) as Server
    server.onerror ??= this.onError
    await server.connect(transport)
    return transport.handleRequest(request, options)
  }

  private rest(id: string, session: Session): void {
    session.idle = setTimeout(() => void this.end(id), maxIdle)
    session.idle.unref()
  }

  private async end(id: string): Promise<void> {
    const session = this.sessions.get(id)
    clearTimeout(session?.idle)
    this.sessions.delete(id)
    await session?.server.close()
  }
}
