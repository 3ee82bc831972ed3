// @module-tag waits
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { type IncomingMessage, request } from "node:http"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Type } from "@sinclair/typebox"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  type McpHttpOptions,
  type McpServerOptions,
  mcpServer,
  serveMcpHttp,
} from "../../../src/hosts/mcp/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { deferred, never } from "../../support/deferred.ts"
import { approve, type ConnectOptions, revisions, stockClient, textOfResult } from "./connected.ts"

const send = defineTool({
  name: "send",
  description: "Sends a text.",
  parameters: Type.Object({ text: Type.String() }),
  compose: ({ text }) =>
    pipeline()
      .andThen(() => Step.Delta("sending"))
      .awaitApproval()
      .andThen(() => Step.Output(`sent ${text}`)),
})

const hang = defineTool({
  name: "hang",
  description: "Never ends.",
  parameters: Type.Object({}),
  compose: () => pipeline().andThen(() => never()),
})

/** The tools above, served at a port of this machine. */
const serve = async (
  options: Partial<McpHttpOptions> = {},
  configure: McpServerOptions["configure"] = () => {},
) => {
  const registry = new ToolRegistry([send, hang])
  const executor = new ToolExecutor(registry)
  const { build } = mcpServer(executor, { name: "served", version: "1.0.0", configure })
  const served = await serveMcpHttp(build, { port: 0, ...options })
  onTestFinished(async () => {
    await served[Symbol.asyncDispose]()
    await executor.shutdown()
  })
  return { url: served.url, executor, registry, served }
}

const connect = async (url: string, options: ConnectOptions, headers: Record<string, string> = {}) => {
  const asked: Array<string> = []
  const client = stockClient(options, asked)
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return { client, transport, asked }
}

/** Resolves when a server has got the request for the stream on which a client of 2025-11-25 is told what it has not asked. */
const listening = (): Promise<void> =>
  new Promise((resolve) => {
    const began = (message: unknown) => {
      if ((message as { readonly request: IncomingMessage }).request.method === "GET") resolve()
    }
    subscribe("http.server.request.start", began)
    onTestFinished(() => void unsubscribe("http.server.request.start", began))
  })

/** The status of one request. */
const statusOf = (
  url: string,
  headers: Record<string, string>,
  body = "{}",
  path?: string,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      ...(path && { path }),
    })
    sent.on("response", (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sent.on("error", reject)
    sent.end(body)
  })

const both = "application/json, text/event-stream"

/** The id of a session whose client opens no stream. */
const rawSession = async (url: string): Promise<string> => {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  }
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: both },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  })
  await response.text()
  return response.headers.get("mcp-session-id")!
}

describe.each(revisions)("an MCP server over HTTP, to a client of revision %s", (revision) => {
  it("runs calls, asks at their gates, and tells their progress", async () => {
    const { url } = await serve()
    const { client, asked } = await connect(url, { revision, answer: () => approve() })
    const progress: Array<unknown> = []
    const result = await client.callTool(
      { name: "send", arguments: { text: "hi" } },
      { onprogress: ({ message }) => void progress.push(message) },
    )
    expect(textOfResult(result)).toBe("sent hi")
    expect(asked).toHaveLength(1)
    // The client itself adds that it asks its user.
    expect(progress[0]).toBe("sending")
  })

  it("cancels the call of a client that has gone, whether it runs or waits for its user", async () => {
    const { url, executor } = await serve()
    const shown = deferred()
    const answer = () => {
      shown.resolve()
      return new Promise<never>(() => {})
    }
    // Between two requests nobody knows that a client has gone: its answer runs out.
    for (const tool of revision === "2025-11-25" ? ["hang", "send"] : ["hang"]) {
      const { client } = await connect(url, { revision, ...(tool === "send" && { answer }) })
      const call = client.callTool({ name: tool, arguments: { text: "hi" } })
      await (tool === "hang" ? expect.poll(() => executor.inspect()).toHaveLength(1) : shown.promise)
      const gone = expect(call).rejects.toThrow()
      await client.close()
      await gone
      await expect.poll(() => executor.inspect()).toEqual([])
    }
  })

  it("tells its clients that the tools have changed", async () => {
    const { url, registry } = await serve()
    const isListening = listening()
    const { client } = await connect(url, { revision })
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    if (revision === "2026-07-28") await client.listen({ toolsListChanged: true })
    else {
      // Its client does not wait for that stream. The answer to what is asked behind it comes once it is open.
      await isListening
      await client.listTools()
    }
    registry.unregister("send")
    await changed
    expect((await client.listTools(undefined, { cacheMode: "refresh" })).tools).toHaveLength(1)
  })

  it("tells its host of a fault outside of calls", async () => {
    const faults: Array<string> = []
    const { url } = await serve({ onError: ({ message }) => void faults.push(message) }, () => {
      throw new Error("No prompts")
    })
    await expect(connect(url, { revision })).rejects.toThrow()
    expect(faults).toEqual(["No prompts"])
  })

  it("serves whoever has the token", async () => {
    const { url } = await serve({ token: "open sesame" })
    const { client } = await connect(url, { revision }, { Authorization: "Bearer open sesame" })
    expect((await client.listTools()).tools).toHaveLength(2)
    await expect(connect(url, { revision })).rejects.toThrow()
    expect(await statusOf(url, {})).toBe(401)
    expect(await statusOf(url, { Authorization: "Bearer open sesam" })).toBe(401)
  })
})

