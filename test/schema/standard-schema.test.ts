import { Type } from "@sinclair/typebox"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import Type1 from "typebox"
import * as v from "valibot"
import { describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  defineTool,
  type InputOf,
  type ParamsOf,
  pipeline,
  Step,
  ToolExecutor,
  type ToolExecutorOptions,
  ToolFilters,
  ToolRegistry,
} from "../../src/index.ts"

/** A tool that says what `compose` was given. */
const shower = <const S extends object>(parameters: S) =>
  defineTool({
    name: "show",
    description: "",
    parameters,
    primaryParam: "path",
    primaryKind: "path",
    compose: (params) =>
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Output(JSON.stringify(params))),
  })

const run = async (parameters: object, params: unknown, options?: ToolExecutorOptions) => {
  await using executor = new ToolExecutor(new ToolRegistry([shower(parameters)]), options)
  const events: Array<Record<string, unknown>> = []
  const result = await executor.run({ name: "show", params: params as never }, (event) => {
    events.push(event as never)
    if (event._tag === "AwaitingApproval") event.approve()
  })
  return { ...result, events, started: events.find(({ _tag }) => _tag === "Started")?.params }
}

const withZod = z.object({
  path: z.string("say which file"),
  lines: z
    .string()
    .transform((text) => text.length)
    .optional(),
  depth: z.number().default(3),
})

const withValibot = toStandardJsonSchema(
  v.object({
    path: v.string("say which file"),
    lines: v.optional(
      v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
    ),
    depth: v.optional(v.number(), 3),
  }),
)

const withArk = type({
  path: type("string").configure({ message: "say which file" }),
  "lines?": type("string").pipe((text) => text.length),
  depth: "number = 3",
})

const length = Schema.String.pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform((text: string) => text.length),
    encode: SchemaGetter.transform((count: number) => "x".repeat(count)),
  }),
)

const withEffect = Schema.Struct({
  path: Schema.String.annotate({ messageMissingKey: "say which file", message: "say which file" }),
  lines: Schema.optionalKey(length),
  depth: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
})

describe.each([
  ["zod", withZod],
  ["Valibot", withValibot],
  ["ArkType", withArk],
  ["Effect", withEffect],
  ["Effect, as a Standard JSON Schema alone", Schema.toStandardJSONSchemaV1(withEffect)],
  ["Effect, as a Standard Schema alone", Schema.toStandardSchemaV1(withEffect)],
])("a schema of %s", (_name, schema) => {
  it("tells the model its JSON Schema", () => {
    expect(new ToolRegistry([shower(schema)]).definitions()).toMatchObject([
      {
        parameters: {
          type: "object",
          properties: {
            path: { type: "string" },
            lines: { type: "string" },
            background: { type: "boolean" },
          },
          required: ["path"],
        },
      },
    ])
    expect(shower(schema).parameters).not.toHaveProperty("$schema")
  })

  it("gives compose what it makes of the parameters, and the events what it read", async () => {
    const { content, started } = await run(schema, { path: "a", lines: "four", depth: 5 })
    expect(JSON.parse(content)).toEqual({ path: "a", lines: 4, depth: 5 })
    expect(started).toEqual({ path: "a", lines: "four", depth: 5 })
  })

  it("fills its defaults in", async () => {
    expect(JSON.parse((await run(schema, { path: "a" })).content)).toEqual({ path: "a", depth: 3 })
  })

  it("reads what a model meant: `depth` as a text, null for what is optional, all as one text", async () => {
    const { content, started } = await run(schema, '{"path":"a","lines":null,"depth":"7"}')
    expect(JSON.parse(content)).toEqual({ path: "a", depth: 7 })
    expect(started).toEqual({ path: "a", depth: 7 })
  })

  it("says in its own words what is wrong", async () => {
    const { reason, content } = await run(schema, { path: ["a", "b"], depth: "7" })
    expect(reason).toBe("invalid")
    expect(content).toBe(
      `Validation failed for tool "show":\n  - path: say which file\n\nReceived arguments:\n${JSON.stringify({ path: ["a", "b"], depth: "7" }, null, 2)}`,
    )
  })

  it("refuses what is no object", async () => {
    expect((await run(schema, 5)).content).toContain("  - root: must be object")
  })

  it("is read anew where the parameters are edited at the gate: as the JSON that it reads", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([shower(schema)]))
    executor.enqueue([{ callId: "c", name: "show", params: { path: "a", lines: "one" } }])
    const asked: Array<unknown> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      if (event._tag === "AwaitingApproval") {
        asked.push(event.params)
        event.approve({ params: { path: "b", lines: "four", depth: "9" } as never })
      }
      if (event._tag === "Completed") {
        expect(JSON.parse(event.content)).toEqual({ path: "b", lines: 4, depth: 9 })
        expect(event.editedParams).toEqual({ path: "b", lines: "four", depth: 9 })
      }
    }
    expect(asked).toMatchObject([{ path: "a", lines: "one" }])
  })

  it("goes on after it was written down, and is not read twice", async () => {
    await using first = new ToolExecutor(new ToolRegistry([shower(schema)]))
    first.enqueue([{ callId: "c", name: "show", params: { path: "a", lines: "four" } }])
    await first.next()
    await first.next()
    await using second = new ToolExecutor(new ToolRegistry([shower(schema)]))
    second.restore(JSON.parse(JSON.stringify(first.snapshot("c"))))
    await second.next()
    second.approve("c")
    const end = await second.next()
    expect(JSON.parse((end as { content: string }).content)).toEqual({ path: "a", lines: 4, depth: 3 })
  })
})

