import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileParameters, type ParameterCheck } from "../../src/schema/validation.ts"

type Schema = Readonly<Record<string, unknown>>

const object = (properties: Schema, rest: Schema = {}): Schema => ({ type: "object", properties, ...rest })

const check = async (schema: Schema, params: unknown): Promise<ParameterCheck> =>
  compileParameters("note", schema).validate(params)

/** What becomes of one property's value; "invalid" where it is refused. */
const coerced = async (property: Schema, value: unknown, rest: Schema = {}): Promise<unknown> => {
  const result = await check(object({ value: property }, rest), { value })
  return result._tag === "Valid" ? (result.params as { value?: unknown }).value : "invalid"
}

const integer = { type: "integer" }
const number = { type: "number" }
const boolean = { type: "boolean" }
const string = { type: "string" }
const array = (items: Schema): Schema => ({ type: "array", items })

describe("a value is coerced where only one is meant", () => {
  it.each<[string, Schema, unknown, unknown]>([
    ["a number in a string", integer, "5", 5],
    ["a negative fraction", number, "-0.5e1", -5],
    ["a boolean in a string", boolean, "true", true],
    ["a boolean in a string", boolean, "false", false],
    ["a number for a string", string, 5, "5"],
    ["a boolean for a string", string, false, "false"],
    ["a scalar for an array", array(string), "a", ["a"]],
    ["a scalar for an array, itself coerced", array(integer), "5", [5]],
    ["an object for an array", array(object({ n: integer })), { n: "1" }, [{ n: 1 }]],
    ["an array in a string", array(integer), "[1, 2]", [1, 2]],
    ["an array of strings in a string", array(string), '["a"]', ["a"]],
    ["an object in a string", object({ n: integer }), '{"n":"1"}', { n: 1 }],
    ["the items of an array", array(integer), ["1", 2], [1, 2]],
    ["deep down", object({ a: array(object({ b: boolean })) }), { a: [{ b: "true" }] }, { a: [{ b: true }] }],
    ["one of several types", { type: ["number", "boolean"] }, "true", true],
    ["a value that may be null", { type: ["integer", "null"] }, "5", 5],
    ["an enumerated number", { enum: [1, 2] }, "2", 2],
    ["a constant", { const: true }, "true", true],
    ["all parts of allOf", { allOf: [integer, { minimum: 1 }] }, "5", 5],
    ["further properties", { type: "object", additionalProperties: integer }, { x: "1" }, { x: 1 }],
    [
      "properties by pattern",
      { type: "object", patternProperties: { "^n": integer } },
      { n1: "1" },
      { n1: 1 },
    ],
    ["the one branch of anyOf that fits", { anyOf: [number, boolean] }, "5", 5],
    ["the one branch of oneOf that fits", { oneOf: [{ type: "null" }, integer] }, "5", 5],
    [
      "a branch told by its kind",
      { anyOf: [object({ kind: { const: "a" }, n: integer }), object({ kind: { const: "b" }, n: boolean })] },
      { kind: "a", n: "5" },
      { kind: "a", n: 5 },
    ],
  ])("%s: %j, %j", async (_, schema, value, expected) => {
    expect(await coerced(schema, value)).toEqual(expected)
  })
})

describe("a value is left as it is where more than one may be meant, or none", () => {
  it.each<[string, Schema, unknown]>([
    ["no number", integer, "five"],
    ["an empty string", number, ""],
    ["white space", number, " 5"],
    ["a hexadecimal", number, "0x10"],
    ["leading zeros", integer, "007"],
    ["too large", number, "1e999"],
    ["an id that would lose digits", integer, "12345678901234567890"],
    ["a fraction for an integer", integer, "5.5"],
    ["a number for a boolean", boolean, 1],
    ["a word for a boolean", boolean, "yes"],
    ["null for a string", string, null],
    ["an object for a string", string, {}],
    ["an array in a string for an object", object({}), "[]"],
    ["two types that fit", { type: ["string", "array"] }, 5],
    ["two branches that fit", { anyOf: [array(integer), integer] }, "5"],
    ["two enumerated values alike", { enum: [true, "true "] }, "True"],
    ["a one-element array for a scalar", integer, [5]],
  ])("%s: %j, %j", async (_, schema, value) => {
    expect(await coerced(schema, value, { required: ["value"] })).toBe("invalid")
  })

  it.each<[string, Schema, unknown]>([
    ["a branch that takes it", { anyOf: [integer, string] }, "5"],
    ["a type that takes it", { type: ["integer", "string"] }, "5"],
    ["any value", {}, "5"],
  ])("or where it is valid: %s", async (_, schema, value) => {
    expect(await coerced(schema, value)).toBe(value)
  })

  it("in an array of arrays without end", async () => {
    expect(
      await coerced({ $ref: "#/$defs/list" }, "x", { $defs: { list: array({ $ref: "#/$defs/list" }) } }),
    ).toBe("invalid")
  })
})

