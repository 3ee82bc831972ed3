// @module-tag waits
/** What a server answers, as the model reads it: servers that write their messages themselves. */
import { readFileSync } from "node:fs"
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it, onTestFinished } from "vitest"
import { McpTools, type McpToolsOptions } from "../../../src/hosts/mcp-client/index.ts"
import { ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../../src/index.ts"

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

type Results = Readonly<Record<string, object>>

/** An executor with the tools of a server. */
const executorWith = async (
  transport: McpToolsOptions["transport"],
  options: ToolExecutorOptions = {},
  onError: (error: Error) => void = () => {},
) => {
  const registry = new ToolRegistry()
  const tools = await McpTools.connect({ name: "raw", registry, transport, approval: () => false, onError })
  const executor = new ToolExecutor(registry, options)
  onTestFinished(async () => {
    await executor.shutdown()
    await tools[Symbol.asyncDispose]()
  })
  return executor
}

/** A server whose tools have these results, and the requests that it got. */
const rawServer = async (results: Results, options?: ToolExecutorOptions) => {
  const requests: Array<Request> = []
  const executor = await executorWith(async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    far.onmessage = (message) => {
      const request = message as unknown as Request
      requests.push(request)
      const answers: Results = {
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "raw", version: "1.0.0" },
        },
        "tools/list": {
          tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" } })),
        },
      }
      const result = answers[request.method] ?? results[String(request.params?.name)]
      if (request.id !== undefined)
        void far.send({ jsonrpc: "2.0", id: request.id, result } as JSONRPCMessage)
    }
    await far.start()
    return near
  }, options)
  return { executor, requests }
}

it("says a failure once, and keeps what is beside its text", async () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" }
  const { executor } = await rawServer({
    fails: { isError: true, content: [{ type: "text", text: "No such file: a.txt" }] },
    shows: { isError: true, content: [{ type: "text", text: "It looks so:" }, image] },
  })
  expect((await executor.run({ name: "fails" })).content).toBe("No such file: a.txt")
  const { status, output } = await executor.run({ name: "shows" })
  expect([status, output.content]).toEqual(["error", [{ type: "text", text: "It looks so:" }, image]])
})

it("describes content that it does not know, and gives the rest", async () => {
  const clip = { type: "video", mimeType: "video/mp4", uri: "file:///clip.mp4", data: "AAAA" }
  const { executor } = await rawServer({
    film: { content: [clip, { type: "text", text: "a film" }, { type: "hologram" }] },
  })
  expect(await executor.run({ name: "film" })).toMatchObject({
    status: "complete",
    content:
      '[The server sent content of the type "video" (video/mp4, file:///clip.mp4), which cannot be shown.]\na film\n[The server sent content of the type "hologram", which cannot be shown.]',
  })
})

it("says of an answer that is none that nobody knows whether the call took effect", async () => {
  const { executor } = await rawServer({ odd: { content: "text" } })
  expect(await executor.run({ name: "odd" })).toMatchObject({
    status: "error",
    content:
      "The MCP server raw sent an answer that is no result of a tool. The call may have taken effect: find out before you call it again.",
  })
})

it("says of an answer that is too large that it is, and goes on with the next call", async () => {
  const server = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
    const about = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } }
    const tools = ["large", "small"].map((name) => ({ name, inputSchema: { type: "object" } }))
    const results = {
      initialize: () => about,
      "tools/list": () => ({ tools }),
      "tools/call": ({ name }) => ({ content: [{ type: "text", text: name === "large" ? "x".repeat(11e6) : "fine" }] }),
    }
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line)
      if (id !== undefined) send({ id, result: results[method](params) })
    })`
  const faults: Array<Error> = []
  const args = ["-e", server]
  const executor = await executorWith(
    () => new StdioClientTransport({ command: process.execPath, args }),
    {},
    (error) => faults.push(error),
  )
  expect(await executor.run({ name: "large" })).toMatchObject({
    status: "error",
    content:
      "The MCP server raw sent more than the 10485760 bytes that an answer may have. The call may have taken effect: ask for less of it, such as for a part.",
  })
  expect((await executor.run({ name: "small" })).content).toBe("fine")
  expect(faults).toEqual([])
})

it("tells the server its version, and the span of a call", async () => {
  const traceParent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
  const { executor, requests } = await rawServer(
    { a: { content: [] } },
    {
      trace: {
        call: () => ({
          traceParent,
          handler: () => ({ run: (work) => work(), wrap: (effect) => effect, end: () => {} }),
          wait: () => () => {},
          end: () => {},
        }),
      },
    },
  )
  await executor.run({ name: "a" })
  const paramsOf = (method: string) => requests.find((request) => request.method === method)?.params
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
  expect(paramsOf("initialize")?.clientInfo).toEqual({ name: "stepline", version })
  expect(paramsOf("tools/call")?._meta).toMatchObject({ traceparent: traceParent })
})