describe("rules and what is remembered see the JSON that a schema reads", () => {
  const upper = z.object({ path: z.string().transform((path) => `/out/${path}`) })

  it("not what it makes of it", async () => {
    const filters = ToolFilters.compile({ show: { deny: ["^secret$"], allow: ["^open$"] } })
    expect(await run(upper, { path: "secret" }, { filters, cwd: "/in" })).toMatchObject({
      status: "denied",
      by: "policy",
    })
    const open = await run(upper, { path: "open" }, { filters, cwd: "/in" })
    expect(open.content).toBe('{"path":"/out/open"}')
    expect(open.events.map(({ _tag }) => _tag)).not.toContain("AwaitingApproval")
  })

  it("with the defaults that change nothing, so that a rule of a default holds", async () => {
    const optional = z.object({ path: z.string().default("secret") })
    const filters = ToolFilters.compile({ show: { deny: ["^secret$"] } })
    expect(await run(optional, {}, { filters, cwd: "/in" })).toMatchObject({ status: "denied", by: "policy" })
  })

  it("without a default that stands for what the schema gives", async () => {
    const given = z.object({
      path: z
        .string()
        .transform((path) => `${path}!`)
        .default("none"),
    })
    expect(await run(given, {})).toMatchObject({ content: '{"path":"none"}', started: {} })
  })

  it("and remember what was edited, as it was read", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([shower(upper)]))
    const asked: Array<unknown> = []
    const approving = { name: "show", params: { path: "a" } } as const
    const listen = (event: { _tag: string; params?: unknown; approve?: unknown }) => {
      if (event._tag !== "AwaitingApproval") return
      asked.push(event.params)
      ;(event.approve as (options: unknown) => boolean)({ params: { path: "b" }, remember: true })
    }
    expect((await executor.run(approving, listen)).content).toBe('{"path":"/out/b"}')
    const again = await executor.run({ name: "show", params: { path: "b" } }, listen)
    expect(again.content).toBe('{"path":"/out/b"}')
    expect(asked).toEqual([{ path: "a" }])
  })

  it("as do `paths`, `title` and hooks, whose parameters are read again", async () => {
    const seen: Array<unknown> = []
    const tool = defineTool({
      name: "show",
      description: "",
      parameters: upper,
      paths: (params) => {
        seen.push(params)
        return [params.path]
      },
      title: ({ path }) => path,
      compose: (params) => pipeline().andThen(() => Step.Output(params.path)),
    })
    const filters = ToolFilters.compile({ show: { deny: ["^secret$"] } })
    const beforeCall = () => ({ params: { path: "b" } })
    await using executor = new ToolExecutor(new ToolRegistry([tool]), {
      filters,
      cwd: "/in",
      hooks: { beforeCall },
    })
    expect(tool.title({ path: "a" })).toBe("a")
    expect((await executor.run({ name: "show", params: { path: "a" } })).content).toBe("/out/b")
    expect(seen).toEqual([{ path: "b" }])
  })
})