describe("null", () => {
  it("for an optional property is dropped", async () => {
    const result = await check(object({ a: string, b: integer }), { a: null, b: 1 })
    expect(result).toEqual({ _tag: "Valid", params: { b: 1 } })
  })

  it("stays where it is valid, or unknown", async () => {
    const schema = object({
      a: { type: ["string", "null"] },
      b: { anyOf: [string, { type: "null" }] },
      n: integer,
    })
    expect(await check(schema, { a: null, b: null, c: null, n: "1" })).toEqual({
      _tag: "Valid",
      params: { a: null, b: null, c: null, n: 1 },
    })
  })

  it("for a required property is an error, but where there is a default", async () => {
    expect((await check(object({ a: string }, { required: ["a"] }), { a: null }))._tag).toBe("Invalid")
    const schema = object({ a: { type: "string", default: "x" } }, { required: ["a"] })
    expect(await check(schema, { a: null })).toEqual({ _tag: "Valid", params: { a: "x" } })
  })
})

describe("defaults", () => {
  it("are filled in at every depth, also where required", async () => {
    const schema = object(
      {
        a: { type: "integer", default: 1 },
        b: object({ c: { $ref: "#/$defs/c" } }),
        list: array(object({ d: { type: "boolean", default: false } })),
        all: { allOf: [object({ e: { default: null } })] },
      },
      { required: ["a"], $defs: { c: { type: "string", default: "c" } } },
    )
    expect(await check(schema, { b: {}, list: [{}, { d: true }], all: {} })).toEqual({
      _tag: "Valid",
      params: { a: 1, b: { c: "c" }, list: [{ d: false }, { d: true }], all: { e: null } },
    })
  })

  it("are filled into what was coerced", async () => {
    const inner = object({ x: { type: "integer", default: 1 } })
    expect(await coerced(inner, "{}")).toEqual({ x: 1 })
  })

  it("are a call's own", async () => {
    const parameters = compileParameters("note", object({ list: { type: "array", default: [] } }))
    const first = await parameters.validate({})
    if (first._tag === "Valid") (first.params as { list: Array<number> }).list.push(1)
    expect(await parameters.validate({})).toEqual({ _tag: "Valid", params: { list: [] } })
  })
})

it("what the caller gave is never changed", async () => {
  const schema = object({
    n: integer,
    list: array(object({ b: boolean, gone: string, d: { default: 1 } })),
    other: object({}),
  })
  const params = { n: "1", list: [{ b: "true", gone: null }], other: { same: true } }
  const before = structuredClone(params)
  const result = await check(schema, params)
  expect(result).toEqual({
    _tag: "Valid",
    params: { n: 1, list: [{ b: true, d: 1 }], other: { same: true } },
  })
  expect(params).toEqual(before)
  if (result._tag === "Valid") expect((result.params as typeof params).other).toBe(params.other)
})

describe("for any schema and any parameters", () => {
  const { schema } = fc.letrec<{ schema: Schema; leaf: Schema }>((tie) => ({
    leaf: fc.constantFrom<Schema>(
      integer,
      number,
      boolean,
      string,
      { type: "null" },
      {},
      { enum: [1, "a", true] },
      { const: "5" },
      { type: ["integer", "boolean"] },
      { type: ["string", "null"] },
    ),
    schema: fc.oneof(
      { maxDepth: 3 },
      tie("leaf"),
      fc.record({ type: fc.constant("array"), items: tie("schema") }),
      fc.record({
        type: fc.constant("object"),
        properties: fc.record({ a: tie("schema"), b: tie("schema") }),
        required: fc.subarray(["a", "b"]),
      }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    ),
  }))
  const scalar = fc.constantFrom(null, true, "true", 5, "5", 1, "1", "a", "", "[1]", '{"a":"5"}', 0.5, "x")
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.record({ a: tie("value"), b: tie("value"), c: tie("value") }, { requiredKeys: [] }),
    ),
  }))

  it("what comes out is valid as it stands, and comes out again the same", async () => {
    await check(object({}), {})
    fc.assert(
      fc.property(schema, schema, value, value, (first, second, a, b) => {
        const parameters = compileParameters("note", object({ a: first, b: second }, { required: ["a"] }))
        const params = { a, b }
        const before = JSON.stringify(params)
        const once = parameters.validate(params) as ParameterCheck
        expect(JSON.stringify(params)).toBe(before)
        // Most are not: a run counts where it is.
        fc.pre(once._tag === "Valid")
        const twice = parameters.validate(once.params) as ParameterCheck
        expect(twice._tag === "Valid" && twice.params).toBe(once.params)
      }),
      { numRuns: 25 },
    )
    // For each some thirteen schemas are compiled.
  }, 120_000)
})
