import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { stamp } from "../support/event-of.ts"
import { executorOf, registryOf, toolOf } from "../support/executor-of.ts"

const note = toolOf("note", pipeline())
const secret = toolOf("secret", pipeline(), { hidden: true })

describe("ToolRegistry", () => {
  it("gives a tool by its name, undefined for any other", () => {
    const registry = new ToolRegistry([note])
    expect(registry.get("note")).toBe(note)
    expect(registry.get("other")).toBeUndefined()
    expect(registry.get("toString")).toBeUndefined()
    expect(registry.get("__proto__")).toBeUndefined()
  })

  it("refuses a second tool of the same name and keeps the first", () => {
    const registry = new ToolRegistry([note])
    const other = toolOf("note", pipeline())
    expect(() => registry.register(other)).toThrow(
      "A tool named `note` is already registered. Pass `{ replace: true }` to replace it.",
    )
    expect(() => registry.register(other, { replace: false })).toThrow()
    expect(registry.get("note")).toBe(note)
    expect(() => new ToolRegistry([note, other])).toThrow("`note` is already registered")
  })

  it.each([
    undefined,
    null,
    {},
    { name: "note", description: "", parameters: {}, compose: () => pipeline() },
  ])("refuses %j, which `defineTool` did not make", (tool) => {
    const registry = new ToolRegistry()
    expect(() => registry.register(tool as never)).toThrow("Expected a tool made by `defineTool`")
    expect(registry.names).toEqual([])
  })

  it("replaces a tool where it is told to", () => {
    const registry = new ToolRegistry([note])
    const other = toolOf("note", pipeline())
    registry.register(other, { replace: true })
    expect(registry.get("note")).toBe(other)
    expect(registry.definitions()).toHaveLength(1)
  })

  it("lists its tools in the order of their registration", () => {
    const registry = new ToolRegistry([secret]).register(note)
    expect(registry.names).toEqual(["secret", "note"])
    expect([...registry]).toEqual([secret, note])
  })

  it("is read by the executor at the time of the call", async () => {
    const registry = registryOf({ note: pipeline().andThen(() => Step.Output("old")) })
    const executor = new ToolExecutor(registry)
    registry.register(
      toolOf(
        "note",
        pipeline().andThen(() => Step.Output("new")),
      ),
      { replace: true },
    )
    expect((await new ScriptedHost(executor).run([{ name: "note" }])).at(-1)).toMatchObject({
      content: "new",
    })
  })
})

describe("definitions", () => {
  it("tell the model name, description and parameters, and leave hidden tools out", () => {
    const fixed = defineTool({
      name: "fixed",
      description: "Never in the background.",
      parameters: Type.Object({ path: Type.String({ description: "A path." }) }),
      background: false,
      compose: () => pipeline(),
    })
    expect(JSON.parse(JSON.stringify(new ToolRegistry([fixed, secret]).definitions()))).toEqual([
      {
        name: "fixed",
        description: "Never in the background.",
        parameters: {
          type: "object",
          required: ["path"],
          properties: { path: { type: "string", description: "A path." } },
        },
      },
    ])
  })

  it("advertise `background` for tools that may run there, and leave the tool's own schema as it is", () => {
    const parameters = Type.Object({ path: Type.String() })
    const tool = defineTool({ name: "tool", description: "", parameters, compose: () => pipeline() })
    const [definition] = new ToolRegistry([tool]).definitions()
    expect(definition?.parameters.properties).toEqual({
      path: parameters.properties.path,
      background: {
        type: "boolean",
        description: "Run in background. Returns immediately with a task_id.",
      },
    })
    expect(definition?.parameters.required).toEqual(["path"])
    expect(Object.keys(parameters.properties)).toEqual(["path"])
  })

  it("advertise `background` for a schema without properties", () => {
    const [definition] = new ToolRegistry([note]).definitions()
    expect(definition?.parameters).toMatchObject({
      type: "object",
      properties: { background: { type: "boolean" } },
    })
  })

  it("say that parameters are an object where their schema leaves it open, or would take null, as providers want it", () => {
    const either = { anyOf: [{ type: "object", properties: { a: { type: "string" } } }] }
    const nullable = { type: ["object", "null"] }
    const tools = [{}, { properties: {} }, { type: undefined }, either, nullable].flatMap(
      (parameters, index) =>
        [true, false].map((background) =>
          toolOf(`t${index}-${background}`, pipeline(), { parameters, background }),
        ),
    )
    for (const { parameters } of new ToolRegistry(tools).definitions()) expect(parameters.type).toBe("object")
  })

  it("leave a property `background` of the tool's own as it is", () => {
    const own = { type: "string", description: "A colour." }
    const tool = toolOf("paint", pipeline(), {
      parameters: { type: "object", properties: { background: own } },
    })
    const [definition] = new ToolRegistry([tool]).definitions()
    expect(definition?.parameters).toEqual({ type: "object", properties: { background: own } })
  })
})

