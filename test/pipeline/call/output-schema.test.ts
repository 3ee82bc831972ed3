import { Type } from "@sinclair/typebox"
import { describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  defineTool,
  pipeline,
  Step,
  type Tool,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolOutput,
  ToolRegistry,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"

const found = Type.Object({ files: Type.Array(Type.Object({ name: Type.String() })) })

const finder = <const O extends object>(outputSchema: O, output: unknown, plan = pipeline()) =>
  defineTool({
    name: "find",
    description: "",
    parameters: { type: "object" },
    outputSchema,
    compose: () => plan.andThen(() => Step.Output(output as ToolOutput)),
  })

const resultOf = async (tool: Tool, options?: ToolExecutorOptions) => {
  await using executor = new ToolExecutor(new ToolRegistry([tool]), options)
  return await executor.run({ name: "find" })
}

const text = (words: string) => ({ type: "text", text: words })

describe("a tool with an outputSchema", () => {
  it("passes what fits on, and its JSON is the text where there is none", async () => {
    const structured = { files: [{ name: "a" }] }
    const json = JSON.stringify(structured)
    expect(await resultOf(finder(found, { content: [], structured }))).toEqual({
      status: "complete",
      content: json,
      output: { content: [text(json)], structured },
      isError: false,
    })
    const worded = { content: [text("one file")], structured }
    expect(await resultOf(finder(found, worded))).toMatchObject({ content: "one file", output: worded })
  })

  it("shows its schema, and leaves it out of what the model is told", () => {
    const tool = finder(found, "")
    expect(tool.outputSchema).toBe(found)
    expect(Object.keys(new ToolRegistry([tool]).definitions()[0]!)).toEqual([
      "name",
      "description",
      "parameters",
    ])
    expect(() => finder([], "")).toThrow("Expected `outputSchema` of tool `find` to be a JSON Schema object")
  })

  it("fails where `structured` does not fit, by its path, with what was put out behind it", async () => {
    const output = {
      content: [text("two files"), { type: "audio", data: "AAAA", mimeType: "audio/wav" }],
      structured: { files: [{ name: "a" }, { name: 5 }] },
      details: { took: 3 },
    }
    const message =
      'Tool "find" gave a `structured` that does not fit its outputSchema:\n  - files/1/name: must be string'
    expect(await resultOf(finder(found, output))).toEqual({
      status: "error",
      reason: "failed",
      content: `${message}\ntwo files`,
      output: { content: [text(message), ...output.content], details: { took: 3 } },
      isError: true,
    })
  })

  it("coerces nothing, and fills nothing in", async () => {
    const schema = Type.Object({ count: Type.Integer({ default: 3 }) })
    const message = (fault: string) =>
      `Tool "find" gave a \`structured\` that does not fit its outputSchema:\n  - ${fault}`
    const countOf = async (structured: unknown) =>
      (await resultOf(finder(schema, { content: [text("x")], structured }))).content
    expect(await countOf({ count: "3" })).toBe(`${message("count: must be integer")}\nx`)
    expect(await countOf({})).toBe(`${message("count: must have required property 'count'")}\nx`)
    expect(await countOf({ count: 3 })).toBe("x")
  })

  it("fails without `structured`, and the model reads what was put out all the same", async () => {
    const message = 'Tool "find" has an outputSchema, and its output has no `structured`'
    expect(await resultOf(finder(found, "two files"))).toMatchObject({
      status: "error",
      content: `${message}\ntwo files`,
      output: { content: [text(message), text("two files")] },
    })
    const silent = defineTool({
      name: "find",
      description: "",
      parameters: { type: "object" },
      outputSchema: found,
      compose: () => pipeline(),
    })
    expect(await resultOf(silent)).toMatchObject({ status: "error", content: message })
  })

  it("owes nothing where it fails, is denied or cancelled", async () => {
    const failing = pipeline().andThen(() => Step.Error("no", { output: { content: [], structured: 5 } }))
    expect(await resultOf(finder(found, "", failing))).toMatchObject({
      content: "no\n5",
      output: { content: [text("no"), text("5")], structured: 5 },
    })
    expect((await resultOf(finder(found, "", pipeline().awaitApproval()))).status).toBe("denied")
  })

  it("owes nothing for a preview, nor for what `resolve` makes of it", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output("would find"))
      .awaitResolve({ label: "Find" })
    await using executor = new ToolExecutor(new ToolRegistry([finder(found, "found", plan)]))
    expect((await executor.run({ name: "find" })).status).toBe("complete")
    const applied = await executor.agent().resolve({ action: "apply", reason: "yes" })
    expect(applied).toMatchObject({ status: "complete", content: "found" })
  })

  it("is held to it in the background too", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([finder(found, "two files")]))
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "find", background: true }])
    expect(executor.tasks.get("c")).toMatchObject({ status: "error", reason: "failed" })
  })

  it("says that its schema does not compile", async () => {
    const tool = finder({ type: "object", properties: 5 }, { content: [], structured: {} })
    expect((await resultOf(tool)).content).toContain("  - root: the schema itself is invalid: ")
  })

  it("of another dialect is loaded first", async () => {
    const tool = finder(
      { type: "array", prefixItems: [{ type: "string" }], minItems: 1 },
      { content: [], structured: [5] },
    )
    expect((await resultOf(tool)).content).toContain("  - 0: must be string")
  })
})

