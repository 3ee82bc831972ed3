// @module-tag waits
import { once } from "node:events"
import { brotliCompressSync, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { FetchUrl, type FetchUrlOptions } from "../../src/handlers/fetch-url.ts"
import { fetchUrlTool, makeFetchUrlTool } from "../../src/impls/fetch-url.ts"
import { type Http, localHttp } from "../../src/io/http.ts"
import { answerOf, contextOf, runHandler, stepOf } from "../handlers/run-handler.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { deferred, turn } from "../support/deferred.ts"
import { conforms } from "./conformance.ts"
import { resultOf } from "./result-of.ts"

const cwd = useTempFolder()
const server = useHttpServer()
const http = localHttp({ allowPrivate: true })

const fetchUrl = (path: string, options: Omit<FetchUrlOptions, "url"> = {}) =>
  FetchUrl({ url: server.url(path), ...options }, http)

const answer = (path: string, options?: Omit<FetchUrlOptions, "url">) =>
  answerOf(fetchUrl(path, options), { cwd: "/" })

/** The same, and a promise of the moment at which a handler has taken the first chunk of a body. */
const watchedHttp = (): { readonly watched: Http; readonly taken: Promise<void> } => {
  const taken = deferred()
  async function* watch(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      yield chunk
      // Who asks for the next one has it.
      taken.resolve()
    }
  }
  const get: Http["get"] = async (request) => {
    const response = await http.get(request)
    return { ...response, body: watch(response.body) }
  }
  return { watched: { get }, taken: taken.promise }
}

/** What stands after the header and its empty line. */
const bodyOf = async (path: string, options?: Omit<FetchUrlOptions, "url">) => {
  const text = await answer(path, options)
  return text.slice(text.indexOf("\n\n") + 2)
}

const plain = { "content-type": "text/plain" }

conforms({
  tool: makeFetchUrlTool({ allowPrivate: true }),
  cwd,
  prepare: () => {
    server.route("/", sends("text", plain))
    return { url: server.url("/") }
  },
  badParams: { url: "http://127.0.0.1/", max_length: 0 },
  asks: true,
  effects: [],
  cleanup: [],
})

describe("fetch_url", () => {
  it.each([
    [
      "no URL",
      "example.org/page",
      'Not a valid URL: "example.org/page". Give an absolute one, such as https://example.org/page.',
    ],
    ["another scheme", "file:///etc/passwd", "Only http and https URLs can be fetched, not file:"],
    [
      "a password",
      "https://me:secret@example.org/",
      "URLs with a user name or a password cannot be fetched. Leave it out.",
    ],
  ])("refuses %s without asking", async (_, url, message) => {
    expect(await resultOf(fetchUrlTool, { url }, "unasked")).toMatchObject({
      status: "error",
      content: message,
    })
  })

  it("refuses an address of thousands of characters without asking", async () => {
    const url = `https://example.org/${"x".repeat(200_000)}`
    expect(await resultOf(fetchUrlTool, { url }, "unasked")).toMatchObject({
      status: "error",
      content: "The URL has 200020 characters; at most 2048 can be fetched.",
    })
  })

  it("refuses private addresses without its option, also after a redirect", async () => {
    const refusal = /^Refused to connect: .* set its option allowPrivate\.$/
    const result = await resultOf(fetchUrlTool, { url: server.url("/") })
    expect(result).toMatchObject({ status: "error", content: expect.stringMatching(refusal) })
    expect(server.requests).toEqual([])

    server.route("/from", redirectsTo(server.url("/to", "127.0.0.2")))
    const tool = makeFetchUrlTool({ isAllowed: (address) => address === "127.0.0.1" })
    const redirected = await resultOf(tool, { url: server.url("/from") })
    expect(redirected).toMatchObject({ status: "error", content: expect.stringMatching(refusal) })
    expect(server.requests.map(({ url }) => url)).toEqual(["/from"])
  })

  it("shows the length that was asked for", async () => {
    server.route("/", sends("é".repeat(100), plain))
    const tool = makeFetchUrlTool({ allowPrivate: true })
    const { content } = await resultOf(tool, { url: server.url("/"), max_length: 5 })
    expect(content).toMatch(/\n\néé\n\[truncated: these are the first 4 bytes; the content has 200\]$/)
  })
})

