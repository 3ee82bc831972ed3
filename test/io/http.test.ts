// @module-tag waits
// @module-tag node
import { execFileSync } from "node:child_process"
import type { LookupAddress } from "node:dns"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import type { RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { PrivateAddressError } from "../../src/io/address-guard.ts"
import { localHttp } from "../../src/io/http.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { describeWith } from "../support/needs.ts"

const server = useHttpServer()
const open = localHttp({ allowPrivate: true })
const guarded = localHttp()

const get = (url: string, http = open) => http.get({ url: new URL(url) })

const textOf = async (response: { readonly body: AsyncIterable<Uint8Array> }): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const loopback: LookupAddress = { address: "127.0.0.1", family: 4 }
const elsewhere: LookupAddress = { address: "127.0.0.2", family: 4 }

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("with status %i is followed", async (status) => {
    server.route("/from", redirectsTo("/to?x=1", status))
    server.route("/to", sends("there"))
    const response = await get(server.url("/from"))
    expect(response.url.href).toBe(server.url("/to?x=1"))
    expect(response.redirectedFrom.map(({ href }) => href)).toEqual([server.url("/from")])
    expect(await textOf(response)).toBe("there")
  })

  it("is followed ten times and no more", async () => {
    for (let hop = 0; hop < 20; hop++) server.route(`/${hop}`, redirectsTo(`/${hop + 1}`))
    server.route("/20", sends("there"))
    expect(await textOf(await get(server.url("/10")))).toBe("there")
    await expect(get(server.url("/9"))).rejects.toThrow(
      `More than 10 redirects, the last one from ${server.url("/19")}`,
    )
  })

  it("is told before it is followed, and not followed where that throws", async () => {
    server.route("/a", redirectsTo("/b"))
    server.route("/b", redirectsTo(server.url("/c", "localhost")))
    const told: Array<string> = []
    const onRedirect = (from: URL, to: URL) => {
      told.push(`${from} ${to} ${server.requests.length}`)
      if (to.hostname === "localhost") throw new Error("Not there")
    }
    await expect(open.get({ url: new URL(server.url("/a")), onRedirect })).rejects.toThrow("Not there")
    expect(told).toEqual([
      `${server.url("/a")} ${server.url("/b")} 1`,
      `${server.url("/b")} ${server.url("/c", "localhost")} 2`,
    ])
    expect(server.requests.map(({ url }) => url)).toEqual(["/a", "/b"])
  })

  it("is a response like any other where none are to be followed", async () => {
    server.route("/from", redirectsTo("/to"))
    const response = await open.get({ url: new URL(server.url("/from")), maxRedirects: 0 })
    expect(response).toMatchObject({ status: 302, statusText: "Found" })
    response.close()
  })

  it.each([
    ["file:///etc/passwd", "Only http and https URLs can be fetched, not file:"],
    ["http://user:secret@127.0.0.1/", "URLs with a user name or a password cannot be fetched. Leave it out."],
    ["http://[", "redirects to an invalid URL"],
  ])("to %s is refused", async (location, message) => {
    server.route("/from", redirectsTo(location))
    await expect(get(server.url("/from"))).rejects.toThrow(message)
  })

  it.each([
    ["UTF-8", Buffer.from("/café")],
    ["Latin-1", Buffer.from("/café", "latin1")],
  ])("to a path in bare %s is followed to it", async (_, location) => {
    server.route("/from", redirectsTo(location.toString("latin1")))
    server.route("/caf%C3%A9", sends("there"))
    expect(await textOf(await get(server.url("/from")))).toBe("there")
  })

  it("takes no more along to another origin than what anybody may know, and nothing more back", async () => {
    const headers = {
      Accept: "text/html",
      Authorization: "Bearer x",
      Cookie: "a=b",
      "x-api-key": "x",
      "proxy-authorization": "x",
    }
    server.route("/from", redirectsTo("/same"))
    server.route("/same", redirectsTo(server.url("/other", "localhost")))
    server.route("/other", redirectsTo(server.url("/back")))
    server.route("/back", sends("there"))
    expect(await textOf(await open.get({ url: new URL(server.url("/from")), headers }))).toBe("there")
    const secrets = server.requests.map(({ url, headers: sent }) => [
      url,
      sent.accept,
      ...["authorization", "cookie", "x-api-key", "proxy-authorization"].filter((name) => name in sent),
    ])
    const all = ["authorization", "cookie", "x-api-key", "proxy-authorization"]
    expect(secrets).toEqual([
      ["/from", "text/html", ...all],
      ["/same", "text/html", ...all],
      ["/other", "text/html"],
      ["/back", "text/html"],
    ])
  })

  it("without a location is a response like any other", async () => {
    server.route("/from", (_request, response) => response.writeHead(302).end("no way"))
    const response = await get(server.url("/from"))
    expect(response.status).toBe(302)
    expect(await textOf(response)).toBe("no way")
  })
})