describe("a check that takes time", () => {
  const slow = z.object({ path: z.string().refine(async (path) => path === "a", "there is no such file") })

  it("is waited for", async () => {
    expect((await run(slow, { path: "a" })).content).toBe('{"path":"a"}')
    expect((await run(slow, { path: "b" })).content).toContain("  - path: there is no such file")
  })

  it("says why a call that was written down cannot wait for it", async () => {
    await using first = new ToolExecutor(new ToolRegistry([shower(slow)]))
    first.enqueue([{ callId: "c", name: "show", params: { path: "a" } }])
    await first.next()
    await first.next()
    await using second = new ToolExecutor(new ToolRegistry([shower(slow)]))
    expect(() => second.restore(first.snapshot("c"))).toThrow(
      'The schema of tool "show" takes time to check its parameters, which a call that is composed again cannot wait for. Check in a handler what is asynchronous',
    )
  })
})

describe("a schema that throws", () => {
  it("makes the call invalid with its message", async () => {
    const thrown = z.object({
      path: z.string().transform(() => {
        throw new Error("no more")
      }),
    })
    expect(await run(thrown, { path: "a" })).toMatchObject({
      reason: "invalid",
      content: expect.stringContaining("  - root: no more"),
    })
  })
})

describe("what gives no JSON Schema of an object is refused, with what to do", () => {
  const refused = (parameters: unknown) => () => shower(parameters as object)
  it.each([
    [
      "Valibot without its converter",
      v.object({ path: v.string() }),
      "Expected `parameters` of tool `show` to give its JSON Schema. Pass `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`.",
    ],
    [
      "zod before 4.2",
      { "~standard": { vendor: "zod", version: 1, validate: () => ({ value: {} }) } },
      "Expected `parameters` of tool `show` to give its JSON Schema. Update zod to 4.2 or newer.",
    ],
    [
      "an unheard-of library",
      { "~standard": { vendor: "other", version: 1, validate: () => ({ value: {} }) } },
      "Expected `parameters` of tool `show` to give its JSON Schema. Update other to a version with Standard JSON Schema, or pass a JSON Schema.",
    ],
    ["a text", z.string(), "Expected `parameters` of tool `show` to be the schema of an object"],
    [
      "what cannot be told in JSON Schema",
      {
        "~standard": {
          validate: () => ({ value: {} }),
          jsonSchema: {
            input: () => {
              throw new Error("a date is no JSON")
            },
          },
        },
      },
      "Cannot make a JSON Schema of `parameters` of tool `show`: a date is no JSON",
    ],
    ["a class", class Params {}, "Expected `parameters` of tool `show` to be a JSON Schema object"],
  ])("%s", (_name, parameters, message) => {
    expect(refused(parameters)).toThrow(TypeError)
    expect(refused(parameters)).toThrow(message)
  })
})

