import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { cp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { defineTool, pipeline, Step } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"
import { root } from "../support/root.ts"

const folder = mkdtempSync(join(realpathSync(tmpdir()), "stepline-copy-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let otherEffect: typeof Effect
let otherSchema: typeof Schema
let otherTypeBox: typeof import("@sinclair/typebox")
beforeAll(async () => {
  const code = (file: string) => !/\.(d\.[mc]?ts|map|md)$/.test(file) && !/effect\/(src|ai-docs)/.test(file)
  const copy = (name: string) =>
    cp(join(root, "node_modules", name), join(folder, "node_modules", name), {
      recursive: true,
      filter: code,
    })
  await Promise.all([copy("effect"), copy("@sinclair/typebox")])
  const load = (path: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, "node_modules", path)).href)
  otherEffect = await load("effect/dist/Effect.js")
  otherSchema = await load("effect/dist/Schema.js")
  otherTypeBox = await load("@sinclair/typebox/build/esm/index.mjs")
})

const message =
  "Handler `anonymous` gave an Effect of another copy of effect than stepline's. Two copies of effect are installed: have one, with `npm dedupe` or the version that stepline names as its peer"

const schemaTool = (parameters: object) =>
  defineTool({ name: "show", description: "", parameters, compose: () => pipeline() })

describe("where two copies of effect are installed", () => {
  it("a handler's Effect of the other one is an Error that says what to do", async () => {
    const plan = pipeline().andThen(() => otherEffect.succeed(Step.Output("x")))
    expect(await executorOf({ show: plan }).run({ name: "show" })).toMatchObject({
      status: "error",
      content: message,
    })
  })

  it("so is one of effect 3", async () => {
    const effect = { [Symbol.for("effect/Effect")]: { _V: "3.19.0" } }
    const plan = pipeline().andThen(() => effect as never)
    expect((await executorOf({ show: plan }).run({ name: "show" })).content).toBe(message)
  })

  it("a finally handler's is a failure of its cleanup", async () => {
    const events: Array<unknown> = []
    const plan = pipeline().finally(() => otherEffect.succeed(Step.Continue))
    await executorOf({ show: plan }).run({ name: "show" }, (event) => events.push(event))
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", cleanupErrors: [`anonymous: ${message}`] })
  })

  it("a schema of the other one is refused with what to do, unless it was made a Standard Schema there", async () => {
    const schema = otherSchema.Struct({ count: otherSchema.FiniteFromString })
    const refusal =
      "Expected `parameters` of tool `show` to be of the copy of effect that stepline has. Two copies of effect are installed: have one, with `npm dedupe` or the version that stepline names as its peer, or pass `Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`"
    expect(() => schemaTool(schema)).toThrow(refusal)
    const version3 = Object.assign(() => undefined, { [Symbol.for("effect/Schema")]: {} })
    expect(() => schemaTool(version3)).toThrow(refusal)
    const standard = otherSchema.toStandardSchemaV1(otherSchema.toStandardJSONSchemaV1(schema))
    const tool = defineTool({
      name: "show",
      description: "",
      parameters: standard,
      compose: ({ count }) => pipeline().andThen(() => Step.Output(typeof count)),
    })
    expect((await executorOf({ show: tool }).run({ name: "show", params: { count: "3" } })).content).toBe(
      "number",
    )
  })
})

describe("every Effect of stepline's own copy is taken", () => {
  class Failure extends Data.TaggedError("Failure")<{ readonly why: string }> {}

  it.each([
    ["a value", Effect.succeed(Step.Output("x"))],
    [
      "a generator",
      Effect.gen(function* () {
        yield* Effect.yieldNow
        return Step.Output("x")
      }),
    ],
    ["a traced one", Effect.withSpan(Effect.succeed(Step.Output("x")), "traced")],
    ["one that begins later", Effect.suspend(() => Effect.promise(async () => Step.Output("x")))],
    ["a caught failure", Effect.orElseSucceed(Effect.fail("no"), () => Step.Output("x"))],
  ])("%s", async (_name, effect) => {
    expect((await executorOf({ show: pipeline().andThen(() => effect) }).run({ name: "show" })).content).toBe(
      "x",
    )
  })

  it("a failure that is an Effect itself", async () => {
    const plan = pipeline().andThen(() => new Failure({ why: "too late" }))
    expect((await executorOf({ show: plan }).run({ name: "show" })).content).toContain("too late")
  })
})

describe("where two copies of TypeBox are installed", () => {
  it("a schema of the other one is read like any", async () => {
    const { Type } = otherTypeBox
    const tool = defineTool({
      name: "show",
      description: "",
      parameters: Type.Object({ who: Type.String() }),
      compose: ({ who }) => pipeline().andThen(() => Step.Output(who)),
    })
    expect((await executorOf({ show: tool }).run({ name: "show", params: { who: 5 } })).content).toBe("5")
  })
})