describe("the address guard", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "localhost",
    "localhost.",
    "any.localhost",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "169.254.169.254",
  ])("refuses %s with nothing sent", async (host) => {
    await expect(get(server.url("/", host), guarded)).rejects.toThrow(PrivateAddressError)
    expect(server.requests).toEqual([])
  })

  it("says what was refused, where it leads, and what would allow it", async () => {
    await expect(
      get(server.url("/", "localhost"), localHttp({ resolve: async () => [loopback] })),
    ).rejects.toThrow(
      "Refused to connect: localhost leads to 127.0.0.1, which is a loopback, link-local, private or reserved address. Such addresses are open only where the host of this tool set its option allowPrivate.",
    )
  })

  it("refuses a name of which only one address is private", async () => {
    const resolve = async () => [{ address: "1.1.1.1", family: 4 }, loopback]
    await expect(get(server.url("/", "mixed.test"), localHttp({ resolve }))).rejects.toThrow(
      "mixed.test leads to 127.0.0.1",
    )
  })

  it("checks every hop of a redirect, by address and by name", async () => {
    const http = localHttp({
      isAllowed: (address) => address === "127.0.0.1",
      resolve: async (name) => (name === "good.test" ? [loopback] : [elsewhere]),
    })
    server.route("/to", sends("secret"))
    for (const host of ["127.0.0.2", "bad.test", "[::1]"]) {
      server.route("/from", redirectsTo(server.url("/to", host)))
      await expect(get(server.url("/from", "good.test"), http)).rejects.toThrow(PrivateAddressError)
    }
    server.route("/from", redirectsTo(server.url("/to", "good.test")))
    expect(await textOf(await get(server.url("/from", "good.test"), http))).toBe("secret")
    expect(server.requests.filter(({ url }) => url === "/to")).toHaveLength(1)
  })

  it("connects to the very address that it checked, whatever the name leads to next", async () => {
    const answers = [[loopback], [elsewhere], [elsewhere]]
    const asked: Array<string> = []
    const http = localHttp({
      isAllowed: (address) => address === "127.0.0.1",
      resolve: async (name) => {
        asked.push(name)
        return answers.shift()!
      },
    })
    server.route("/", (request, response) => response.end(request.socket.localAddress))
    expect(await textOf(await get(server.url("/", "rebinding.test"), http))).toContain("127.0.0.1")
    expect(asked).toEqual(["rebinding.test"])
    await expect(get(server.url("/", "rebinding.test"), http)).rejects.toThrow(PrivateAddressError)
  })

  it("rejects with the resolver's failure for an unknown name", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
    await expect(get("http://nowhere.test/", localHttp({ resolve }))).rejects.toMatchObject({
      code: "ENOTFOUND",
    })
    const nothing = localHttp({ resolve: async () => [] })
    await expect(get("http://nowhere.test/", nothing)).rejects.toMatchObject({ code: "ENOTFOUND" })
  })
})

