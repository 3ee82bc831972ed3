/**
 * A handler of web requests for `node:http`, and for frameworks on it. The signal of a request is aborted when its client
 * disconnects, and the stream to that client is cancelled.
 */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { TLSSocket } from "node:tls"

/** Answers a request of `node:http`. `next`: receives errors, as in Express; without it they are answered with 500. */
export type NodeListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: (error: unknown) => void,
) => void

/** What frameworks add: the whole address, if a router removed a part, and the body, if a parser has read it. */
type Incoming = IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown }

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue
    for (const each of [value].flat()) given.append(name, each)
  }
  return given
}

/** The request's body, read on demand: nothing is read from a refused client. */
const streamOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

const bodyOf = (incoming: Incoming, headers: Headers): RequestInit["body"] => {
  const { method, body, readableEnded } = incoming
  if (method === "GET" || method === "HEAD") return null
  if (!readableEnded) return streamOf(incoming)
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) headers.delete(name)
  if (body === undefined || typeof body === "string") return body
  return body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body)
}

/** Returns undefined for an invalid address, or a method that a web request cannot have. */
const requestOf = (incoming: Incoming, signal: AbortSignal): Request | undefined => {
  const { method = "GET", url = "/", originalUrl = url } = incoming
  const headers = headersOf(incoming)
  const scheme = (incoming.socket as Partial<TLSSocket>).encrypted === true ? "https" : "http"
  try {
    const address = new URL(originalUrl, `${scheme}://${headers.get("host") ?? "localhost"}`)
    const body = bodyOf(incoming, headers)
    return new Request(address, { method, headers, body, signal, duplex: "half" } as RequestInit)
  } catch {
    return undefined
  }
}

const writeHead = (response: Response, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (name === "set-cookie") outgoing.appendHeader(name, value)
    else outgoing.setHeader(name, value)
  }
  // The rest of a refused request is not read.
  if (!incoming.complete && incoming.httpVersionMajor < 2) outgoing.setHeader("Connection", "close")
  outgoing.flushHeaders()
}

/** Writes a body at the pace at which the client reads. */
const writeBody = async (
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> => {
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  if (gone.aborted) return cancel()
  gone.addEventListener("abort", cancel)
  for (;;) {
    const { done, value } = await reader.read()
    if (done || gone.aborted) return
    if (!outgoing.write(value)) await once(outgoing, "drain", { signal: gone })
  }
}

/** Returns the listener for a handler, which receives Node's message with each request. */
export const nodeListener =
  (answer: (request: Request, incoming: IncomingMessage) => Promise<Response>): NodeListener =>
  (incoming, outgoing, next) => {
    const gone = new AbortController()
    const request = requestOf(incoming, gone.signal)
    outgoing.once("close", () => {
      if (!outgoing.writableEnded) gone.abort()
    })
    const proceed = async () => {
      const response =
        request === undefined ? new Response(null, { status: 400 }) : await answer(request, incoming)
      writeHead(response, incoming, outgoing)
      if (response.body !== null) await writeBody(response.body, outgoing, gone.signal)
      outgoing.end()
    }
    proceed().catch((error: unknown) => {
      if (outgoing.headersSent || gone.signal.aborted) outgoing.destroy()
      else if (typeof next === "function") next(error)
      else outgoing.writeHead(500, { Connection: "close" }).end()
    })
  }
