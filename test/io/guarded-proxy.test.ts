// @module-tag waits
import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { AddressGuard, PrivateAddressError } from "../../src/io/address-guard.ts"
import { FetchError } from "../../src/io/fetch-error.ts"
import { GuardedProxy } from "../../src/io/guarded-proxy.ts"
import { sends, useHttpServer } from "../servers/http-server.ts"

const server = useHttpServer()
let proxy: GuardedProxy
let port: number
let asked: Array<string>

/** Of this machine only 127.0.0.1 is open, and every name but one leads there. */
const guard = new AddressGuard({
  isAllowed: (address) => address === "127.0.0.1",
  resolve: async (name) => {
    asked.push(name)
    return [{ address: name === "bad.test" ? "127.0.0.2" : "127.0.0.1", family: 4 }]
  },
})

beforeEach(async () => {
  asked = []
  proxy = new GuardedProxy(guard)
  port = Number(new URL(await proxy.start()).port)
})
afterEach(() => proxy.close())

const through = async (
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) => {
  const { body, ...rest } = options
  const request = httpRequest({ host: "127.0.0.1", port, path: url, agent: false, ...rest })
  request.end(body)
  const [response] = (await once(request, "response")) as [IncomingMessage]
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return { response, body: Buffer.concat(chunks).toString() }
}

/** An open tunnel, or undefined where it is refused. */
const tunnel = async (authority: string): Promise<Socket | undefined> => {
  const socket = connect(port, "127.0.0.1")
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  const data = await Promise.race([once(socket, "data"), once(socket, "close")])
  if (!Buffer.isBuffer(data[0])) return undefined
  expect(data[0].toString()).toBe("HTTP/1.1 200 Connection Established\r\n\r\n")
  return socket
}

const authority = (host: string) => new URL(server.url("/", host)).host

describe("a request through GuardedProxy", () => {
  it("comes back with the server's answer", async () => {
    server.route("/page", (request, response) => {
      request.pipe(response.writeHead(201, "Fine", { "x-own": "yes", "set-cookie": ["a=1", "b=2"] }))
    })
    const { response, body } = await through(server.url("/page?x=1"), { method: "POST", body: "hello" })
    expect([response.statusCode, response.statusMessage, body]).toEqual([201, "Fine", "hello"])
    expect(response.headers).toMatchObject({ "x-own": "yes", "set-cookie": ["a=1", "b=2"] })
    expect(server.requests[0]).toMatchObject({ method: "POST", url: "/page?x=1" })
  })

  it("takes along what is meant for the server, and not what is meant for the proxy", async () => {
    server.route("/", sends("ok"))
    const host = authority("name.test")
    await through(server.url("/", "name.test"), {
      headers: { host, "proxy-authorization": "secret", "proxy-connection": "keep-alive", "x-own": "yes" },
    })
    expect(server.requests[0]!.headers).toMatchObject({ host, "x-own": "yes" })
    expect(Object.keys(server.requests[0]!.headers).filter((name) => name.startsWith("proxy-"))).toEqual([])
    expect(asked).toEqual(["name.test"])
  })

  it("loses both ways what its `Connection` header names", async () => {
    server.route("/", (_request, response) => {
      response.writeHead(200, { connection: "close, x-hop", "x-hop": "no", "x-own": "yes" }).end()
    })
    const { response } = await through(server.url("/"), {
      headers: { connection: "keep-alive, X-Hop", "x-hop": "no", "x-own": "yes" },
    })
    for (const { headers } of [server.requests[0]!, response]) {
      expect(headers).toMatchObject({ "x-own": "yes" })
      expect(headers).not.toHaveProperty("x-hop")
    }
  })

  it.each([
    [
      "switches protocols unasked",
      "101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade",
      /without an answer/,
    ],
    ["sends a status that is none", "099 Odd", /is not valid HTTP/],
    ["sends the status 000", "000 Odd", /is not valid HTTP/],
    ["sends a control character", "200 O\u0001K", /is not valid HTTP/],
  ])("to a server that %s fails, and the proxy knows why", async (_, head, message) => {
    const tcp = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
    })
    onTestFinished(() => void tcp.close())
    await once(tcp.listen(0, "127.0.0.1"), "listening")
    const url = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`
    await expect(through(url)).rejects.toMatchObject({ code: "ECONNRESET" })
    const failure = proxy.failureOf(new URL(url))
    expect(failure).toBeInstanceOf(FetchError)
    expect(failure!.message).toMatch(message)
  })

  it.each(["127.0.0.2", "bad.test", "[::1]"])("to %s is refused with nothing sent", async (host) => {
    const url = server.url("/", host)
    await expect(through(url)).rejects.toMatchObject({ code: "ECONNRESET" })
    expect(proxy.failureOf(new URL(url))).toBeInstanceOf(PrivateAddressError)
    expect(server.requests).toEqual([])
  })

  it("to a port where nothing listens fails, and the proxy knows why", async () => {
    await expect(through("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNRESET" })
    expect(proxy.failureOf(new URL("http://127.0.0.1:1/x"))).toMatchObject({ code: "ECONNREFUSED" })
  })

  it("for no URL is refused", async () => {
    await expect(through("/page")).rejects.toMatchObject({ code: "ECONNRESET" })
  })
})

describe("a tunnel through GuardedProxy", () => {
  it("carries bytes both ways, to the address that was checked", async () => {
    server.route("/page", sends("ok"))
    const socket = (await tunnel(authority("name.test")))!
    socket.write("GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    const chunks: Array<Buffer> = []
    for await (const chunk of socket) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 200 OK(.|\r\n)*ok/)
    expect(asked).toEqual(["name.test"])
  })

  it.each(["127.0.0.2", "bad.test", "[::1]", "[::ffff:127.0.0.2]"])("to %s is refused", async (host) => {
    expect(await tunnel(authority(host))).toBeUndefined()
    expect(proxy.failureOf(new URL(`https://${authority(host)}/`))).toBeInstanceOf(PrivateAddressError)
  })

  it("to nonsense is refused", async () => {
    expect(await tunnel("[:443")).toBeUndefined()
  })

  it("ends with the proxy", async () => {
    const socket = (await tunnel(authority("127.0.0.1")))!
    const closed = once(socket, "close")
    socket.resume()
    proxy.close()
    await closed
  })
})