describeWith("openssl")("https", () => {
  /** A server for localhost with a certificate that nobody signed but itself. */
  const startServer = async (listener: RequestListener): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "stepline-test-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [key, cert] = [join(folder, "key"), join(folder, "cert")]
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    const made = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
    ]
    execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" })
    const tls = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, listener)
    onTestFinished(() => void tls.close())
    // On every address of localhost: which is tried first, and how long, is the system's affair.
    await once(tls.listen(0), "listening")
    return `https://localhost:${(tls.address() as AddressInfo).port}/`
  }

  it("is refused where the certificate is not to be trusted", async () => {
    const url = await startServer(sends("secret"))
    await expect(get(url)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
  })

  it("is connected to the checked address, under the URL's own name; a redirect to http is shown", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0")
    onTestFinished(() => void vi.unstubAllEnvs())
    const names: Array<unknown> = []
    server.route("/plain", sends("there"))
    const url = await startServer((request, response) => {
      names.push((request.socket as TLSSocket).servername, request.headers.host)
      redirectsTo(server.url("/plain"))(request, response)
    })
    const http = localHttp({
      isAllowed: (address) => address === "127.0.0.1",
      resolve: async () => [loopback],
    })
    const renamed = url.replace("localhost", "name.test")
    const response = await get(renamed, http)
    expect(names).toEqual(["name.test", new URL(renamed).host])
    expect(response.url.href).toBe(server.url("/plain"))
    expect(response.redirectedFrom.map(({ href }) => href)).toEqual([renamed])
    expect(await textOf(response)).toBe("there")
    await expect(get(url, guarded)).rejects.toThrow(PrivateAddressError)
  })
})

describe("a connection", () => {
  it("ends when its reader leaves an endless body", async () => {
    let closed: Promise<unknown> | undefined
    server.route("/", (_request, response) => {
      closed = once(response, "close")
      response.on("error", () => {})
      const write = () => {
        while (response.write(Buffer.alloc(65_536))) {}
      }
      response.on("drain", write)
      write()
    })
    const response = await get(server.url("/"))
    for await (const _ of response.body) break
    await closed
  })

  it("ends when the response is closed unread", async () => {
    let closed: Promise<unknown> | undefined
    server.route("/", (_request, response) => {
      closed = once(response, "close")
      response.write("and so on")
    })
    const response = await get(server.url("/"))
    response.close()
    await closed
  })

  it("ends when the signal is aborted, before and after the response", async () => {
    let closed: Promise<unknown> | undefined
    const controller = new AbortController()
    server.route("/silent", (_request, response) => {
      closed = once(response, "close")
      controller.abort()
    })
    const silent = open.get({ url: new URL(server.url("/silent")), signal: controller.signal })
    await expect(silent).rejects.toMatchObject({ name: "AbortError" })
    await closed

    const later = new AbortController()
    server.route("/slow", (_request, response) => {
      closed = once(response, "close")
      response.write("first")
    })
    const response = await open.get({ url: new URL(server.url("/slow")), signal: later.signal })
    later.abort()
    await expect(textOf(response)).rejects.toThrow()
    await closed
  })

  it.each([
    ["nothing", ""],
    ["what is not HTTP", "SSH-2.0-server\r\n"],
    [
      "a switch of protocols",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
  ])("to a server that answers with %s is a failure", async (_, answer) => {
    const tcp = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => socket.end(answer))
    })
    onTestFinished(() => void tcp.close())
    await once(tcp.listen(0), "listening")
    await expect(get(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`)).rejects.toThrow()
  })

  it("that breaks off inside a body fails the reader", async () => {
    server.route("/", (_request, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("half", () => response.destroy())
    })
    const response = await get(server.url("/"))
    await expect(textOf(response)).rejects.toMatchObject({ code: "ECONNRESET" })
  })
})
