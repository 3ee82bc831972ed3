import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import typebox from "typebox"
import { describe, expect, it } from "vitest"
import { fromCustomTool, fromPiTool, StringEnum, Type } from "../../../src/custom-tools/index.ts"
import { typebox1Module } from "../../../src/custom-tools/stand-ins/typebox.ts"
import type { Tool } from "../../../src/index.ts"
import { customTool, eventsOf, piTool, trusting } from "../tool-runs.ts"

const json = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema))

describe("StringEnum", () => {
  it("is a plain JSON schema of strings", () => {
    expect(json(StringEnum(["a", "b"]))).toEqual({ type: "string", enum: ["a", "b"] })
    expect(json(Type.StringEnum(["a"], { description: "which", default: "a" }))).toEqual({
      type: "string",
      enum: ["a"],
      description: "which",
      default: "a",
    })
  })

  it("is checked by TypeBox, compiled or not", () => {
    const schema = Type.Object({ order: Type.Optional(StringEnum(["asc", "desc"])) })
    for (const check of [
      (value: unknown) => Value.Check(schema, value),
      (value: unknown) => TypeCompiler.Compile(schema).Check(value),
    ]) {
      expect([{ order: "asc" }, {}, { order: "up" }, { order: 1 }].map(check)).toEqual([
        true,
        true,
        false,
        false,
      ])
    }
  })
})

describe("the stand-in for typebox", () => {
  it("has the builders as exports of its own, and Type as the default one", () => {
    const {
      Object: object,
      String: string,
      default: Default,
    } = typebox1Module as unknown as typeof Type & { default: typeof Type }
    expect(json(object({ a: string() }))).toEqual(json(Default.Object({ a: Default.String() })))
  })

  it("makes an enum of a list, and still of an object", () => {
    // As version 1 types it.
    const Enum = Type.Enum as unknown as (values: Array<string>) => TSchema
    expect(json(Enum(["a", "b"]))).toEqual({ enum: ["a", "b"] })
    expect(json(Type.Enum({ A: "a" }))).toEqual({ const: "a", type: "string" })
  })
})

describe("tools with schemas of version 1", () => {
  const parameters = typebox.Object({
    text: typebox.String(),
    count: typebox.Optional(typebox.Integer({ default: 3 })),
    unit: typebox.Optional(typebox.Enum(["cm", "in"])),
    side: typebox.Optional(typebox.Unsafe<"l" | "r">({ type: "string", enum: ["l", "r"] })),
    order: typebox.Optional(StringEnum(["asc", "desc"]) as object),
  })
  const received = async (_id: string, params: unknown) => ({
    content: [{ type: "text", text: JSON.stringify(params) }],
  })
  const omp = fromCustomTool(customTool(received as never, { parameters: parameters as never }), trusting)
  const pi = fromPiTool(piTool(received as never, { parameters: parameters as never }), trusting)
  const contentOf = async (tool: Tool, params: unknown) =>
    ((await eventsOf(tool, params)).at(-1) as { readonly content?: string }).content

  it("show the model plain JSON Schema", () => {
    expect(json(pi.parameters)).toEqual({
      type: "object",
      required: ["text"],
      properties: {
        text: { type: "string" },
        count: { type: "integer", default: 3 },
        unit: { enum: ["cm", "in"] },
        side: { type: "string", enum: ["l", "r"] },
        order: { type: "string", enum: ["asc", "desc"] },
      },
    })
  })

  it("get coerced parameters, and defaults in oh-my-pi alone", async () => {
    const params = { text: 5, side: "l", order: "asc", unit: null }
    expect(await contentOf(pi, params)).toBe('{"text":"5","side":"l","order":"asc"}')
    expect(await contentOf(omp, params)).toBe('{"text":"5","side":"l","order":"asc","count":3}')
  })

  it.each(["unit", "side", "order"])("refuse another value of %s", async (name) => {
    for (const tool of [pi, omp])
      expect(await contentOf(tool, { text: "a", [name]: "x" })).toContain(
        `  - ${name}: must be equal to one of`,
      )
  })
})
