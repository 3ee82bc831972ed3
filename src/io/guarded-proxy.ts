/**
 * An HTTP proxy on loopback whose connections all pass an address guard: the only way out for a browser, which follows
 * redirects, loads subresources and opens sockets on its own. It does not keep the process alive.
 */
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import { type AddressGuard, hostnameOf } from "./address-guard.ts"
import { boundConnections, requestTimes } from "./bound-connections.ts"
import { FetchError } from "./fetch-error.ts"

/** Headers that concern a connection, not the messages sent over it. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** The number of hosts whose last failure is kept. */
const maxFailures = 256

/** Removes the headers of the connection, including those that `Connection` names. Names and values alternate. */
const endToEnd = (rawHeaders: ReadonlyArray<string>): Array<string> => {
  const dropped = new Set(hopByHop)
  const nameAt = (index: number) => rawHeaders[index - (index % 2)]!.toLowerCase()
  for (const [index, text] of rawHeaders.entries()) {
    const isValue = index % 2 === 1
    if (!isValue || nameAt(index) !== "connection") continue
    for (const name of text.split(",")) dropped.add(name.trim().toLowerCase())
  }
  return rawHeaders.filter((_, index) => !dropped.has(nameAt(index)))
}

export class GuardedProxy {
  private readonly guard: AddressGuard
  private readonly failures = new Map<string, Error>()
  private readonly tunnels = new Set<Duplex>()
  private readonly server = createServer(requestTimes)

  constructor(guard: AddressGuard) {
    this.guard = guard
    const use = boundConnections(this.server)
    this.server.on("connection", (socket) => socket.unref())
    this.server.on("request", (incoming, outgoing) => {
      use(incoming.socket, outgoing)
      this.forward(incoming, outgoing)
    })
    this.server.on("connect", (incoming, socket, head) => {
      use(socket, socket)
      this.tunnel(incoming, socket, head)
    })
  }

  /** Starts the proxy, and returns its URL. */
  async start(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject)
      this.server.listen(0, "127.0.0.1", resolve)
      this.server.unref()
    })
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Why the last connection to the host of a URL failed: a PrivateAddressError, or Node's error. */
  failureOf(url: URL): Error | undefined {
    return this.failures.get(authorityOf(url))
  }

  /** Ends all connections. */
  close(): void {
    for (const socket of this.tunnels) socket.destroy()
    this.server.closeAllConnections()
    this.server.close()
  }

  private forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fail = (url: URL | undefined, error: Error) => {
      if (url !== undefined) this.failed(url, error)
      outgoing.destroy()
    }
    if (!URL.canParse(incoming.url!)) return fail(undefined, new Error("Not a URL"))
    const url = new URL(incoming.url!)
    try {
      this.guard.checkLiteral(hostnameOf(url))
      const request = requestHttp(url, {
        agent: false,
        method: incoming.method,
        headers: endToEnd(incoming.rawHeaders),
        setHost: false,
        lookup: this.guard.lookup,
      })
      request.on("socket", (socket) => socket.unref())
      request.on("error", (error) => fail(url, error))
      request.on("close", () => {
        // For example after an unrequested protocol switch.
        const isAnswered = outgoing.headersSent || outgoing.destroyed
        if (!isAnswered) fail(url, new FetchError("The server closed the connection without an answer."))
      })
      request.on("response", (response) => {
        this.failures.delete(authorityOf(url))
        const { statusCode = 502, statusMessage, rawHeaders } = response
        try {
          outgoing.writeHead(statusCode, statusMessage, endToEnd(rawHeaders))
        } catch (cause) {
          // Node accepts statuses and control characters that it refuses to write.
          return fail(url, new FetchError(`The answer of ${url.host} is not valid HTTP.`, { cause }))
        }
        response.on("error", () => outgoing.destroy())
        response.pipe(outgoing)
      })
      outgoing.on("close", () => request.destroy())
      incoming.pipe(request)
    } catch (error) {
      // An error of the guard, or of Node for a header that it refuses.
      fail(url, error as Error)
    }
  }

  private tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => {})
    if (!URL.canParse(`https://${incoming.url}`)) return void socket.destroy()
    const url = new URL(`https://${incoming.url}`)
    const host = hostnameOf(url)
    try {
      this.guard.checkLiteral(host)
    } catch (error) {
      this.failed(url, error as Error)
      return void socket.destroy()
    }
    const target = connect({ host, port: Number(url.port || 443), lookup: this.guard.lookup })
    target.unref()
    this.tunnels.add(socket)
    socket.on("close", () => {
      this.tunnels.delete(socket)
      target.destroy()
    })
    target.on("close", () => socket.destroy())
    target.on("error", (error) => this.failed(url, error))
    target.on("connect", () => {
      this.failures.delete(authorityOf(url))
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      target.write(head)
      target.pipe(socket)
      socket.pipe(target)
    })
  }

  private failed(url: URL, error: Error): void {
    this.failures.delete(authorityOf(url))
    this.failures.set(authorityOf(url), error)
    if (this.failures.size > maxFailures) this.failures.delete(this.failures.keys().next().value!)
  }
}

/** Host and port. */
const authorityOf = ({ protocol, host, hostname, port }: URL): string => {
  if (port !== "") return host
  return `${hostname}:${protocol === "https:" || protocol === "wss:" ? 443 : 80}`
}
