import { isDeepStrictEqual } from "node:util"
import { Ajv } from "ajv"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../../src/schema/json-schema.ts"
import { plainCheck } from "../../src/schema/plain-check.ts"

/** As the project's own checks set it up. */
const libraryAccepts = (schema: object, value: unknown): boolean => {
  const options = {
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    validateFormats: false,
  }
  return new Ajv({ ...options, ownProperties: true, logger: false }).compile(schema)(value) === true
}

const isJson = (value: unknown): boolean =>
  value !== undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)

const names = fc.constantFrom("a", "b", "__proto__", "constructor", "ä")
const texts = fc.constantFrom("", "a", "ab", "😀", "😀😀", "1", "\ud800")
const numbers = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, Number.NaN, Number.POSITIVE_INFINITY)
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null))
const ownObject = (entries: ReadonlyArray<readonly [string, unknown]>): object => Object.fromEntries(entries)

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    fc.constant(undefined),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 3 }).map(ownObject),
  ),
})).value

const typeNames = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array")
const counts = fc.constantFrom(0, 1, 2, 1.5)

const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 })
  const optional = { requiredKeys: [] }
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.record(
        { type: fc.oneof(typeNames, fc.uniqueArray(typeNames, { minLength: 1, maxLength: 2 })) },
        optional,
      ),
      fc.record({ const: scalars, description: texts }, optional),
      fc.record(
        { enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }), default: scalars },
        optional,
      ),
      fc.record(
        {
          minimum: numbers,
          maximum: numbers,
          exclusiveMinimum: counts,
          exclusiveMaximum: counts,
          type: typeNames,
        },
        optional,
      ),
      fc.record(
        {
          minLength: counts,
          maxLength: counts,
          pattern: fc.constantFrom("^a", ".", "^.$", "\\d"),
          format: texts,
        },
        optional,
      ),
      fc.record(
        { items: tie("schema"), minItems: counts, maxItems: counts, type: fc.constant("array") },
        optional,
      ),
      fc.record(
        {
          type: fc.constant("object"),
          properties: fc.array(fc.tuple(names, tie("schema")), { maxLength: 3 }).map(ownObject),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        },
        optional,
      ),
      fc.record({ allOf: list, anyOf: list }, optional),
    ),
  }
}).schema

describe("the check by common keywords", () => {
  it("accepts nothing that the library refuses, and of JSON all that it accepts", () => {
    let accepted = 0
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const check = plainCheck(schema)
        if (check === undefined) return
        const accepts = check(value)
        if (accepts) accepted += 1
        if (accepts) expect(libraryAccepts(schema, value)).toBe(true)
        else if (isJson(value)) expect(libraryAccepts(schema, value)).toBe(false)
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(300)
  })

  it.each<[JsonSchema, unknown, boolean]>([
    [{ minLength: 2 }, "😀", false],
    [{ minLength: 2 }, "😀😀", true],
    [{ maxLength: 1 }, "😀", true],
    [{ maxLength: 1 }, "ab", false],
    [{ type: "number" }, Number.NaN, false],
    [{ type: "number" }, Number.POSITIVE_INFINITY, false],
    [{ exclusiveMinimum: 1 }, 1, false],
    [{ exclusiveMaximum: 1 }, 1, false],
    [{ required: ["a"] }, { a: undefined }, false],
    [{ required: ["toString"] }, {}, false],
    [{ properties: { a: { type: "string" } } }, { a: undefined }, true],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1, b: 1 }, false],
    [{ properties: { toString: { type: "string" } } }, {}, true],
    [{ type: "object", pattern: "^a" }, {}, true],
  ])("accepts by %j the value %j: %s, as the library does", (schema, value, expected) => {
    expect(plainCheck(schema)?.(value)).toBe(expected)
    expect(libraryAccepts(schema, value)).toBe(expected)
  })

  it.each<[string, JsonSchema]>([
    ["a reference", { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } }],
    ["another keyword", { type: "array", uniqueItems: true }],
    ["a tuple", { items: [{ type: "string" }] }],
    [
      "patterns beside additional properties",
      { patternProperties: { "^a": {} }, additionalProperties: false },
    ],
    ["a type that there is not", { type: "text" }],
    ["a pattern that does not compile", { type: "string", pattern: "(" }],
    ["a keyword of a wrong type", { required: "a" }],
    ["a branch that only the library knows", { anyOf: [{ type: "string" }, { not: {} }] }],
    ["a name that the library passes over", { properties: JSON.parse('{ "__proto__": {} }') }],
  ])("leaves %s to the library", (_, schema) => {
    expect(plainCheck(schema)).toBeUndefined()
  })

  it("leaves a schema that contains itself to the library", () => {
    const schema: Record<string, unknown> = { type: "array" }
    schema.items = schema
    expect(plainCheck(schema)).toBeUndefined()
  })
})
