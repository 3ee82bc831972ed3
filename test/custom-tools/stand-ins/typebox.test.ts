import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { describe, expect, it } from "vitest"
import { StringEnum, Type } from "../../../src/custom-tools/index.ts"
import { typebox1Module } from "../../../src/custom-tools/stand-ins/typebox.ts"
import { Compile } from "../../../src/custom-tools/stand-ins/typebox-compile.ts"
import { typebox1ValueModule, typeboxValueModule } from "../../../src/custom-tools/stand-ins/typebox-value.ts"

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

describe("typebox as version 1 has it", () => {
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

  it("gives errors in a list, by instance path; 0.34 by path", () => {
    const schema = Type.Object({ n: Type.Number() })
    const errorsOf = (module: Readonly<Record<string, unknown>>) => {
      const { Errors } = module.Value as { Errors(schema: TSchema, value: unknown): Iterable<object> }
      return Errors(schema, { n: "x" })
    }
    expect(errorsOf(typebox1ValueModule)).toEqual([
      { instancePath: "/n", path: "/n", message: "Expected number", value: "x" },
    ])
    expect([...errorsOf(typeboxValueModule)]).toMatchObject([{ path: "/n" }])
  })
})

describe("Compile", () => {
  const validator = Compile(Type.Object({ n: Type.Number({ default: 3 }) }))

  it("checks, and lists errors", () => {
    expect(validator.Check({ n: 1 })).toBe(true)
    expect(validator.Errors({ n: 1 })).toEqual([])
    expect(validator.Errors({ n: "x" })).toMatchObject([{ instancePath: "/n", message: "Expected number" }])
  })

  it("parses: converts and fills in a copy, and throws where that is not valid", () => {
    const given = { n: "5" }
    expect(validator.Parse(given)).toEqual({ n: 5 })
    expect(given).toEqual({ n: "5" })
    expect(validator.Parse({})).toEqual({ n: 3 })
    expect(() => validator.Parse({ n: [] })).toThrow()
  })
})
