// @module-tag waits
/** The page and the MCP server within servers of other people: what `docs/recipes/mounted.ts` does, in each of them. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
// @ts-expect-error: it has no types of its own
import express from "express"
import { Hono } from "hono"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type Handlers,
  handlersOf,
  inExpress,
  inFastify,
  inHono,
  inNode,
} from "../../docs/recipes/mounted.ts"
import { mcpHandler, mcpServer } from "../../src/hosts/mcp/index.ts"
import { webHandler } from "../../src/hosts/web/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { approve, textOfResult } from "../hosts/mcp/connected.ts"
import { usePages } from "../hosts/web/pages.ts"
import { executorOf } from "../support/executor-of.ts"
import { describeWith } from "../support/needs.ts"

const drop = () =>
  pipeline()
    .awaitApproval({ approvers: (by: string) => by === "ann" })
    .andThen(() => Step.Output("dropped"))

/** The body that a framework has read before its handlers, as Fastify does. */
const readBefore = async (request: AsyncIterable<Uint8Array>): Promise<unknown> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}

const servers: Readonly<Record<string, (handlers: Handlers) => Server>> = {
  "node:http": inNode,
  Hono: (handlers) => {
    const app = new Hono()
    inHono(app, handlers)
    return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server
  },
  Express: (handlers) => {
    const app = express()
    inExpress(app, handlers)
    return createServer(app)
  },
  "Express behind a parser": (handlers) => {
    const app = express()
    app.use(express.json())
    inExpress(app, handlers)
    return createServer(app)
  },
  "what reads bodies itself, as Fastify": (handlers) => {
    const routes = new Map<string, Parameters<Parameters<typeof inFastify>[0]["all"]>[1]>()
    inFastify({ all: (path, handler) => routes.set(path, handler) }, handlers)
    return createServer(async (raw, response) => {
      const handler = routes.get(raw.url === "/mcp" ? "/mcp" : "/admin/*")!
      handler({ raw, body: await readBefore(raw) }, { raw: response, hijack: () => {} })
    })
  },
}

/** A server of this kind, and a way to ask it as somebody. */
const mounted = async (kind: string) => {
  const executor = executorOf({ drop })
  const { build } = mcpServer(executor, { name: "mounted", version: "1.0.0" })
  const handlers = handlersOf(executor, build, ({ headers }) => headers.get("x-user") ?? undefined)
  const server = servers[kind]!(handlers)
  if (!server.listening) {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  }
  onTestFinished(async () => {
    await Promise.all([handlers.page.close(), handlers.mcp.close()])
    await executor.shutdown()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  // As a proxy sends it, under a name that only the embedding server knows.
  const url = `http://localhost:${port}`
  const ask = (path: string, user?: string, init: RequestInit = {}) =>
    fetch(url + path, {
      redirect: "manual",
      ...init,
      headers: { ...(user !== undefined && { "X-User": user }), ...init.headers },
    })
  const post = (path: string, user: string, body: object, headers: Record<string, string> = {}) =>
    ask(path, user, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: "https://example.com", ...headers },
      body: JSON.stringify(body),
    })
  return { executor, url, ask, post }
}

/** Reads a stream of events until this fits. */
const readTo = async (response: Response, pattern: RegExp): Promise<RegExpExecArray> => {
  let told = ""
  for await (const chunk of response.body!) {
    told += new TextDecoder().decode(chunk)
    const found = pattern.exec(told)
    if (found !== null) return found
  }
  throw new Error(`The stream ended without ${pattern}`)
}

