// @module-tag waits
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { WebSearchDetails } from "../../src/handlers/web-search.ts"
import { makeWebSearchTool, webSearchTool } from "../../src/impls/web-search.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { conforms } from "./conformance.ts"
import { resultOf } from "./result-of.ts"

const cwd = useTempFolder()
const server = useHttpServer()
const endpoint = "/res/v1/web/search"

const json = { "content-type": "application/json" }

const tool = () => makeWebSearchTool({ baseUrl: server.url("/"), apiKey: "the key" })

/** The result of a search that the API answers with this value. */
const search = (answer: unknown) => {
  server.route(endpoint, sends(JSON.stringify(answer), json))
  return resultOf(tool(), { query: "effect handlers" })
}

const found = (...results: Array<unknown>) => ({ type: "search", web: { results } })

describe("web_search", () => {
  beforeEach(() => {
    vi.stubEnv("BRAVE_API_KEY", "the environment's key")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("gives numbered links with their descriptions", async () => {
    const results = [
      { title: "First", url: "https://one.test/", description: "The first one." },
      { title: "Second", url: "https://two.test/a?b=c" },
    ]
    const result = await search(found(...results))
    expect(result).toMatchObject({ status: "complete" })
    expect(result.content).toBe(
      "1. [First](https://one.test/)\n   The first one.\n2. [Second](https://two.test/a?b=c)",
    )
    expect(result.output.details).toEqual({ results: [results[0], { ...results[1], description: "" }] })
  })

  it("makes links that are Markdown whatever the title and the URL hold", async () => {
    const { content } = await search(
      found({
        title: "<strong>a</strong> [b] &amp; &lt;c&gt; &#x27;d&#39;\n&unknown;&constructor; \\",
        url: "https://one.test/x_(y) z",
        description: "if a < b and\n c > d",
      }),
    )
    expect(content).toBe(
      "1. [a \\[b\\] & <c> 'd' &unknown;&constructor; \\\\](https://one.test/x_%28y%29%20z)\n   if a < b and c > d",
    )
  })

  it("asks for what is searched, with the key in a header", async () => {
    server.route(endpoint, sends("{}", json))
    await resultOf(tool(), { query: "c++ & c#", count: 3 })
    await resultOf(tool(), { query: "x" })
    await resultOf(makeWebSearchTool({ baseUrl: server.url("") }), { query: "x" })
    const [first, second, third] = server.requests
    const { searchParams } = new URL(first!.url!, server.url("/"))
    expect([searchParams.get("q"), searchParams.get("count")]).toEqual(["c++ & c#", "3"])
    expect(new URL(second!.url!, server.url("/")).searchParams.get("count")).toBe("10")
    expect(second!.headers["x-subscription-token"]).toBe("the key")
    expect(third!.headers["x-subscription-token"]).toBe("the environment's key")
  })

  it("shows no more results than were asked for, and no more of one than helps", async () => {
    const results = Array.from({ length: 30 }, (_, index) => ({
      title: "t".repeat(1000),
      url: `https://one.test/${index}`,
      description: "d".repeat(5000),
    }))
    const { content, output } = await search(found(...results))
    const lines = content.split("\n")
    expect(lines).toHaveLength(20)
    expect(lines.at(-2)).toBe(`10. [${"t".repeat(500)}](https://one.test/9)`)
    expect(lines.at(-1)).toBe(`    ${"d".repeat(2000)}`)
    expect((output.details as WebSearchDetails).results).toHaveLength(10)
  })

  it("is cut with a note past 50,000 bytes", async () => {
    const long = { title: "é".repeat(500), description: "é".repeat(2500) }
    const results = Array.from({ length: 20 }, (_, index) => ({ ...long, url: `https://one.test/${index}` }))
    server.route(endpoint, sends(JSON.stringify(found(...results)), json))
    const { content } = await resultOf(tool(), { query: "x", count: 20 })
    const [text, note] = content.split("\n[")
    expect(Buffer.byteLength(text!)).toBeGreaterThan(49_990)
    expect(note).toBe(
      `truncated: these are the first ${Buffer.byteLength(text!)} bytes; the results have 50631]`,
    )
  })

  it("leaves out what has a URL of thousands of characters", async () => {
    const results = [{ url: `https://one.test/${"x".repeat(2000)}` }, { url: "https://two.test/" }]
    expect((await search(found(...results))).content).toBe("1. [https://two.test/](https://two.test/)")
  })

  it.each([
    ["an empty list", found()],
    ["no list", { type: "search" }],
    ["an empty answer", {}],
    ["results without a URL", found({ title: "x" }, null, 1)],
  ])("says that it found nothing for %s", async (_, answer) => {
    expect(await search(answer)).toMatchObject({ status: "complete", content: "No results found." })
  })

  it("fails without a key before it asks, and says where to get one", async () => {
    vi.stubEnv("BRAVE_API_KEY", "")
    expect(await resultOf(webSearchTool, { query: "x" }, "unasked")).toMatchObject({
      status: "error",
      content:
        "web_search needs a key of Brave's search API, and there is none. Get one at https://brave.com/search/api/ and put it into the environment variable BRAVE_API_KEY.",
    })
  })

  it("fails with a key that cannot be one before it asks", async () => {
    vi.stubEnv("BRAVE_API_KEY", "two\nlines")
    expect(await resultOf(webSearchTool, { query: "x" }, "unasked")).toMatchObject({
      status: "error",
      content:
        "The key of Brave's search API holds characters that no key has, such as line breaks. Check the environment variable BRAVE_API_KEY.",
    })
  })

  it.each(["", " \n", "x".repeat(401)])("refuses the query %j", async (query) => {
    expect(await resultOf(tool(), { query }, "unasked")).toMatchObject({ status: "error" })
    expect(server.requests).toEqual([])
  })

  it.each([
    [401, "HTTP error: 401 Unauthorized. The API does not accept the key. Check BRAVE_API_KEY."],
    [
      429,
      "HTTP error: 429 Too Many Requests. Too many searches in a short time, or in this month. Wait before the next one.",
    ],
    [500, "HTTP error: 500 Internal Server Error."],
  ])("fails with status %i", async (status, content) => {
    server.route(endpoint, (_request, response) => response.writeHead(status).end("{}"))
    expect(await resultOf(tool(), { query: "x" })).toMatchObject({ status: "error", content })
  })

  it("does not take its key to where it is redirected", async () => {
    server.route(endpoint, redirectsTo("/elsewhere"))
    expect(await resultOf(tool(), { query: "x" })).toMatchObject({ content: "HTTP error: 302 Found." })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ["a page", "<html>maintenance</html>"],
    ["half an answer", '{"web":{"results":[{"ti'],
    ["a list", "[]"],
    ["another shape", '{"web":{"results":"many"}}'],
    ["nothing", ""],
    ["bytes", "\0\u0001"],
  ])("fails for an answer that is %s", async (_, body) => {
    server.route(endpoint, sends(body, json))
    expect(await resultOf(tool(), { query: "x" })).toMatchObject({
      status: "error",
      content: `${new URL(server.url("/")).origin} did not answer as Brave's search API does. Try again later.`,
    })
  })

  it.each([0, 21, 1.5])("refuses %d results", async (count) => {
    expect(await resultOf(tool(), { query: "x", count }, "unasked")).toMatchObject({ status: "error" })
  })

  it.each([
    "localhost",
    "localhost:8080",
    "ftp://search.test/",
    "https://search.test/?key=1",
    "https://search.test/#",
    "https://me:secret@search.test/",
  ])("is not made with %s as its base URL", (baseUrl) => {
    expect(() => makeWebSearchTool({ baseUrl })).toThrow(
      new TypeError(
        `Expected \`baseUrl\` to be an http or https URL without query, hash and password, got "${baseUrl}"`,
      ),
    )
  })
})

/** Its port is known when the tests run. */
const lateTool = {
  ...webSearchTool,
  compose: (...args: Parameters<typeof webSearchTool.compose>) => tool().compose(...args),
}

conforms({
  tool: lateTool,
  cwd,
  prepare: () => {
    server.route(endpoint, sends("{}", json))
    return { query: "x" }
  },
  badParams: { query: "x", count: 0 },
  asks: true,
  effects: [],
  cleanup: [],
})
