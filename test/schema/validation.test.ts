import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { compileParameters, type ParameterCheck } from "../../src/schema/validation.ts"

type Schema = Readonly<Record<string, unknown>>

const check = async (schema: Schema, params: unknown): Promise<ParameterCheck> =>
  compileParameters("note", schema).validate(params)

const accepted = async (schema: Schema, params: unknown): Promise<unknown> => {
  const result = await check(schema, params)
  if (result._tag === "Invalid") throw new Error(result.message)
  return result.params
}

const refused = async (schema: Schema, params: unknown): Promise<string> => {
  const result = await check(schema, params)
  if (result._tag === "Valid") throw new Error(`Valid: ${JSON.stringify(result.params)}`)
  return result.message
}

const errorsOf = async (schema: Schema, params: unknown): Promise<Array<string>> =>
  (await refused(schema, params)).split("\n").filter((line) => line.startsWith("  - "))

const object = (properties: Schema, rest: Schema = {}): Schema => ({ type: "object", properties, ...rest })

const note = Type.Object({
  path: Type.String(),
  edits: Type.Array(Type.Object({ old_string: Type.String(), line: Type.Optional(Type.Integer()) })),
})

describe("the failure text", () => {
  it("lists every error by its path, then what was received", async () => {
    expect(await refused(note, { edits: [{ old_string: {}, line: "x" }] })).toBe(
      [
        'Validation failed for tool "note":',
        "  - path: must have required property 'path'",
        "  - edits/0/old_string: must be string",
        "  - edits/0/line: must be integer",
        "",
        "Received arguments:",
        "{",
        '  "edits": [',
        "    {",
        '      "old_string": {},',
        '      "line": "x"',
        "    }",
        "  ]",
        "}",
      ].join("\n"),
    )
  })

  it("names a missing property with its parents", async () => {
    expect(await errorsOf(note, { path: "a", edits: [{}] })).toEqual([
      "  - edits/0/old_string: must have required property 'old_string'",
    ])
  })

  it("names a forbidden property, and what is allowed", async () => {
    const schema = object({ kind: { enum: ["a", "b"] }, one: { const: 1 } }, { additionalProperties: false })
    expect(await errorsOf(schema, { kind: "c", one: 2, x: 1 })).toEqual([
      "  - x: must NOT have additional properties",
      '  - kind: must be equal to one of the allowed values: "a", "b"',
      "  - one: must be equal to constant: 1",
    ])
  })

  it("says root for the whole", async () => {
    expect(await errorsOf(object({}), 5)).toEqual(["  - root: must be object"])
    expect(await errorsOf({}, [])).toEqual(["  - root: must be object"])
    expect(await errorsOf({}, "text")).toEqual(["  - root: must be object"])
  })

  it("shows no more than twenty errors", async () => {
    const schema = object({ list: { type: "array", items: { type: "integer" } } })
    const errors = await errorsOf(schema, { list: Array.from({ length: 50 }, () => "x") })
    expect(errors).toHaveLength(21)
    expect(errors.at(-1)).toBe("  - … and 30 more")
  })

  it("cuts long arguments and says how long they were", async () => {
    const message = await refused(object({ n: { type: "integer" } }), { n: "x".repeat(1_000_000) })
    expect(message.length).toBeLessThan(11_000)
    expect(message).toMatch(/\n… \(truncated, 1000\d{3} characters in all\)$/)
  })

  it("survives arguments that are no JSON", async () => {
    expect(await refused(object({ n: { type: "integer" } }), { n: 5n })).toContain(
      "Received arguments:\n(cannot be shown as JSON)",
    )
  })
})

describe("valid parameters", () => {
  it("pass as the same object", async () => {
    const params = { path: "a", edits: [{ old_string: "b", line: 1 }], unknown: { key: null } }
    expect(await accepted(note, params)).toBe(params)
  })

  it("are read at once, after the first call of any tool", async () => {
    await compileParameters("first", object({})).validate({})
    expect(compileParameters("second", object({})).validate({})).toEqual({ _tag: "Valid", params: {} })
  })

  it("may be left out where nothing is required", async () => {
    expect(await accepted(object({}), undefined)).toEqual({})
    expect(await accepted(object({}), null)).toEqual({})
    expect(await accepted(object({ a: { type: "integer", default: 3 } }), undefined)).toEqual({ a: 3 })
    expect(await errorsOf(object({}, { required: ["a"] }), undefined)).toEqual([
      "  - a: must have required property 'a'",
    ])
  })

  it("may come as one JSON string", async () => {
    expect(await accepted(object({ n: { type: "integer" } }), '{"n":"5"}')).toEqual({ n: 5 })
    expect(await accepted({}, '{"n":1}')).toEqual({ n: 1 })
    expect(await errorsOf(object({}), '{"n":')).toEqual(["  - root: must be object"])
    expect(await errorsOf(object({}), "[]")).toEqual(["  - root: must be object"])
  })

  it("are not changed by formats and keywords that nobody knows", async () => {
    const schema = object({ at: { type: "string", format: "moon-phase", "x-order": 1 } }, { id: "note" })
    expect(await accepted(schema, { at: "full" })).toEqual({ at: "full" })
  })
})