describe.each(Object.keys(servers))("a page in %s", (kind) => {
  it("stands under its path, with addresses relative to it, for whom the server lets in", async () => {
    const { ask } = await mounted(kind)
    expect((await ask("/admin/")).status).toBe(401)
    const moved = await ask("/admin", "ann")
    expect([moved.status, moved.headers.get("location")]).toEqual([307, "admin/"])
    const page = await ask("/admin/", "ann")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    const html = await page.text()
    const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name!)
    expect(named).toEqual(["page.css", "icon.svg", "page.js"])
    for (const name of named) expect((await ask(`/admin/${name}`, "ann")).status).toBe(200)
    expect((await ask("/admin/api/nothing", "ann")).status).toBe(404)
    expect((await ask("/admin/api/tools")).status).toBe(401)
  })

  it("takes answers under the name of who asks, and none from pages of other sites", async () => {
    const { executor, ask, post } = await mounted(kind)
    const result = executor.run({ name: "drop", callId: "a" }, () => {})
    const [, id] = await readTo(await ask("/admin/api/events", "eve"), /"id":"(\d+\.\d+)"/)
    const answer = { ids: [id], verdict: "approve" }
    const foreign = await post("/admin/api/answer", "ann", answer, { "Sec-Fetch-Site": "cross-site" })
    expect(foreign.status).toBe(403)
    const form = await post("/admin/api/answer", "ann", answer, { "Content-Type": "text/plain" })
    expect(form.status).toBe(415)
    expect(await (await post("/admin/api/answer", "eve", answer)).json()).toEqual({
      took: false,
      message: 'eve may not answer "a".',
    })
    expect(await (await post("/admin/api/answer", "ann", answer)).json()).toEqual({ took: true })
    expect(await result).toMatchObject({ content: "dropped", decidedBy: { kind: "user", id: "ann" } })
  })

  it("ends the events of a client that has gone", async () => {
    const { ask } = await mounted(kind)
    // More than may be open at once.
    for (let n = 0; n < 40; n++) {
      const gone = new AbortController()
      let response = await ask("/admin/api/events", "ann", { signal: gone.signal })
      while (response.status === 503)
        response = await ask("/admin/api/events", "ann", { signal: gone.signal })
      await readTo(response, /event: state/)
      gone.abort()
    }
  })

  it.each(["legacy", { pin: "2026-07-28" }] as const)(
    "has MCP beside it, whose clients answer as who they are, in mode %o",
    async (mode) => {
      const { url } = await mounted(kind)
      const connect = async (user: string) => {
        const requestInit = { headers: { "X-User": user } }
        const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit })
        const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } }
        const client = new Client({ name: "a", version: "1.0.0" }, options)
        client.setRequestHandler("elicitation/create", () => approve())
        onTestFinished(() => client.close())
        await client.connect(transport)
        return { client, transport }
      }
      const ann = await connect("ann")
      expect(textOfResult(await ann.client.callTool({ name: "drop", arguments: {} }))).toBe("dropped")
      const eve = await connect("eve")
      expect(textOfResult(await eve.client.callTool({ name: "drop", arguments: {} }))).toContain(
        "eve may not",
      )
      const { sessionId } = ann.transport
      if (sessionId === undefined) return
      // Whose session it is, is not told by its id.
      const stolen = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "Mcp-Session-Id": sessionId,
          "X-User": "eve",
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      })
      expect(stolen.status).toBe(404)
    },
  )
})

describe("a mounted handler", () => {
  const made = () => {
    const executor = executorOf({ drop })
    return { executor, build: mcpServer(executor, { name: "mounted", version: "1.0.0" }).build }
  }

  it("is not made without somebody who tells who asks, or at what is no path", () => {
    const { executor, build } = made()
    const missing =
      "Expected `identify` to be a function that tells who a request comes from: without it, whoever reaches the server could answer"
    expect(() => webHandler(executor, { base: "/admin" } as never)).toThrow(missing)
    expect(() => mcpHandler(build, {} as never)).toThrow(missing)
    const identify = () => "ann"
    expect(() => webHandler(executor, { base: "admin", identify })).toThrow(
      "Expected `base` to be a path such as `/admin`, got `admin` (string)",
    )
    expect(() => mcpHandler(executor as never, { identify })).toThrow("Expected the `build` that")
  })

  it("answers with the server's own refusal, and leaves its errors to it", async () => {
    const { executor, build } = made()
    const identify = (_: Request, context: unknown) => {
      if (context === "down") throw new Error("The sessions cannot be read.")
      return new Response(null, { status: 303, headers: { Location: "/login" } })
    }
    for (const handler of [webHandler(executor, { identify }), mcpHandler(build, { identify })]) {
      const refused = await handler(new Request("http://example.com/"))
      expect([refused.status, refused.headers.get("location")]).toEqual([303, "/login"])
      await expect(handler(new Request("http://example.com/"), "down")).rejects.toThrow("cannot be read")
    }
  })

  it("is not found beside its path", async () => {
    const { executor, build } = made()
    const identify = () => "ann"
    const page = webHandler(executor, { base: "/admin/", identify })
    expect((await page(new Request("http://example.com/administer"))).status).toBe(404)
    expect((await page(new Request("http://example.com/admin/"))).status).toBe(200)
    const mcp = mcpHandler(build, { base: "/mcp", identify })
    expect((await mcp(new Request("http://example.com/other"))).status).toBe(404)
  })

  it.each(["/ein büro", "/ein%20b%C3%BCro/"])("is found at %s, as addresses write it", async (base) => {
    const { executor, build } = made()
    const identify = () => "ann"
    const page = webHandler(executor, { base, identify })
    expect((await page(new Request("http://example.com/ein%20b%C3%BCro/"))).status).toBe(200)
    const mcp = mcpHandler(build, { base, identify })
    expect((await mcp(new Request("http://example.com/ein büro"))).status).not.toBe(404)
  })
})

describeWith("chromium")("a mounted page in a browser", () => {
  const pages = usePages()

  it("is live under its path, and takes an approval", async () => {
    const { executor, url } = await mounted("Hono")
    const page = await pages.open(`${url}/admin`, { extraHTTPHeaders: { "X-User": "ann" } })
    await page.getByText("Live", { exact: true }).waitFor()
    const result = executor.run({ name: "drop", callId: "a" }, () => {})
    await page.getByRole("button", { name: "Approve" }).click()
    expect((await result).content).toBe("dropped")
  })
})
