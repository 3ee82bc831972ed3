import { mkdir, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { parameterSchema } from "../../src/custom-tools/parameter-schema.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const file = useTempFolder()

const jsonSchema = { type: "object", properties: { n: { type: "string" } } }

/** What a Standard Schema library gives: a schema that reads digits as a number. */
const standard = (parts: object = {}, ownParts: object = {}) => ({
  ...ownParts,
  "~standard": {
    version: 1,
    vendor: "sampler",
    validate: async (value: { n: string }) =>
      /^\d+$/.test(value.n)
        ? { value: { n: Number(value.n) } }
        : {
            issues: [
              { message: "no digits", path: ["n"] },
              { message: "odd", path: [{ key: "a" }, 0] },
              { message: "bad" },
            ],
          },
    ...parts,
  },
})

describe("parameterSchema", () => {
  it("passes JSON Schema, which TypeBox's schemas are, as it is", () => {
    expect(parameterSchema("sample", jsonSchema, "/")).toEqual({ schema: jsonSchema })
    expect(parameterSchema("sample", jsonSchema, "/").schema).toBe(jsonSchema)
  })

  it("refuses what is no JSON, and runs nothing of it unguarded", () => {
    const circular: Record<string, unknown> = { type: "object" }
    circular.properties = { self: circular }
    const message = (reason: string) => `Cannot make JSON of the parameters of tool \`sample\`: ${reason}`
    expect(() => parameterSchema("sample", circular, "/")).toThrow(
      new TypeError(message("Converting circular structure to JSON")),
    )
    const exiting = { type: "object", toJSON: () => process.exit(3) }
    expect(() => parameterSchema("sample", exiting, "/")).toThrow(
      new TypeError(message("sample called process.exit, which would end the program that runs it")),
    )
  })

  it.each([
    ["zod's method", standard({}, { toJSONSchema: (options: object) => ({ ...jsonSchema, options }) })],
    ["ArkType's method", Object.assign(() => 1, standard({}, { toJsonSchema: () => jsonSchema }))],
    [
      "the standard's own",
      standard({ jsonSchema: { input: (options: object) => ({ ...jsonSchema, options }) } }),
    ],
  ])("converts by %s", (_name, schema) => {
    expect(parameterSchema("sample", schema, "/").schema).toMatchObject(jsonSchema)
  })

  it("asks zod for what goes in", () => {
    const schema = standard({}, { toJSONSchema: (options: object) => ({ options }) })
    expect(parameterSchema("sample", schema, "/").schema).toEqual({
      options: { io: "input", unrepresentable: "any" },
    })
  })

  it("converts by the zod that is installed where the agent works, for one without the method", async () => {
    await mkdir(file("node_modules/zod"), { recursive: true })
    await writeFile(
      file("node_modules/zod/index.js"),
      "exports.toJSONSchema = (schema) => ({ type: 'object', from: Object.keys(schema)[0] })",
    )
    const { schema } = parameterSchema("sample", standard({}, { _zod: {} }), file())
    expect(schema).toEqual({ type: "object", from: "_zod" })
  })

  it("says what to do where there is no conversion", () => {
    expect(() => parameterSchema("sample", standard(), "/")).toThrow(
      new TypeError(
        "Cannot make a JSON Schema of the parameters of tool `sample`: this version of sampler has no conversion to it. Update sampler, or use TypeBox.",
      ),
    )
  })

  it("gives the tool what its library makes of the parameters", async () => {
    const { parse } = parameterSchema("sample", standard({}, { toJSONSchema: () => jsonSchema }), "/")
    expect(await parse?.({ n: "5" })).toEqual({ n: 5 })
    await expect(parse?.({ n: "x" })).rejects.toThrow(
      'Validation failed for tool "sample":\n  - n: no digits\n  - a/0: odd\n  - root: bad\n\nReceived arguments:\n{\n  "n": "x"\n}',
    )
  })
})

describe("a pattern", () => {
  const read = (pattern: string) =>
    parameterSchema("sample", { type: "object", properties: { id: { type: "string", pattern } } }, "/")

  it.each([
    "^(a+)+$",
    "^(\\w+\\s?)*$",
    "^([0-9]|[0-9]2?)*$",
    "^(!+)+$",
    "^(é+)+$",
    "^([\\u0400-\\u04ff]+)+$",
    "^(a|aa)+$",
    "^(\\-|a+)+$",
  ])("that would take for ever is refused: %s", (pattern) => {
    expect(() => read(pattern)).toThrow(
      `The parameters of tool \`sample\` have a pattern that may take for ever to match: ${pattern}.`,
    )
  })

  it.each(["^(\\d+\\.)+\\d+$", "^[a-z]+(-[a-z]+)*$", "(", "^a{1,3}$"])(
    "that is none of these is taken: %s",
    (pattern) => {
      expect(read(pattern).schema).toMatchObject({ properties: { id: { pattern } } })
    },
  )

  it("is none where it is a parameter's name or a value", () => {
    const properties = { pattern: { type: "string", default: { pattern: "^(a+)+$" } } }
    expect(parameterSchema("sample", { type: "object", properties }, "/").schema).toMatchObject({
      properties,
    })
  })
})
