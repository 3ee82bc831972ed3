import { Type } from "@sinclair/typebox"
import { describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  defineTool,
  pipeline,
  Step,
  type Tool,
  type ToolCallInput,
  type ToolEvent,
  ToolExecutor,
  type ToolOutput,
  ToolRegistry,
  type ToolResult,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { toolOf } from "../../support/executor-of.ts"

const writeNote = defineTool({
  name: "write_note",
  description: "",
  parameters: Type.Object({ path: Type.String(), text: Type.Optional(Type.String()) }),
  compose: ({ path }) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(path)),
})

const count = defineTool({
  name: "count",
  description: "",
  parameters: z.object({ text: z.string().transform((text) => text.length) }),
  compose: ({ text }) => pipeline().andThen(() => Step.Output(`${text}`)),
})

const free = defineTool({
  name: "free",
  description: "",
  parameters: { type: "object" },
  compose: (params) => pipeline().andThen(() => Step.Output(JSON.stringify(params))),
})

const registry = new ToolRegistry([writeNote, count, free])

type Note = { path: string; text?: string }

describe("an executor whose registry knows its tools", () => {
  it("types the parameters of events by the name of the tool", async () => {
    await using executor = new ToolExecutor(registry)
    executor.enqueue([
      { name: "write_note", params: { path: "a" } },
      { name: "count", params: { text: "four" } },
    ])
    const seen: Array<unknown> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      if (event._tag === "Started" && event.name === "write_note") {
        expectTypeOf(event.params).toEqualTypeOf<Note>()
        seen.push(event.params.path)
      }
      if (event._tag === "Started" && event.name === "count") {
        expectTypeOf(event.params).toEqualTypeOf<{ text: string }>()
        seen.push(event.params.text)
      }
      if (event._tag === "Started" && event.name === "resolve") {
        expectTypeOf(event.params.action).toEqualTypeOf<"apply" | "discard">()
      }
      if (event._tag === "AwaitingApproval") {
        expectTypeOf(event.name).toEqualTypeOf<"write_note" | "count" | "free" | "resolve">()
        event.approve()
        if (event.name === "write_note") expectTypeOf(event.params).toEqualTypeOf<Note>()
      }
      if (event._tag === "Completed" && event.name === "write_note") {
        expectTypeOf(event.editedParams).toEqualTypeOf<Note | undefined>()
        expectTypeOf(event.output).toEqualTypeOf<ToolOutput>()
      }
      // A call of an unknown tool ends as an Error: its name may be any.
      if (event._tag === "Error") expectTypeOf(event.name).toEqualTypeOf<string>()
    }
    expect(seen).toEqual(["a", "four"])
  })

  it("checks the parameters of a call that names its tool", async () => {
    await using executor = new ToolExecutor(registry)
    expect((await executor.run({ name: "count", params: { text: "four" } })).content).toBe("4")
    // @ts-expect-error: `text` is a string
    expect((await executor.run({ name: "count", params: { text: [] } })).status).toBe("error")
    // @ts-expect-error: `path` is missing
    expect((await executor.run({ name: "write_note", params: { text: "a" } })).status).toBe("error")
    // @ts-expect-error: so are the parameters
    expect((await executor.run({ name: "write_note" })).status).toBe("error")
    expect((await executor.run({ name: "free" })).content).toBe("{}")
    const unknown: unknown = { any: 1 }
    expect((await executor.run({ name: "free", params: unknown })).content).toBe('{"any":1}')
    const told: Array<string> = []
    await executor.run({ name: "write_note", params: { path: "a" }, background: false }, (event) => {
      if (event._tag !== "AwaitingApproval") return
      if (event.name === "write_note") told.push(event.params.path)
      event.approve()
    })
    expect(told).toEqual(["a"])
    const events = executor.runEvents({ name: "count", params: { text: "a" } })
    for await (const event of events) {
      if (event._tag === "Started" && event.name === "count") {
        expectTypeOf(event.params).toEqualTypeOf<{ text: string }>()
      }
    }
    // @ts-expect-error: `text` is a string
    void (() => executor.runEvents({ name: "count", params: { text: 4 } }))
  })

  it("takes what a model calls, of which the types know nothing", async () => {
    await using executor = new ToolExecutor(registry)
    const call: ToolCallInput = { name: "count", params: { text: "four" } }
    expect((await executor.run(call)).content).toBe("4")
    const name: string = "count"
    expect((await executor.run({ name, params: JSON.parse('{"text":"four"}') })).content).toBe("4")
    registry.register(toolOf("later", pipeline()), { replace: true })
    expect((await executor.run({ name: "later", params: 1 })).status).toBe("error")
  })

  it("is an executor where any is taken, and gives the events of any", async () => {
    await using executor = new ToolExecutor(registry)
    const any: ToolExecutor = executor
    expectTypeOf(any.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    const listener = (event: ToolEvent) => event._tag
    await executor.run({ name: "count", params: { text: "a" } }, listener)
    const events = await new ScriptedHost(executor).run([{ name: "count", params: { text: "a" } }])
    expect(events.at(-1)).toMatchObject({ content: "1" })
  })
})

describe("a registry that knows its tools", () => {
  it("gives each as what it is", () => {
    expectTypeOf(registry.get("write_note")).toEqualTypeOf<typeof writeNote | undefined>()
    expectTypeOf(registry.get("other")).toEqualTypeOf<Tool | undefined>()
    const name: string = "count"
    expectTypeOf(registry.get(name)).toEqualTypeOf<Tool | undefined>()
    const call = {
      agentId: "main",
      callId: "c",
      name,
      params: {},
      decision: "approve",
      background: false,
    } as const
    expect(registry.get("write_note")?.compose({ path: "a" }, call).length).toBe(2)
  })
})

describe("a registry of tools that the types do not know", () => {
  it("leaves events, results and calls as they are", async () => {
    const untyped = new ToolRegistry([toolOf("any", pipeline()), writeNote as Tool])
    await using executor = new ToolExecutor(untyped)
    expectTypeOf(executor.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    expectTypeOf(untyped.get("any")).toEqualTypeOf<Tool | undefined>()
    const result = executor.run({ name: "write_note", params: 5 })
    expectTypeOf(result).toEqualTypeOf<Promise<ToolResult>>()
    expect((await result).status).toBe("error")
    const started = (event: ToolEvent) => event._tag === "Started" && event
    expectTypeOf<Exclude<ReturnType<typeof started>, false>["params"]>().toEqualTypeOf<unknown>()
    expectTypeOf<Exclude<ReturnType<typeof started>, false>["name"]>().toEqualTypeOf<string>()
  })

  it("mixed with others too", () => {
    const mixed = new ToolRegistry([toolOf("any", pipeline()), writeNote])
    const executor = new ToolExecutor(mixed)
    expectTypeOf(executor.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    expect(mixed.names).toEqual(["any", "write_note"])
  })
})