describe("an MCP server over HTTP", () => {
  it("refuses pages of a browser, other names, other paths and what is too large", async () => {
    const { url } = await serve({ maxRequestBytes: 1_000 })
    const { port } = new URL(url)
    expect(await statusOf(url, { Origin: "https://evil.example" })).toBe(403)
    expect(await statusOf(url, { Origin: "null" })).toBe(403)
    expect(await statusOf(url, { Host: `evil.example:${port}` })).toBe(403)
    expect(await statusOf(url, {}, "{}", "/other")).toBe(404)
    expect(await statusOf(url, {}, "{}", "http://[")).toBe(400)
    expect(await statusOf(url, {}, JSON.stringify("x".repeat(2_000)))).toBe(413)
    expect(
      await statusOf(url, { "Mcp-Session-Id": "unknown" }, '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
    ).toBe(404)
    expect(await statusOf(url, {}, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe(400)
  })

  it("needs a token where other machines can reach it", async () => {
    await expect(serve({ host: "0.0.0.0" })).rejects.toThrow(
      "Expected a `token`: 0.0.0.0 can be reached from other machines",
    )
  })

  it("turns clients of 2025-11-25 away where it is told to", async () => {
    const { url } = await serve({ legacy: "reject" })
    await expect(connect(url, { revision: "2025-11-25" })).rejects.toThrow()
    const { client } = await connect(url, { revision: "2026-07-28" })
    expect((await client.listTools()).tools).toHaveLength(2)
  })

  it("ends a session of which nothing was heard for an hour, and none that is in use", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { url } = await serve()
    const open = async () => {
      const client = stockClient({})
      const transport = new StreamableHTTPClientTransport(new URL(url))
      onTestFinished(() => client.close())
      const isListening = listening()
      await client.connect(transport)
      await isListening
      return transport.sessionId!
    }
    const ping = (id: string) =>
      statusOf(url, { Accept: both, "Mcp-Session-Id": id }, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
    const streaming = await open()
    const idle = await rawSession(url)
    await vi.advanceTimersByTimeAsync(59 * 60_000)
    expect(await ping(idle)).toBe(200)
    await vi.advanceTimersByTimeAsync(59 * 60_000)
    expect(await ping(idle)).toBe(200)
    await vi.advanceTimersByTimeAsync(61 * 60_000)
    expect(await ping(idle)).toBe(404)
    expect(await ping(streaming)).toBe(200)
  })

  it("tells its host of an answer in a session that nothing has asked for", async () => {
    const faults: Array<string> = []
    const { url } = await serve({ onError: ({ message }) => void faults.push(message) })
    const id = await rawSession(url)
    const headers = { Accept: both, "Mcp-Session-Id": id }
    expect(await statusOf(url, headers, '{"jsonrpc":"2.0","id":9,"result":{}}')).toBe(202)
    expect(faults).toEqual([expect.stringContaining("unknown message ID")])
  })

  it("takes an answer once", async () => {
    const { url, executor } = await serve()
    const { client } = await connect(url, { revision: "2026-07-28", answer: () => approve() })
    const call = { method: "tools/call" as const, params: { name: "send", arguments: { text: "hi" } } }
    const asked = (await client.request(call, { allowInputRequired: true })) as unknown as {
      resultType?: string
      requestState: string
    }
    expect(asked.requestState).toEqual(expect.any(String))
    const retry = {
      ...call,
      params: { ...call.params, requestState: asked.requestState, inputResponses: { approval: approve() } },
    }
    expect(await client.request(retry)).toMatchObject({ content: [{ text: "sent hi" }] })
    await expect(client.request(retry)).rejects.toMatchObject({ code: -32602 })
    const forged = { ...retry, params: { ...retry.params, requestState: `${asked.requestState}x` } }
    await expect(client.request(forged)).rejects.toMatchObject({ code: -32602 })
    expect(executor.inspect()).toEqual([])
  })
})
