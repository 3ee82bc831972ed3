/** An HTTP server on loopback, for the tests of one file. Each test adds the routes that it needs. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll } from "vitest"

export interface HttpServer {
  /** The URL of a path, by the address 127.0.0.1 or by another name of this machine. */
  url(path: string, host?: string): string
  /** Answers a path, whatever its query. */
  route(path: string, listener: RequestListener): void
  /** What was asked for in this test. */
  readonly requests: ReadonlyArray<IncomingMessage>
}

/** On every address of this machine, IPv6 ones included where there are any. */
export const useHttpServer = (): HttpServer => {
  const routes = new Map<string, RequestListener>()
  const requests: Array<IncomingMessage> = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    const { pathname } = new URL(request.url!, "http://test")
    const listener = routes.get(pathname)
    if (listener === undefined) response.writeHead(404).end("nothing here")
    else listener(request, response)
  }
  const server = createServer(answer)
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)))
  afterEach(() => {
    routes.clear()
    requests.length = 0
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    url: (path, host = "127.0.0.1") => `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    route: (path, listener) => routes.set(path, listener),
    requests,
  }
}

/** Answers with a body and, where given, headers. */
export const sends =
  (body: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers).end(body)
  }

export const redirectsTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { location }).end()
  }