describe("what JSON Schema cannot say stays to the schema", () => {
  it("as a date of zod", async () => {
    const schema = z.object({ path: z.string(), when: z.coerce.date() })
    expect(shower(schema).parameters).toMatchObject({ properties: { when: {} } })
    const { content, started } = await run(schema, { path: "a", when: "2026-01-02" })
    expect(JSON.parse(content)).toEqual({ path: "a", when: "2026-01-02T00:00:00.000Z" })
    expect(started).toEqual({ path: "a", when: "2026-01-02" })
    expect((await run(schema, { path: "a", when: "soon" })).content).toContain("  - when: ")
  })

  it("as a class of Effect, whose schema is named", async () => {
    class Params extends Schema.Class<Params>("Params")({ path: Schema.String }) {
      get upper() {
        return this.path.toUpperCase()
      }
    }
    const tool = defineTool({
      name: "show",
      description: "",
      parameters: Params,
      compose: (params) => pipeline().andThen(() => Step.Output(params.upper)),
    })
    expect(new ToolRegistry([tool]).definitions()[0]?.parameters).toMatchObject({
      type: "object",
      properties: { path: { type: "string" }, background: { type: "boolean" } },
    })
    await using executor = new ToolExecutor(new ToolRegistry([tool]))
    expect((await executor.run({ name: "show", params: { path: "a" } })).content).toBe("A")
  })
})

describe("types", () => {
  it("of `compose` are what the schema gives, those of its input what it reads", () => {
    type Given = { path: string; lines?: number | undefined; depth: number }
    type Read = { path: string; lines?: string | undefined; depth?: number | undefined }
    expectTypeOf<ParamsOf<typeof withZod>>().toEqualTypeOf<Given>()
    expectTypeOf<InputOf<typeof withZod>>().toEqualTypeOf<Read>()
    expectTypeOf<ParamsOf<typeof withValibot>>().toEqualTypeOf<Given>()
    expectTypeOf<InputOf<typeof withValibot>>().toEqualTypeOf<Read>()
    expectTypeOf<ParamsOf<typeof withArk>>().toExtend<Given>()
    expectTypeOf<ParamsOf<typeof withArk>["lines"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<InputOf<typeof withArk>>().toExtend<Read>()
    expectTypeOf<InputOf<typeof withArk>["lines"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<ParamsOf<typeof withEffect>["lines"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ParamsOf<typeof withEffect>["depth"]>().toEqualTypeOf<number>()
    expectTypeOf<InputOf<typeof withEffect>["lines"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<InputOf<typeof withEffect>["path"]>().toEqualTypeOf<string>()
  })

  it("of TypeBox, of either version, are its static type", async () => {
    const old = Type.Object({ path: Type.String(), depth: Type.Optional(Type.Integer()) })
    expectTypeOf<ParamsOf<typeof old>>().toEqualTypeOf<{ path: string; depth?: number }>()
    const now = Type1.Object({
      path: Type1.String(),
      depth: Type1.Optional(Type1.Integer()),
      mode: Type1.Union([Type1.Literal("fast"), Type1.Literal("slow")]),
      tags: Type1.Array(Type1.Object({ name: Type1.String() })),
      size: Type1.Enum(["s", "m"]),
      pair: Type1.Tuple([Type1.String(), Type1.Number()]),
      counts: Type1.Record(Type1.String(), Type1.Number()),
      both: Type1.Intersect([Type1.Object({ a: Type1.Null() }), Type1.Object({ b: Type1.Boolean() })]),
      any: Type1.Unknown(),
      own: Type1.Unsafe<Map<string, string>>({}),
    })
    expectTypeOf<ParamsOf<typeof now>>().toEqualTypeOf<Type1.Static<typeof now>>()
    expect((await run(Type1.Object({ path: Type1.String() }), { path: 5 })).content).toBe('{"path":"5"}')
    expect((await run(Type1.Object({ path: Type1.String() }), {})).content).toContain("  - path: must have")
  })

  it("of a JSON Schema are unknown", () => {
    const schema = { type: "object", properties: { path: { type: "string" } } } as const
    expectTypeOf<ParamsOf<typeof schema>>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf<ParamsOf<Readonly<Record<string, unknown>>>>().toEqualTypeOf<Record<string, unknown>>()
  })

  it("are inferred where a tool is defined", () => {
    defineTool({
      name: "t",
      description: "",
      parameters: withZod,
      title: (params) => {
        expectTypeOf(params.lines).toEqualTypeOf<string | undefined>()
        return ""
      },
      compose: (params) => {
        expectTypeOf(params.lines).toEqualTypeOf<number | undefined>()
        return pipeline()
      },
    })
    expect(true).toBe(true)
  })
})
