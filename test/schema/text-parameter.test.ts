import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { defineTool, type JsonSchema, pipeline } from "../../src/index.ts"

const define = (parameters: unknown, options: object) => () =>
  defineTool<JsonSchema>({
    name: "note",
    description: "",
    parameters: parameters as JsonSchema,
    compose: () => pipeline(),
    ...options,
  })

const text = Type.String()

describe("primaryParam", () => {
  it.each([
    ["a string", Type.Object({ x: text })],
    ["an optional string", Type.Object({ x: Type.Optional(text) })],
    ["literals", Type.Object({ x: Type.Union([Type.Literal("a"), Type.Literal("b")]) })],
    ["an enum", { type: "object", properties: { x: { enum: ["a", "b"] } } }],
    ["a string or null", { type: "object", properties: { x: { type: ["string", "null"] } } }],
    [
      "a reference to a string",
      { type: "object", properties: { x: { $ref: "#/$defs/t" } }, $defs: { t: { type: "string" } } },
    ],
    [
      "a narrowed string",
      { type: "object", properties: { x: { allOf: [{ type: "string" }, { minLength: 1 }] } } },
    ],
    ["what a schema without properties does not tell", { type: "object" }],
    ["what stands in a part of the schema", { type: "object", allOf: [{ properties: { x: text } }] }],
  ])("may be %s", (_, parameters) => {
    expect(define(parameters, { primaryParam: "x" })().primaryParam).toBe("x")
  })

  it.each([
    ["a list", Type.Object({ x: Type.Array(text) })],
    ["a number", Type.Object({ x: Type.Number() })],
    ["a string or a list", Type.Object({ x: Type.Union([text, Type.Array(text)]) })],
    ["anything", Type.Object({ x: Type.Unknown() })],
    ["a number's reference", { properties: { x: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } }],
    ["an enum of more than texts", { properties: { x: { enum: ["a", 1] } } }],
  ])("may not be %s", (_, parameters) => {
    expect(define(parameters, { primaryParam: "x" })).toThrow(
      new TypeError(
        "Expected `primaryParam` of tool `note` to be a string in its `parameters`: `x` may be something else, which rules cannot match. Name several paths with `paths: (params) => string[]`.",
      ),
    )
  })

  it("must be there", () => {
    expect(define(Type.Object({ y: text }), { primaryParam: "x" })).toThrow(
      new TypeError("Expected `primaryParam` of tool `note` to be one of its `parameters`, got `x`"),
    )
  })
})

it("workingDirParam is held to the same", () => {
  const parameters = Type.Object({ x: text, y: Type.Number() })
  expect(define(parameters, { workingDirParam: "x" })().workingDirParam).toBe("x")
  expect(define(parameters, { workingDirParam: "y" })).toThrow(
    new TypeError(
      "Expected `workingDirParam` of tool `note` to be a string in its `parameters`: `y` may be something else, which rules cannot match.",
    ),
  )
})

it("paths must be a function", () => {
  expect(define(Type.Object({}), { paths: ["a"] })).toThrow(
    new TypeError("Expected `paths` of tool `note` to be a function, got `a` (object)"),
  )
})
