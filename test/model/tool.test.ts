import { Type } from "@sinclair/typebox"
import { describe, expect, expectTypeOf, it } from "vitest"
import { defineTool, pipeline, Step, type ToolCall, ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const named = (name: string) =>
  defineTool({ name, description: "", parameters: { type: "object" }, compose: () => pipeline() })

describe("defineTool", () => {
  it.each(["a", "write_note", "Write-Note-2", "x".repeat(64)])("accepts the name %j", (name) => {
    expect(named(name).name).toBe(name)
  })

  it.each(["", "x".repeat(65), "write note", "write.note", "wörter", "a\n", "../a", 7 as never])(
    "refuses the name %j, which a model provider would not accept",
    (name) => {
      expect(() => named(name)).toThrow(TypeError)
      expect(() => named(name)).toThrow(JSON.stringify(name))
    },
  )

  it("fills in its defaults", () => {
    expect(named("note")).toMatchObject({
      name: "note",
      label: "note",
      primaryParam: undefined,
      primaryKind: "text",
      background: true,
      hidden: false,
      annotations: {},
    })
  })

  it.each([
    ["its label and primary parameter by default", undefined, { path: "a\n b" }, "Write note: a b"],
    ["its label where that is missing", undefined, {}, "Write note"],
    ["what it is named by its own function, in one line", () => "Write\nit", { path: "a" }, "Write it"],
    [
      "the default where that throws",
      () => {
        throw new Error("no")
      },
      { path: "a" },
      "Write note: a",
    ],
    ["the default where that gives no string", () => 7 as never, { path: "a" }, "Write note: a"],
    ["the default for what are no parameters", undefined, null, "Write note"],
  ])("titles a call with %s", (_name, title, params, expected) => {
    const tool = defineTool({
      name: "write_note",
      label: "Write note",
      description: "",
      parameters: Type.Object({ path: Type.String() }),
      primaryParam: "path",
      ...(title && { title }),
      compose: () => pipeline(),
    })
    expect(tool.title(params)).toBe(expected)
  })

  it("has a kind, and refuses one that hosts do not know", () => {
    const options = { name: "t", description: "", parameters: { type: "object" }, compose: () => pipeline() }
    expect([defineTool(options).kind, defineTool({ ...options, kind: "edit" }).kind]).toEqual([
      "other",
      "edit",
    ])
    expect(() => defineTool({ ...options, kind: "write" as never })).toThrow(
      "Expected `kind` of tool `t` to be one of read, edit, delete, move, search, execute, think, fetch, other, got `write` (string)",
    )
    expect(() => defineTool({ ...options, title: "x" as never })).toThrow(
      "Expected `title` of tool `t` to be a function, got `x` (string)",
    )
  })

  it("refuses a kind of its primary parameter that rules do not know: they would match it as plain text", () => {
    const parameters = { type: "object", properties: { line: { type: "string" } } }
    const options = {
      name: "t",
      description: "",
      parameters,
      primaryParam: "line",
      compose: () => pipeline(),
    }
    expect(() => defineTool({ ...options, primaryKind: "shell" as never })).toThrow(
      "Expected `primaryKind` of tool `t` to be one of command, path, text, got `shell` (string)",
    )
  })

  it("refuses a schema of anything but an object, and a description that is no text", () => {
    const options = { name: "t", description: "", parameters: { type: "string" }, compose: () => pipeline() }
    expect(() => defineTool(options)).toThrow(
      "Expected `parameters` of tool `t` to be the schema of an object",
    )
    expect(() => defineTool({ ...options, parameters: {}, description: undefined as never })).toThrow(
      "Expected `description` of tool `t` to be a string, got `undefined` (undefined)",
    )
    expect(defineTool({ ...options, parameters: { type: ["object", "null"] } }).parameters).toEqual({
      type: ["object", "null"],
    })
  })

  it("has a title also for parameters that cannot be read", () => {
    const parameters = { type: "object", properties: { path: { type: "string" } } }
    const tool = defineTool({
      name: "t",
      description: "",
      parameters,
      primaryParam: "path",
      compose: () => pipeline(),
    })
    const params = {
      get path(): string {
        throw new Error("no")
      },
    }
    expect(tool.title(params)).toBe("t")
  })

  it("has no schema of its output where that is undefined", () => {
    const options = { name: "t", description: "", parameters: {}, compose: () => pipeline() }
    expect(defineTool({ ...options, outputSchema: undefined })).not.toHaveProperty("outputSchema")
  })

  it("is refused with no attempts", () => {
    const options = { name: "t", description: "", parameters: {}, compose: () => pipeline() }
    expect(() => defineTool({ ...options, maxAttempts: 0.5 })).toThrow(
      "Expected `maxAttempts` of tool `t` to be a positive integer, got `0.5` (number)",
    )
  })

  it("keeps what it is given", () => {
    const options = {
      name: "write_note",
      label: "Write note",
      description: "Shown to the model.",
      parameters: Type.Object({ path: Type.String() }),
      primaryParam: "path",
      primaryKind: "path" as const,
      background: false,
      maxAttempts: 5,
      hidden: true,
      annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
      compose: () => pipeline(),
      renderCall: () => "call",
      renderResult: () => "result",
    }
    const { compose: _, ...shown } = options
    expect(defineTool(options)).toMatchObject(shown)
  })

  it.each([undefined, null, "object", []])("refuses the parameters %j", (parameters) => {
    expect(() =>
      defineTool({
        name: "note",
        description: "",
        parameters: parameters as never,
        compose: () => pipeline(),
      }),
    ).toThrow("Expected `parameters` of tool `note` to be a JSON Schema object")
  })

  it("types the parameters that compose is given by the schema", () => {
    const tool = defineTool({
      name: "note",
      description: "",
      parameters: Type.Object({ path: Type.String(), times: Type.Optional(Type.Number()) }),
      compose: (params) => {
        expectTypeOf(params).toEqualTypeOf<{ path: string; times?: number }>()
        return pipeline().andThen(() => Step.Output(params.path))
      },
    })
    defineTool({
      name: "note",
      description: "",
      parameters: { type: "object", properties: { path: { type: "string" } } },
      compose: (params) => {
        expectTypeOf(params).toEqualTypeOf<Record<string, unknown>>()
        return pipeline()
      },
    })
    expect(new ToolExecutor(new ToolRegistry([tool]))).toBeInstanceOf(ToolExecutor)
  })
})

describe("compose", () => {
  it("is given the call's parameters and the call", async () => {
    const seen: Array<readonly [unknown, ToolCall]> = []
    const executor = executorOf({
      note: (params, call) => {
        seen.push([params, call])
        return pipeline()
      },
    })
    await new ScriptedHost(executor).run([
      { agentId: "a", callId: "c", name: "note", params: { path: "x" }, decision: "approve" },
    ])
    expect(seen).toEqual([
      [
        { path: "x" },
        {
          agentId: "a",
          callId: "c",
          name: "note",
          params: { path: "x" },
          decision: "approve",
          background: false,
        },
      ],
    ])
  })

  it("is given an empty object where a call has no parameters", async () => {
    const executor = executorOf({
      note: (params) => pipeline().andThen(() => Step.Output(JSON.stringify(params))),
    })
    expect((await new ScriptedHost(executor).run([{ name: "note" }])).at(-1)).toMatchObject({ content: "{}" })
  })

  it("that throws refuses the call with its message, and the cause goes to the host", async () => {
    const cause = new Error("no plan for that")
    const executor = executorOf({
      note: () => {
        throw cause
      },
    })
    expect(await new ScriptedHost(executor).run([{ name: "note" }])).toMatchObject([
      { _tag: "Error", reason: "failed", content: "no plan for that", cause },
    ])
  })

  it.each([undefined, null, {}, "plan"])(
    "that gives %j instead of a pipeline refuses the call",
    async (plan) => {
      const executor = executorOf({ note: () => plan as never })
      expect(await new ScriptedHost(executor).run([{ name: "note" }])).toMatchObject([
        { _tag: "Error", reason: "failed", content: expect.stringContaining("note") },
      ])
    },
  )
})

describe("`background` among the parameters", () => {
  const compose = (params: Record<string, unknown>) =>
    pipeline().andThen(() => Step.Output(JSON.stringify(params)))

  it("is taken out and means the call's own", async () => {
    const executor = executorOf({ note: compose })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "note", params: { path: "x", background: true } }])
    expect(host.tags("c")).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
    expect(host.events[0]).toMatchObject({ params: { path: "x" }, background: true })
    expect(executor.tasks.take("c")).toMatchObject({ content: '{"path":"x"}' })
  })

  it("is taken out where it is false, and leaves a call that asks for the background itself there", async () => {
    const host = new ScriptedHost(executorOf({ note: compose }))
    await host.run([
      { callId: "front", name: "note", params: { background: false } },
      { callId: "back", name: "note", params: { background: false }, background: true },
    ])
    expect(host.terminal("front")).toMatchObject({ content: "{}" })
    expect(host.tags("back")).toContain("BackgroundStarted")
  })

  it("does not change the parameters that the host passed", async () => {
    const params = { path: "x", background: true }
    await new ScriptedHost(executorOf({ note: compose })).run([{ name: "note", params }])
    expect(params).toEqual({ path: "x", background: true })
  })

  it("stays where the tool's schema has a property of that name", async () => {
    const note = toolOf("note", compose, {
      parameters: { type: "object", properties: { background: { type: "boolean" } } },
    })
    const host = new ScriptedHost(executorOf({ note }))
    await host.run([{ callId: "c", name: "note", params: { background: true } }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: '{"background":true}' })
  })
})
