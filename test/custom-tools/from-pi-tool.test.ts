import { type TSchema, Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { type ExtensionContext, fromPiTool, type ToolDefinition } from "../../src/custom-tools/index.ts"
import { eventsOf, piArguments, piTool, trusting } from "./tool-runs.ts"

describe("a tool of pi", () => {
  it("gets the signal before onUpdate and the context", async () => {
    const [callId, params, signal, onUpdate, ctx] = await piArguments()
    expect(callId).toBe("c")
    expect(params).toEqual({})
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(onUpdate).toBeTypeOf("function")
    expect((ctx as ExtensionContext).signal).toBe(signal)
  })

  it("gets the signal last where its source is legacy", async () => {
    const [, , onUpdate, ctx, signal] = await piArguments("legacy")
    expect(onUpdate).toBeTypeOf("function")
    expect((ctx as ExtensionContext).signal).toBe(signal)
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  it("may be declared without a type of its own, and reads its parameters all the same", async () => {
    const tool: ToolDefinition = {
      name: "sample",
      description: "d",
      parameters: Type.Object({ query: Type.String(), limit: Type.Optional(Type.Number({ default: 10 })) }),
      execute: async (_id, params) => ({
        content: [{ type: "text", text: `${params.query.toUpperCase()} ${params.limit}` }],
      }),
    }
    const events = await eventsOf(fromPiTool(tool, trusting), { query: "a" })
    expect(events.at(-1)).toMatchObject({ content: "A undefined" })
  })

  it("is not given the defaults of its schema, as in pi", async () => {
    const unit = Type.String({ default: "m" })
    const run = async (parameters: TSchema) =>
      (
        await eventsOf(
          fromPiTool(
            piTool((_id, params) => JSON.stringify(params), { parameters }),
            trusting,
          ),
        )
      ).at(-1)
    expect(await run(Type.Object({ unit: Type.Optional(unit) }))).toMatchObject({ content: "{}" })
    expect(await run(Type.Object({ unit }))).toMatchObject({
      reason: "invalid",
      content: expect.stringContaining("  - unit: "),
    })
  })

  it("tells the model what `prepareArguments` throws, and nothing else", async () => {
    const tool = piTool(() => "", {
      prepareArguments: () => {
        throw new Error("Give either a path or a URL.")
      },
    })
    expect((await eventsOf(fromPiTool(tool, trusting))).at(-1)).toMatchObject({
      _tag: "Error",
      reason: "invalid",
      content: "Give either a path or a URL.",
    })
  })

  it("works in the executor's folder, unless its host says otherwise", async () => {
    const execute = (...parts: Array<unknown>) => (parts[4] as ExtensionContext).cwd
    const end = async (host: object) => (await eventsOf(fromPiTool(piTool(execute), host))).at(-1)
    expect(await end(trusting)).toMatchObject({ content: process.cwd() })
    expect(await end({ ...trusting, cwd: "/mine" })).toMatchObject({ content: "/mine" })
  })

  it("rewrites what the model sent before it is validated", async () => {
    const tool = piTool((_id, params) => params, {
      parameters: Type.Object({ path: Type.String() }),
      prepareArguments(this: unknown, args: { file: string }) {
        expect(this).toBe(tool)
        return { path: args.file }
      },
    })
    const events = await eventsOf(fromPiTool(tool, trusting), { file: "a" })
    expect(events.at(-1)).toMatchObject({ content: '{"path":"a"}' })
  })

  it("cannot end the process while it rewrites", async () => {
    const tool = piTool(() => "", { prepareArguments: () => process.exit(3) })
    expect((await eventsOf(fromPiTool(tool, trusting))).at(-1)).toMatchObject({
      _tag: "Error",
      reason: "invalid",
      content: expect.stringContaining("sample called process.exit"),
    })
  })

  it("runs a tool that asks for one at a time, or for many, as any other", async () => {
    for (const executionMode of ["sequential", "parallel"] as const) {
      const events = await eventsOf(
        fromPiTool(
          piTool(() => "done", { executionMode }),
          trusting,
        ),
      )
      expect(events.at(-1)).toMatchObject({ content: "done" })
    }
  })
})
