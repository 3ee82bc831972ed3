// @module-tag waits
import { Type } from "@sinclair/typebox"
import { describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  allTools,
  getBackgroundTaskTool,
  listBackgroundTasksTool,
  makeFetchUrlTool,
  makeReadFileTool,
  type readOnlyTools,
  shellTool,
  type subagentTools,
} from "../../src/impls/index.ts"
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
} from "../../src/index.ts"
import { localMachine } from "../../src/io/machine.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { toolOf } from "../support/executor-of.ts"

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

const measure = defineTool({
  name: "measure",
  description: "",
  parameters: Type.Object({ text: Type.String() }),
  outputSchema: z.object({ length: z.number() }),
  compose: ({ text }) => pipeline().andThen(() => Step.Output({ structured: { length: text.length } })),
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

  it("leaves the events as they are beside others, and knows the calls of those", async () => {
    const foreign: ReadonlyArray<Tool> = [toolOf("any", pipeline())]
    const mixed = new ToolRegistry([...foreign, writeNote, measure])
    await using executor = new ToolExecutor(mixed)
    expect(mixed.names).toEqual(["any", "write_note", "measure"])
    const seen: Array<unknown> = []
    const listener = (event: ToolEvent) => {
      if (event._tag === "Started" && event.name === "measure") seen.push(event.params)
    }
    const result = await executor.run({ name: "measure", params: { text: "four" } }, listener)
    expectTypeOf(result.output.structured).toEqualTypeOf<{ length: number } | undefined>()
    expect(result.output.structured?.length).toBe(4)
    expect(seen).toEqual([{ text: "four" }])
    const events = executor.runEvents({ name: "any", params: 5 })
    for await (const event of events) {
      if (event._tag === "Started") expectTypeOf(event.params).toEqualTypeOf<unknown>()
      if (event._tag === "Started") expectTypeOf(event.name).toEqualTypeOf<string>()
    }
    // @ts-expect-error: `path` is missing
    expect((await executor.run({ name: "write_note", params: { text: "a" } })).status).toBe("error")
    expectTypeOf(mixed.get("write_note")).toEqualTypeOf<typeof writeNote | undefined>()
    expectTypeOf(mixed.get("any")).toEqualTypeOf<Tool | undefined>()
    const name: string = "write_note"
    expect((await executor.run({ name, params: 5 })).status).toBe("error")
    const told: ToolExecutor = executor
    expectTypeOf(told.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
  })

  it("made of none too", async () => {
    const registry = new ToolRegistry([]).register(writeNote)
    await using executor = new ToolExecutor(registry)
    expectTypeOf(executor.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    expect(registry.names).toEqual(["write_note"])
  })

  it("does not know them either where an array of their own has made them any tools", () => {
    const tools = [...[toolOf("any", pipeline())], writeNote]
    expectTypeOf(tools).toEqualTypeOf<Array<Tool>>()
    expectTypeOf(new ToolRegistry(tools).get("write_note")).toEqualTypeOf<Tool | undefined>()
  })
})

type ShellParams = {
  command: string
  working_dir?: string
  timeout?: number
  stage?: boolean
  unsandboxed?: boolean
}

describe("a registry of own and built-in tools", () => {
  it("knows all of them", async () => {
    const own = new ToolRegistry([measure, shellTool, makeReadFileTool(localMachine), makeFetchUrlTool()])
    await using executor = new ToolExecutor(own)
    const seen: Array<unknown> = []
    const result = await executor.run({ name: "shell", params: { command: "echo 5" } }, (event) => {
      if (event._tag === "AwaitingApproval") {
        expectTypeOf(event.name).toEqualTypeOf<"measure" | "shell" | "read_file" | "fetch_url" | "resolve">()
        if (event.name === "shell") {
          expectTypeOf(event.params).toEqualTypeOf<ShellParams>()
          seen.push(event.params.command)
        }
        if (event.name === "fetch_url") {
          expectTypeOf(event.params).toEqualTypeOf<{ url: string; max_length?: number }>()
        }
        event.approve()
      }
      if (event._tag === "Completed" && event.name === "measure") {
        expectTypeOf(event.output.structured).toEqualTypeOf<{ length: number } | undefined>()
      }
    })
    expect(result.content).toContain("5")
    expect(seen).toEqual(["echo 5"])
    const { output } = await executor.run({ name: "measure", params: { text: "four" } })
    expectTypeOf(output.structured).toEqualTypeOf<{ length: number } | undefined>()
    // @ts-expect-error: `command` is a string
    expect((await executor.run({ name: "shell", params: { command: [] } })).status).toBe("error")
    // @ts-expect-error: there is no `lines`
    void (() => executor.run({ name: "read_file", params: { path: "a", lines: 1 } }))
    expectTypeOf(own.get("shell")).toEqualTypeOf<typeof shellTool | undefined>()
  })

  it("takes `background` among the parameters, as models give it", async () => {
    const tasks = new ToolRegistry([measure, getBackgroundTaskTool, listBackgroundTasksTool])
    await using executor = new ToolExecutor(tasks)
    const params = { text: "four", background: true }
    expect((await executor.run({ name: "measure", params })).status).toBe("background")
    const call = { name: "measure", params: { text: "four", background: true }, callId: "b" } as const
    expect((await executor.run(call)).status).toBe("background")
    expect((await executor.run({ name: "list_background_tasks" })).content).toContain("measure")
    // Of a tool whose name alone is known, parameters may be anything.
    const named = new ToolExecutor(new ToolRegistry([writeNote as Tool<never, "write_note">]))
    expect((await named.run({ name: "write_note", params: 5 })).status).toBe("error")
    await named.shutdown()
    // @ts-expect-error: it is a boolean
    void (() => executor.run({ name: "measure", params: { text: "four", background: "no" } }))
  })

  it("knows those of a preset", () => {
    const all = new ToolRegistry([measure, ...allTools()])
    expectTypeOf(all.get("measure")).toEqualTypeOf<typeof measure | undefined>()
    expectTypeOf(all.get("shell")).toEqualTypeOf<typeof shellTool | undefined>()
    type Name = ReturnType<typeof allTools>[number]["name"]
    expectTypeOf<Exclude<Name, ReturnType<typeof subagentTools>[number]["name"]>>().toEqualTypeOf<
      "spawn_agent" | "list_agents" | "get_agent"
    >()
    expectTypeOf<Exclude<ReturnType<typeof readOnlyTools>[number]["name"], Name>>().toBeNever()
    const names: Array<string> = allTools().map(({ name }) => name satisfies Name)
    expect(new Set(all.names)).toEqual(new Set([...names, "measure"]))
    type Event = ToolEvent<ReturnType<typeof allTools>[number]>
    expectTypeOf<Extract<Event, { _tag: "Started"; name: "ast_edit" }>["params"]>().toEqualTypeOf<{
      ops: Array<{ pattern: string; replacement: string }>
      paths: Array<string>
      lang?: string
      dry_run?: boolean
    }>()
  })

  it("of which each is taken where any tool is", () => {
    const tools: Array<Tool> = allTools()
    const never: ReadonlyArray<Tool<never>> = [shellTool, measure]
    const untyped: ToolRegistry = new ToolRegistry([measure, shellTool])
    expectTypeOf(new ToolExecutor(untyped).next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    const executor: ToolExecutor = new ToolExecutor(new ToolRegistry(allTools()))
    expectTypeOf(executor.next()).toEqualTypeOf<Promise<ToolEvent | undefined>>()
    expect([tools.length, never.length]).toEqual([allTools().length, 2])
  })
})