describe("the tools of an agent", () => {
  const names = (definitions: ReadonlyArray<{ readonly name: string }>) =>
    definitions.map((tool) => tool.name)

  it("are by default all that are not hidden", () => {
    const executor = executorOf({ note, secret })
    expect(names(executor.agent("main").definitions())).toEqual(["note"])
    expect(executor.agent("main").definitions()).toEqual(registryOf({ note, secret }).definitions())
  })

  it("are those that the host activates, hidden ones too, for that agent alone", () => {
    const executor = executorOf({ note, secret, other: pipeline() })
    executor.agent("reviewer").setActiveTools(["secret", "other"])
    expect(names(executor.agent("reviewer").definitions())).toEqual(["secret", "other"])
    expect(names(executor.agent("main").definitions())).toEqual(["note", "other"])
  })

  it("are the only ones that it can call", async () => {
    const executor = executorOf({ note, other: pipeline() })
    executor.agent("reviewer").setActiveTools(["other"])
    const host = new ScriptedHost(executor)
    await host.run([
      { callId: "refused", agentId: "reviewer", name: "note" },
      { callId: "reviewer", agentId: "reviewer", name: "other" },
      { callId: "main", name: "note" },
    ])
    expect(host.terminal("refused")).toMatchObject({
      _tag: "Error",
      reason: "unknown-tool",
      content: expect.stringContaining("other"),
    })
    expect(host.terminal("reviewer")).toMatchObject({ _tag: "Completed" })
    expect(host.terminal("main")).toMatchObject({ _tag: "Completed" })
  })

  it("include a hidden tool that is called by name, unless others were activated", async () => {
    const host = new ScriptedHost(executorOf({ secret }))
    await host.run([{ callId: "c", name: "secret" }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed" })
  })
})

describe("an unknown tool", () => {
  it("is an Error that lists the tools there are, and nothing else happens", async () => {
    const executor = executorOf({ note, secret, shell: pipeline() })
    expect(await new ScriptedHost(executor).run([{ callId: "c", name: "nope" }])).toEqual([
      {
        _tag: "Error",
        ...stamp,
        agentId: "main",
        callId: "c",
        name: "nope",
        reason: "unknown-tool",
        content: 'Unknown tool "nope". Available tools: note, shell',
      },
    ])
  })

  it("lists the agent's own tools", async () => {
    const executor = executorOf({ note, shell: pipeline() })
    executor.agent("reviewer").setActiveTools(["shell"])
    const [error] = await new ScriptedHost(executor).run([{ agentId: "reviewer", name: "nope" }])
    expect(error).toMatchObject({ content: 'Unknown tool "nope". Available tools: shell' })
  })

  it("says so where there are no tools", async () => {
    const [error] = await new ScriptedHost(executorOf({})).run([{ name: "nope" }])
    expect(error).toMatchObject({ content: 'Unknown tool "nope". There are no tools.' })
  })

  it("in the background gives the model its one result", async () => {
    const executor = executorOf({ note })
    const events = await new ScriptedHost(executor).run([{ name: "nope", background: true }])
    expect(events).toMatchObject([{ _tag: "Error", reason: "unknown-tool" }])
    expect(executor.tasks.list()).toEqual([])
  })

  it.each(["toString", "constructor", "__proto__"])("may be called %s", async (name) => {
    expect(await new ScriptedHost(executorOf({ note })).run([{ name }])).toMatchObject([
      { _tag: "Error", reason: "unknown-tool" },
    ])
  })
})

describe("a registry that changes", () => {
  const tool = toolOf("note", pipeline())

  it("removes a tool, and says whether there was one", () => {
    const registry = new ToolRegistry([tool])
    expect([registry.unregister("note"), registry.unregister("note")]).toEqual([true, false])
    expect(registry.get("note")).toBeUndefined()
    expect(registry.register(tool).names).toEqual(["note"])
  })

  it("tells those who listen, until they leave", () => {
    const registry = new ToolRegistry()
    const told: Array<string> = []
    registry.onChange(() => {
      throw new Error("no")
    })
    const leave = registry.onChange(() => told.push(registry.names.join()))
    registry.register(tool)
    registry.register(tool, { replace: true })
    registry.unregister("note")
    registry.unregister("note")
    leave()
    registry.register(tool)
    expect(told).toEqual(["note", "note", ""])
  })
})
