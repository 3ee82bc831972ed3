/**
 * An HTTP server for many users, who follow their agent as server-sent events and answer what it asks. One executor is one
 * tenant: each user has his own, so that nobody sees, answers or cancels the calls of another.
 *
 *     POST /messages { text }                                       what the agent is asked; its answer
 *     GET  /events                                                  what its calls do; goes on after `Last-Event-ID`
 *     POST /answers  { callId, verdict: "approve" | "deny", reason?, params? }   204, or 409 where it came too late
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { ToolEvent, ToolExecutor } from "stepline"

export interface ServerOptions {
  /** Who asks; undefined for whoever may not. Check a session or a token here. */
  readonly userOf: (request: IncomingMessage) => string | undefined
  readonly makeExecutor: (user: string) => ToolExecutor
  /** An agent loop, such as `converse` of the other recipes. */
  readonly converse: (
    executor: ToolExecutor,
    text: string,
    onEvent: (event: ToolEvent) => unknown,
  ) => Promise<string>
}

/** How many events a user may miss, and how many bytes a reader may be behind, or send. */
const kept = 1000
const maxBehind = 1_000_000
const maxBody = 1_000_000

/** What the client did wrong, as a status. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`Refused with ${status}`)
    this.status = status
  }
}

const json = async (request: IncomingMessage): Promise<unknown> => {
  let body = Buffer.alloc(0)
  // The connection stays for the answer, and drops the rest of a long body.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    body = Buffer.concat([body, chunk])
    if (body.length > maxBody) {
      request.resume()
      throw new Refusal(413)
    }
  }
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Refusal(400)
  }
}

/** Events are plain JSON, but for the `cause` of a failure, which is for the server's own log. */
const lineOf = (event: ToolEvent): string =>
  `id: ${event.seq}\ndata: ${JSON.stringify(event, (key, value) => (key === "cause" ? undefined : value))}\n\n`

class Tenant {
  readonly executor: ToolExecutor
  private readonly readers = new Set<ServerResponse>()
  private readonly told: Array<{ readonly seq: number; readonly line: string }> = []

  constructor(executor: ToolExecutor) {
    this.executor = executor
  }

  readonly tell = (event: ToolEvent): void => {
    const line = lineOf(event)
    this.told.push({ seq: event.seq, line })
    if (this.told.length > kept) this.told.shift()
    for (const reader of this.readers) {
      reader.write(line)
      // It comes back, and is told what it missed.
      if (reader.writableLength > maxBehind) reader.destroy()
    }
  }

  read(response: ServerResponse, after: number): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
    response.flushHeaders()
    for (const { seq, line } of this.told) if (seq > after) response.write(line)
    this.readers.add(response)
    response.on("close", () => this.readers.delete(response))
  }

  answer({ callId, verdict, reason, params }: Answer): boolean {
    const given = params === undefined ? {} : { params }
    return verdict === "approve" ? this.executor.approve(callId, given) : this.executor.deny(callId, reason)
  }
}

interface Answer {
  readonly callId: string
  readonly verdict: "approve" | "deny"
  readonly reason?: string
  readonly params?: unknown
}

export const makeServer = ({ userOf, makeExecutor, converse }: ServerOptions): Server => {
  const tenants = new Map<string, Tenant>()
  const tenantOf = (user: string): Tenant => {
    const tenant = tenants.get(user) ?? new Tenant(makeExecutor(user))
    tenants.set(user, tenant)
    return tenant
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const user = userOf(request)
    if (user === undefined) return response.writeHead(401).end()
    const tenant = tenantOf(user)
    switch (`${request.method} ${request.url}`) {
      case "GET /events":
        return tenant.read(response, Number(request.headers["last-event-id"] ?? 0))
      case "POST /messages": {
        const { text } = (await json(request)) as { readonly text: string }
        const answer = await converse(tenant.executor, text, tenant.tell)
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ answer }))
      }
      case "POST /answers": {
        const took = tenant.answer((await json(request)) as Answer)
        return response.writeHead(took ? 204 : 409).end()
      }
      default:
        return response.writeHead(404).end()
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(error instanceof Refusal ? error.status : 500)
      response.end()
    })
  })
  // Whoever closes the server ends what its users run.
  server.on("close", () => {
    for (const { executor } of tenants.values()) void executor.shutdown()
  })
  return server
}