describe("the answer of FetchUrl", () => {
  it("has the URL, the type and the size in its header, and details for the host", async () => {
    server.route("/page", sends('{"a":1}', { "content-type": "application/json", "content-length": "7" }))
    expect(await answer("/page?x=1")).toBe(
      `[URL: ${server.url("/page?x=1")}]\n[Content-Type: application/json]\n[Size: 7 bytes]\n\n{"a":1}`,
    )
    expect(await runHandler(fetchUrl("/page"), { cwd: "/" })).toMatchObject({
      output: {
        details: { url: server.url("/page"), status: 200, contentType: "application/json", size: 7 },
      },
    })
  })

  it("shows where it was redirected", async () => {
    server.route("/a", redirectsTo("/b"))
    server.route("/b", redirectsTo("/c"))
    server.route("/c", sends("there", plain))
    expect(await answer("/a")).toBe(
      `[Redirected from: ${server.url("/a")}]\n[Redirected from: ${server.url("/b")}]\n[URL: ${server.url("/c")}]\n[Content-Type: text/plain]\n[Size: 5 bytes]\n\nthere`,
    )
  })

  it("has a header of bounded length, however many long addresses led to it", async () => {
    const long = (hop: number) => `/${hop}?${"x".repeat(10_000)}`
    for (let hop = 0; hop < 3; hop++) server.route(`/${hop}`, redirectsTo(long(hop + 1)))
    server.route("/3", sends("there", plain))
    const [type, size, empty, ...lines] = (await answer(long(0))).split("\n").slice(4)
    expect([type, size, empty, ...lines]).toEqual([
      "[Content-Type: text/plain]",
      "[Size: 5 bytes]",
      "",
      "there",
    ])
    const shown = (hop: number) => `${server.url(long(hop)).slice(0, 2000)}…]`
    expect((await answer(long(1))).split("\n").slice(0, 3)).toEqual([
      `[Redirected from: ${shown(1)}`,
      `[Redirected from: ${shown(2)}`,
      `[URL: ${shown(3)}`,
    ])
  })

  it("says that there is no type or no body", async () => {
    server.route("/untyped", sends("text"))
    expect(await answer("/untyped")).toContain("[Content-Type: not given]\n[Size: 4 bytes]\n\ntext")
    server.route("/empty", (_request, response) => response.writeHead(204).end())
    expect(await answer("/empty")).toContain("[Size: 0 bytes]\n\n(empty body)")
  })

  it("decodes charsets and content encodings, and counts the content's own bytes", async () => {
    server.route(
      "/latin1",
      sends(Buffer.from("caf\xe9", "latin1"), { "content-type": "text/html; charset=latin1" }),
    )
    expect(await bodyOf("/latin1")).toBe("café")
    const text = "content ".repeat(100)
    server.route("/gzip", sends(gzipSync(text), { ...plain, "content-encoding": "gzip" }))
    expect(await answer("/gzip")).toContain(`[Size: 800 bytes]\n\n${text}`)
    server.route("/br", sends(brotliCompressSync(text), { ...plain, "content-encoding": "br" }))
    expect(await bodyOf("/br")).toBe(text)
  })

  it.each([
    ["by its type", { "content-type": "application/pdf" }, "%PDF-1.7"],
    [
      "by its bytes",
      { "content-type": "application/octet-stream" },
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]),
    ],
    ["that says it is text", plain, Buffer.from([0, 1, 2, 3, 4, 5, 6, 7])],
  ])("names content that is binary %s", async (_, headers, body) => {
    server.route("/", sends(body, { ...headers, "content-length": "8" }))
    expect(await answer("/")).toMatch(/\[Size: 8 bytes\]\n\n\(binary content, not shown\..*curl -o\.\)$/)
  })

  it.each(["application/octet-stream", "application/rtf", "application/x-perl"])(
    "shows text that says it is %s",
    async (type) => {
      server.route("/", sends("text", { "content-type": type }))
      expect(await bodyOf("/")).toBe("text")
    },
  )
})