describe("an outputSchema of another library", () => {
  it("is what `structured` is read by, in its own words; `structured` stays as it is", async () => {
    const schema = z.object({ when: z.iso.date("say a day").transform((day) => new Date(day)) })
    const good = { content: [text("x")], structured: { when: "2026-01-02" } }
    expect((await resultOf(finder(schema, good))).output).toEqual(good)
    expect(finder(schema, "").outputSchema).toMatchObject({ properties: { when: { type: "string" } } })
    const bad = { content: [text("x")], structured: { when: "soon" } }
    expect((await resultOf(finder(schema, bad))).content).toContain("  - when: say a day")
  })

  it("may take time, or throw", async () => {
    const slow = z.object({ a: z.string().refine(async (a) => a === "x", "no such a") })
    const output = (a: string) => ({ content: [text("x")], structured: { a } })
    expect((await resultOf(finder(slow, output("x")))).status).toBe("complete")
    expect((await resultOf(finder(slow, output("y")))).content).toContain("  - a: no such a")
    const throwing = z.object({
      a: z.string().transform(() => {
        throw new Error("no more")
      }),
    })
    expect((await resultOf(finder(throwing, output("x")))).content).toContain("  - root: no more")
  })

  it("ends the call as an Error where it gives no answer that can be read", async () => {
    const jsonSchema = { input: () => ({ type: "object" }) }
    for (const validate of [() => undefined, async () => undefined]) {
      const schema = { "~standard": { version: 1, vendor: "own", validate, jsonSchema } }
      const { status, content } = await resultOf(finder(schema, { content: [], structured: {} }))
      expect(status).toBe("error")
      expect(content).toContain(
        'Tool "find" gave a `structured` that does not fit its outputSchema:\n  - root: ',
      )
    }
  })
})

describe("a hook", () => {
  const structured = { files: [] }
  const tool = finder(found, { content: [text("x")], structured })

  it("may rewrite `structured` to what fits, or leave it out", async () => {
    const fitting = { content: [text("y")], structured: { files: [{ name: "b" }] } }
    const withOutput = (output: unknown) =>
      resultOf(tool, { hooks: { afterCall: () => ({ output: output as ToolOutput }) } })
    expect((await withOutput(fitting)).output).toEqual(fitting)
    expect((await withOutput("redacted")).output).toEqual({ content: [text("redacted")] })
    expect((await withOutput({ content: [], structured: { files: 5 } })).output).toEqual({
      content: [text("x")],
      structured,
    })
  })

  it("is told of the Error that a misfit is", async () => {
    const seen: Array<string> = []
    const afterCall = (_call: unknown, result: { status: string }) => {
      seen.push(result.status)
      return undefined
    }
    await resultOf(finder(found, "no"), { hooks: { afterCall } })
    expect(seen).toEqual(["error"])
  })
})

describe("types", () => {
  it("of results and events know `structured`", async () => {
    const typed = finder(found, { content: [], structured: { files: [] } })
    await using executor = new ToolExecutor(new ToolRegistry([typed]))
    const result = await executor.run({ name: "find" }, (event) => {
      if (event._tag === "Completed" && event.name === "find") {
        expectTypeOf(event.output.structured).toEqualTypeOf<{ files: Array<{ name: string }> } | undefined>()
      }
    })
    expectTypeOf(result.output.structured).toEqualTypeOf<{ files: Array<{ name: string }> } | undefined>()
    expect(result.output.structured?.files).toEqual([])
  })
})
