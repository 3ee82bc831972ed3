/** Parameters and effects that are no JSON, made by a host's own code, in hosts that send JSON. */
import { PassThrough } from "node:stream"
import { Type } from "@sinclair/typebox"
import { expect, it } from "vitest"
import { ToolCallView } from "../../src/hosts/acp/tool-call-view.ts"
import type { LineOutput } from "../../src/hosts/serve/line-writer.ts"
import { ServeHost } from "../../src/hosts/serve/serve-host.ts"
import { sentJson, shownJson } from "../../src/hosts/shown-json.ts"
import { queuedBlock } from "../../src/hosts/terminal/block.ts"
import { renderGate } from "../../src/hosts/terminal/render-gate.ts"
import { askedTexts } from "../../src/hosts/web/server/asked-texts.ts"
import { type AwaitingApprovalEvent, defineTool, pipeline, Step, type ToolExecutor } from "../../src/index.ts"
import { deferred } from "../support/deferred.ts"
import { executorOf, registryOf } from "../support/executor-of.ts"
import { approve, connect, textOfResult } from "./mcp/connected.ts"

/** With a BigInt, a cycle, a Map and a function. */
const odd = (): Record<string, unknown> => {
  const value: Record<string, unknown> = { count: 1n, map: new Map([["a", 1]]), call: () => 1 }
  value.self = value
  return value
}
const plain = { count: "1", map: { a: 1 }, self: "[circular]" }

it("is shown and sent as a copy that is JSON", () => {
  expect(JSON.parse(shownJson(odd()))).toEqual(plain)
  expect(sentJson(odd())).toEqual(plain)
  const json = { a: [1] }
  expect(sentJson(json)).toBe(json)
  expect(shownJson(json, 2)).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(shownJson(undefined)).toBe("undefined")
})

it("shows and sends what a Map or a Set holds, at any depth", () => {
  const held = {
    none: {},
    texts: new Map<string, unknown>([["a", [new Set([1, new Map()])]]]),
    others: new Map<unknown, unknown>([
      [1, "one"],
      ["two", new Set()],
    ]),
  }
  const told = {
    none: {},
    texts: { a: [[1, {}]] },
    others: [
      [1, "one"],
      ["two", []],
    ],
  }
  expect(JSON.parse(shownJson(held))).toEqual(told)
  expect(shownJson(held, 2)).toBe(JSON.stringify(told, undefined, 2))
  expect(sentJson(held)).toEqual(told)
  const others = { code: "const all = {}", none: {} }
  expect(sentJson(others)).toBe(others)
  expect(shownJson(others)).toBe('{"code":"const all = {}","none":{}}')
})

it("is shown and sent also where nothing of it can be read", () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const fails = () => {
    throw new Error("It is not to be read")
  }
  const texts = [
    [proxy, "[cannot be read]"],
    [Object.assign(() => 1, { toString: fails }), "[cannot be read]"],
    [Object.assign(Object.create(null), { toJSON: () => undefined }), "[cannot be read]"],
    [Object.defineProperty({ a: 1 }, "b", { get: fails, enumerable: true }), '{"a":1}'],
    [{ a: proxy, b: 1 }, '{"b":1}'],
    [{ a: { toJSON: fails }, b: 1 }, '{"b":1}'],
    [[new Proxy({ none: {} }, { getPrototypeOf: fails })], "[null]"],
  ] as const
  for (const [value, text] of texts) {
    expect(shownJson(value)).toBe(text)
    expect(() => JSON.stringify(sentJson(value))).not.toThrow()
  }
})