describe("a long body", () => {
  it("of a gigabyte is cut, and not transferred", async () => {
    const total = 1_000_000_000
    let sent = 0
    let closed: Promise<unknown> | undefined
    server.route("/", (_request, response) => {
      closed = once(response, "close")
      response.on("error", () => {})
      response.writeHead(200, { ...plain, "content-length": String(total) })
      const chunk = Buffer.alloc(65_536, "x")
      const write = () => {
        do sent += chunk.length
        while (sent < total && response.write(chunk))
      }
      response.on("drain", write)
      write()
    })
    const body = await bodyOf("/")
    await closed
    expect(body).toBe(
      `${"x".repeat(50_000)}\n[truncated: these are the first 50000 bytes; the content has 1000000000]`,
    )
    expect(sent).toBeLessThan(total / 10)
  })

  it("of unknown length is cut, and says so", async () => {
    server.route("/", (_request, response) => {
      response.writeHead(200, plain)
      response.end("x".repeat(200_000))
    })
    const text = await answer("/")
    expect(text).toContain("\n[Size: unknown]\n")
    expect(text).toMatch(
      /x\n\[truncated: these are the first 50000 bytes; how many there are is not known\]$/,
    )
  })

  it("that is a decompression bomb is cut like any other", async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000, "x")))
    server.route("/", sends(bomb, { ...plain, "content-encoding": "gzip, gzip" }))
    expect(await bodyOf("/")).toBe(
      `${"x".repeat(50_000)}\n[truncated: these are the first 50000 bytes; how many there are is not known]`,
    )
  })

  it.each([
    ["UTF-8", Buffer.from(`a${"é".repeat(60_000)}`), "text/plain; charset=utf-8", `a${"é".repeat(24_999)}`],
    [
      "UTF-16",
      Buffer.from("x".repeat(60_000), "utf16le"),
      "text/plain; charset=utf-16le",
      "x".repeat(50_000),
    ],
    ["latin1", Buffer.from("é".repeat(60_000), "latin1"), "text/plain; charset=latin1", "é".repeat(25_000)],
  ])("in %s is cut between characters", async (_, bytes, type, expected) => {
    server.route("/", sends(bytes, { "content-type": type }))
    const body = await bodyOf("/")
    expect(body.slice(0, body.lastIndexOf("\n"))).toBe(expected)
    expect(body).toContain("[truncated: ")
  })

  it("is never shown past 50,000 bytes, whatever was asked for", async () => {
    server.route("/", sends("x".repeat(60_000), plain))
    expect(await bodyOf("/", { maxLength: 1_000_000 })).toMatch(/^x{50000}\n\[truncated: /)
  })
})