describe("any JSON Schema", () => {
  it("of TypeBox: unions, tuples, literals, records", async () => {
    const schema = Type.Object({
      mode: Type.Union([Type.Literal("r"), Type.Literal("w")]),
      range: Type.Tuple([Type.Integer(), Type.Integer()]),
      extra: Type.Record(Type.String(), Type.Boolean()),
    })
    expect(await accepted(schema, { mode: "r", range: ["1", 2], extra: { a: "true" } })).toEqual({
      mode: "r",
      range: [1, 2],
      extra: { a: true },
    })
    expect(await errorsOf(schema, { mode: "r", range: [1, 2, 3], extra: {} })).toEqual([
      "  - range: must NOT have more than 2 items",
    ])
  })

  it("of TypeBox: recursive, shared by two tools and used twice in one", async () => {
    const tree = Type.Recursive((self) => Type.Object({ size: Type.Integer(), nodes: Type.Array(self) }), {
      $id: "Tree",
    })
    const schema = Type.Object({ left: tree, right: tree })
    const leaf = { size: "1", nodes: [] }
    for (const name of ["one", "two"]) {
      const result = await compileParameters(name, schema).validate({
        left: { size: 2, nodes: [leaf] },
        right: leaf,
      })
      expect(result).toEqual({
        _tag: "Valid",
        params: { left: { size: 2, nodes: [{ size: 1, nodes: [] }] }, right: { size: 1, nodes: [] } },
      })
    }
  })

  it.each([
    ["draft-07", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["draft-07, unnamed", {}],
  ])("of %s, with its tuples", async (_, head) => {
    const items = [{ type: "integer" }, { $ref: "#/definitions/flag" }]
    const schema = object(
      { pair: { type: "array", items, additionalItems: { type: "string" } } },
      { definitions: { flag: { type: "boolean" } }, ...head },
    )
    expect(await accepted(schema, { pair: ["1", "true", 5] })).toEqual({ pair: [1, true, "5"] })
    expect(await errorsOf(schema, { pair: [1, 2] })).toEqual(["  - pair/1: must be boolean"])
  })

  it.each([
    ["2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["2020-12, unnamed", {}],
  ])("of %s, with its tuples", async (_, head) => {
    const prefixItems = [{ type: "integer" }, { $ref: "#/$defs/flag" }]
    const schema = object(
      { pair: { type: "array", prefixItems, items: { type: "string" } } },
      { $defs: { flag: { type: "boolean" } }, ...head },
    )
    expect(await accepted(schema, { pair: ["1", "true", 5] })).toEqual({ pair: [1, true, "5"] })
    expect(await errorsOf(schema, { pair: [1, 2] })).toEqual(["  - pair/1: must be boolean"])
  })

  it("of a dialect that nobody knows", async () => {
    const schema = object({ n: { type: "integer" } }, { $schema: "https://example.org/own" })
    expect(await accepted(schema, { n: 1 })).toEqual({ n: 1 })
  })

  it("with patterns that Unicode patterns forbid, and those that need them", async () => {
    const schema = object({
      plain: { type: "string", pattern: "^[\\w\\-\\:]+$" },
      letter: { type: "string", pattern: "^\\p{L}$" },
    })
    expect(await accepted(schema, { plain: "a-b:c", letter: "é" })).toEqual({ plain: "a-b:c", letter: "é" })
    expect(await errorsOf(schema, { plain: "a b" })).toHaveLength(1)
  })

  it("with patterns that would take years, which a text does not match that takes too long", async () => {
    const pattern = "^((ab)+)+$"
    const long = `${"ab".repeat(40)}!`
    const schemas = [
      object({ a: { type: "string", pattern } }),
      object({ a: { type: "object", patternProperties: { [pattern]: {} }, additionalProperties: false } }),
    ]
    const given = (text: string) => [{ a: text }, { a: { [text]: 1 } }]
    for (const [index, schema] of schemas.entries()) {
      expect(await accepted(schema, given("abab")[index])).toEqual(given("abab")[index])
      expect(await errorsOf(schema, given(long)[index])).toHaveLength(1)
    }
  })

  it.each([
    [{ type: "strin" }, "type must be JSONType or JSONType[]: strin"],
    [object({ a: { $ref: "#/$defs/none" } }), "can't resolve reference #/$defs/none from id parameters"],
    [{ type: "object", properties: 5 }, 'properties value must be ["object"]'],
    [object({ a: { type: "string", pattern: "(" } }), "Invalid regular expression"],
  ])("that does not compile makes a call invalid: %j", async (schema, reason) => {
    const message = await refused(schema, {})
    expect(message).toContain(`Tool "note" has an invalid parameter schema: ${reason}`)
  })
})

describe("hostile parameters", () => {
  const tree: Schema = {
    type: "object",
    properties: { next: { $ref: "#" }, n: { type: "integer" } },
  }

  const deep = (depth: number): unknown => {
    let value: unknown = {}
    for (let at = 0; at < depth; at += 1) value = { next: value }
    return value
  }

  it("that are nested too deeply are refused", async () => {
    expect(await errorsOf(tree, deep(200_000))).toEqual([
      "  - root: is nested too deeply, or refers to itself",
    ])
  })

  it("that refer to themselves are refused", async () => {
    const cyclic: Record<string, unknown> = { n: "1" }
    cyclic.next = cyclic
    expect(await refused(tree, cyclic)).toContain("is nested too deeply, or refers to itself")
    const withDefault = { ...tree, properties: { next: { $ref: "#" }, n: { type: "integer", default: 1 } } }
    expect(await refused(withDefault, cyclic)).toContain("is nested too deeply, or refers to itself")
  })

  it("never reach a prototype", async () => {
    const params: unknown = JSON.parse('{"__proto__":{"polluted":"1"},"constructor":{"x":1},"n":"5"}')
    const schema = object({
      n: { type: "integer" },
      ...(JSON.parse(
        '{"__proto__":{"type":"object","properties":{"polluted":{"type":"integer"}}}}',
      ) as Schema),
    })
    const result = (await accepted(schema, params)) as Record<string, unknown>
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(Object.hasOwn(result, "__proto__")).toBe(true)
    expect(result.n).toBe(5)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it("do not inherit what is required", async () => {
    expect(await errorsOf(object({}, { required: ["toString"] }), {})).toEqual([
      "  - toString: must have required property 'toString'",
    ])
  })

  it("that cannot be read are refused", async () => {
    const params = {
      get n(): number {
        throw new Error("no")
      },
    }
    expect(await errorsOf(object({ n: { type: "integer" } }), params)).toEqual(["  - root: cannot be read"])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "are refused where they hold %s, no number of JSON",
    async (n) => {
      for (const type of ["number", "integer"]) {
        expect(await errorsOf(object({ n: { type } }), { n })).toEqual([`  - n: must be ${type}`])
      }
    },
  )

  it("do not try every combination of a recursive union", async () => {
    const branch = (kind: string): Schema => ({
      type: "object",
      properties: { kind: { const: kind }, of: { $ref: "#/$defs/node" } },
      required: ["kind", "of"],
    })
    const schema = object(
      { node: { $ref: "#/$defs/node" } },
      { $defs: { node: { anyOf: ["a", "b", "c", "d"].map(branch) } } },
    )
    let node: unknown = "leaf"
    for (let at = 0; at < 40; at += 1) node = { kind: "z", of: node }
    expect(await refused(schema, { node })).toContain("Validation failed")
  })

  describe("of a recursive union whose branches are not told apart by their own keys", () => {
    const branch = (own: string): Schema => ({
      type: "object",
      properties: { of: { $ref: "#/$defs/node" }, [own]: { type: "number" } },
      additionalProperties: false,
    })
    const tree = (keyword: "anyOf" | "oneOf") =>
      object(
        { node: { $ref: "#/$defs/node" } },
        {
          $defs: {
            node: {
              [keyword]: [branch("a"), branch("b"), { type: "array", items: { $ref: "#/$defs/node" } }],
            },
          },
        },
      )
    const nested = (leaf: unknown, levels: number) => {
      let node = leaf
      for (let at = 0; at < levels; at += 1) node = { of: node }
      return { node }
    }

    // Each level doubles the combinations: a level of forty, and the process had no memory left.
    it.each(["anyOf", "oneOf"] as const)("are refused in bounded time and memory (%s)", async (keyword) => {
      expect(await refused(tree(keyword), nested({ c: 1 }, 40))).toContain("is nested too deeply")
    })

    it("are taken as deep as they fit", async () => {
      const params = nested({ a: 1 }, 500)
      expect(await accepted(tree("anyOf"), params)).toBe(params)
    })

    it("are taken however many they are", async () => {
      const params = { node: Array.from({ length: 50_000 }, () => ({ a: 1 })) }
      expect(await accepted(tree("anyOf"), params)).toBe(params)
    })

    it("are taken however many branches are tried before the one that they fit", async () => {
      const optional = { anyOf: [{ type: "string" }, { type: "null" }] }
      const names = Array.from({ length: 10 }, (_, index) => `field${index}`)
      const fields = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
      const last = "kind19"
      const kinds = Array.from({ length: 20 }, (_, index) => `kind${index}`)
      const anyOf = kinds.map((kind) => ({
        type: "object",
        properties: { ...fields(optional), kind: { const: kind } },
        required: ["kind"],
      }))
      const list = { type: "array", items: { $ref: "#/$defs/node" } }
      const params = { list: Array.from({ length: 1000 }, () => ({ ...fields("a"), kind: last })) }
      expect(await accepted(object({ list }, { $defs: { node: { anyOf } } }), params)).toBe(params)
    })

    it("are coerced where one branch alone takes them", async () => {
      const node = { $ref: "#/$defs/node" }
      const schema = object({ node }, { $defs: { node: { anyOf: [branch("a"), branch("b")] } } })
      expect(await accepted(schema, { node: { b: "1" } })).toEqual({ node: { b: 1 } })
    })
  })
})