it("reaches a client of serve with all that can be told of it, and its answer ends the call", async () => {
  const messages: Array<{ readonly params?: { readonly event: Record<string, unknown> } }> = []
  const asked = deferred<Record<string, unknown>>()
  const ended = deferred<Record<string, unknown>>()
  const output: LineOutput = {
    pending: 0,
    onRoom: () => {},
    write(text) {
      const message = JSON.parse(text) as (typeof messages)[number]
      messages.push(message)
      const event = message.params?.event
      if (event?._tag === "Delegate") asked.resolve(event)
      if (event?._tag === "Completed") ended.resolve(event)
      return true
    },
  }
  const plans = {
    tool: pipeline().andThen(() => Step.Delegate(Object.assign(odd(), { _tag: "Odd" }))),
  }
  const hooks = { beforeCall: () => ({ params: odd() }) }
  let executor: ToolExecutor | undefined
  const input = new PassThrough()
  const host = new ServeHost({
    version: "0",
    input,
    output,
    open: async ({ options }) => {
      executor = executorOf(plans, { ...options, hooks })
      return { executor, registry: registryOf(plans) }
    },
    isClientsFault: () => false,
  })
  const send = (id: number, method: string, params: object) =>
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
  const done = host.run()
  send(1, "initialize", { protocolVersion: 1, effects: ["*"] })
  send(2, "enqueue", { calls: [{ callId: "a", name: "tool" }] })
  expect((await asked.promise).effect).toEqual({ _tag: "Odd", ...plain })
  send(3, "inspect", {})
  send(4, "respond", { callId: "a", output: "done" })
  expect(await ended.promise).toMatchObject({ content: "done" })
  const started = messages.find(({ params }) => params?.event._tag === "Started")
  expect(started?.params?.event.params).toEqual(plain)
  input.end()
  await done
})

it("is asked of the user of an MCP client", async () => {
  const tool = defineTool({
    name: "send",
    description: "Sends.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("sent")),
  })
  const hooks = { beforeCall: () => ({ params: odd() }) }
  const { client, asked } = await connect([tool], { answer: () => approve(), executor: { hooks } })
  expect(textOfResult(await client.callTool({ name: "send", arguments: {} }))).toContain("sent")
  expect(asked[0]).toContain('"count": "1"')
})

const viewOf = (params: unknown) => {
  const sent: Array<string> = []
  const client = {
    notify: async (_method: string, params: unknown) => void sent.push(JSON.stringify(params)),
    request: () => Promise.reject(new Error("Nothing is asked")),
  }
  const session = { client, sessionId: "s", capabilities: {} }
  const call = { callId: "a", name: "tool", params, tool: undefined, cwd: "/" }
  return { view: new ToolCallView(session as never, call), sent }
}

it("is sent to an editor that speaks ACP", () => {
  const { view, sent } = viewOf(odd())
  view.begin()
  view.started(odd())
  expect(sent.map((text) => JSON.parse(text).update.rawInput)).toEqual([plain, plain])
})

it("is not shown in an editor where there is nothing", () => {
  const { view } = viewOf(undefined)
  const gate = { params: undefined, because: "It is asked" } as AwaitingApprovalEvent
  expect(view.question(gate).content).toEqual([
    { type: "content", content: { type: "text", text: "It is asked" } },
  ])
})

it("is shown at a gate of the terminal", () => {
  const call = queuedBlock({ callId: "1", name: "tool", params: { count: 1n } })
  const { header } = renderGate({ ...call, status: "pending" }, { width: 60, now: 0, colors: false })
  expect(header).toBe('? tool({"count":"1"})')
  const rowsOf = (ids: unknown) => {
    const held = queuedBlock({ callId: "1", name: "tool", params: { text: "x", ids } })
    return renderGate({ ...held, status: "pending" }, { width: 60, now: 0, colors: false }).rows
  }
  expect(rowsOf(new Map([["a", new Set([1n])]]))).toEqual(["  ids: Map(1) { 'a' => Set(1) { 1n } }"])
  expect(rowsOf({})).toEqual(["  ids: {}"])
})

it("is shown at a gate of the page", () => {
  const { params } = askedTexts({ params: { ids: new Map([["a", new Set([1n])]]) } })
  expect(JSON.parse(params)).toEqual({ ids: { a: ["1"] } })
})