describe("a failure of FetchUrl", () => {
  it.each([
    [404, "HTTP error: 404 Not Found"],
    [500, "HTTP error: 500 Internal Server Error"],
    [304, "HTTP error: 304 Not Modified"],
    [799, "HTTP error: 799"],
  ])("is status %i", async (status, message) => {
    server.route("/", (_request, response) => response.writeHead(status, "").end())
    expect(await answer("/")).toBe(`Error: ${message}`)
  })

  it("is a port at which nothing listens", async () => {
    expect(await answerOf(FetchUrl({ url: "http://127.0.0.1:1/" }, http), { cwd: "/" })).toBe(
      "Error: Cannot fetch http://127.0.0.1:1/: the connection was refused. Nothing listens at that host and port.",
    )
  })

  it.each([
    ["no URL", "x"],
    ["a port at which nothing listens", "http://127.0.0.1:1/"],
    ["a server", ""],
  ])("is short, however long the address of %s is", async (_, start) => {
    server.route("/", redirectsTo(`http://[${"x".repeat(10_000)}`))
    const handler = FetchUrl({ url: `${start || server.url("/?")}${"x".repeat(10_000)}` }, http)
    const text = await answerOf(handler, { cwd: "/" })
    expect(text).toMatch(/^Error: .*x…/)
    expect(text.length).toBeLessThan(5_000)
  })

  it("is a name that nobody knows", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
    const handler = FetchUrl({ url: "http://nowhere.test/" }, localHttp({ resolve }))
    expect(await answerOf(handler, { cwd: "/" })).toBe(
      "Error: Cannot fetch http://nowhere.test/: the name of the host is not known. Check its spelling.",
    )
  })

  it.each(["gzip", "br", "deflate"])("is a damaged %s body", async (encoding) => {
    server.route("/", sends("\u0001this was never compressed", { ...plain, "content-encoding": encoding }))
    expect(await answer("/")).toBe(`Error: Cannot fetch ${server.url("/")}: the compressed body is damaged.`)
  })

  it("is an encoding that nobody asked for", async () => {
    server.route("/", sends("?", { ...plain, "content-encoding": "zstd" }))
    expect(await answer("/")).toBe('Error: The content encoding "zstd" is not known.')
  })

  it("is a connection that breaks off, and shows what came before", async () => {
    server.route("/", (_request, response) => {
      response.writeHead(200, { ...plain, "content-length": "100" })
      response.write("the first half", () => response.destroy())
    })
    expect(await answer("/")).toBe(
      `Error: Cannot fetch ${server.url("/")}: the server broke the connection off.\n\n[URL: ${server.url("/")}]\n[Content-Type: text/plain]\n[Size: 100 bytes]\n\nthe first half`,
    )
  })

  it("is 30 s without an end of the body, whose transfer is ended", async () => {
    let closed: Promise<unknown> | undefined
    server.route("/", (_request, response) => {
      closed = once(response, "close")
      response.writeHead(200, plain)
      response.write("the first half")
    })
    const { watched, taken } = watchedHttp()
    const handler = FetchUrl({ url: server.url("/") }, watched)
    const program = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(stepOf(handler, contextOf({ cwd: "/" })))
      yield* Effect.promise(() => taken)
      yield* TestClock.adjust("29 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      return yield* Fiber.join(fiber)
    })
    const step = await Effect.runPromise(
      Effect.provide(program, TestClock.layer({ warningDelay: "10 minutes" })),
    )
    const message = `Timed out after 30 s: ${server.url("/")}\n\n[URL: ${server.url("/")}]\n[Content-Type: text/plain]\n[Size: unknown]\n\nthe first half`
    expect(step).toMatchObject({ _tag: "Error", message })
    await closed
  })
})

describe("a cancel", () => {
  it("ends the request", async () => {
    let closed: Promise<unknown> | undefined
    const asked = new Promise<void>((resolve) => {
      server.route("/", (_request, response) => {
        closed = once(response, "close")
        response.writeHead(200, plain)
        response.write("the first half", () => resolve())
      })
    })
    const fiber = Effect.runFork(stepOf(fetchUrl("/"), contextOf({ cwd: "/" })))
    await asked
    await Effect.runPromise(Fiber.interrupt(fiber))
    await closed
  })

  it("waits until the request has ended", async () => {
    const order: Array<string> = []
    const asked = deferred()
    const slow: Http = {
      get: ({ signal }) =>
        new Promise((_, reject) => {
          signal!.addEventListener("abort", async () => {
            for (let turns = 0; turns < 10; turns++) await turn()
            order.push("request ended")
            reject(signal!.reason)
          })
          asked.resolve()
        }),
    }
    const fiber = Effect.runFork(stepOf(FetchUrl({ url: "http://a.test/" }, slow), contextOf({ cwd: "/" })))
    await asked.promise
    await Effect.runPromise(Fiber.interrupt(fiber))
    order.push("cancelled")
    expect(order).toEqual(["request ended", "cancelled"])
  })
})
