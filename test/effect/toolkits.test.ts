import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe, expect, expectTypeOf } from "vitest"
import { ToolExecution, toolkitHandlers, toolsOf, toToolkit } from "../../src/effect/index.ts"
import {
  defineTool,
  pipeline,
  Step,
  type ToolEvent,
  type ToolExecutorOptions,
  ToolRegistry,
} from "../../src/index.ts"
import { effectIt } from "../support/effect-it.ts"

class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { city: Schema.String }) {}

const Forecast = Tool.make("forecast", {
  description: "Tells the weather.",
  parameters: Schema.Struct({ city: Schema.String, days: Schema.FiniteFromString }),
  success: Schema.Struct({ degrees: Schema.Number }),
  failure: Unknown,
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Title, "Forecast")
const Publish = Tool.make("publish", { success: Schema.String, needsApproval: true })
const Remove = Tool.make("remove", {
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: ({ path }) => Effect.succeed(path.startsWith("/")),
})
const Draw = Tool.make("draw", {
  success: Schema.String,
  toModelOutput: (data) => [
    Prompt.textPart({ text: "A dot." }),
    Prompt.filePart({ mediaType: "image/png", data }),
  ],
})
const Lookup = Tool.dynamic("lookup", {
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  failure: Schema.String,
  failureMode: "return",
})

const toolkit = Toolkit.make(Forecast, Publish, Remove, Draw, Lookup)

const handlers = toolkit.toLayer({
  forecast: Effect.fnUntraced(function* ({ city, days }, { preliminary }) {
    if (city !== "Bern") return yield* new Unknown({ city })
    yield* preliminary({ degrees: 0 })
    return { degrees: 20 + days }
  }),
  publish: () => Effect.succeed("published"),
  remove: ({ path }) => Effect.succeed(`removed ${path}`),
  draw: () => Effect.succeed("iVBORw0="),
  lookup: () => Effect.fail("nothing found"),
})

const execution = ({
  approval,
  toModel,
  ...options
}: Parameters<typeof toolsOf>[1] & ToolExecutorOptions = {}) =>
  Effect.flatMap(toolsOf(toolkit, { approval, toModel } as object), (tools) =>
    ToolExecution.make(new ToolRegistry(tools), options),
  ).pipe(Effect.provide(handlers))

describe("toolsOf", () => {
  effectIt("gives tools with the Toolkit's schemas, descriptions and hints", () =>
    Effect.gen(function* () {
      const tools = yield* Effect.provide(toolsOf(toolkit), handlers)
      expect(tools.map(({ name }) => name)).toEqual(["forecast", "publish", "remove", "draw", "lookup"])
      expect(tools[0]).toMatchObject({
        label: "Forecast",
        description: "Tells the weather.",
        parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "string" } } },
        annotations: { readOnly: true },
      })
    }),
  )

  effectIt("runs a handler with decoded parameters, its preliminary results as deltas", () =>
    Effect.gen(function* () {
      const { run } = yield* execution()
      const events: Array<ToolEvent> = []
      const result = yield* run(
        { name: "forecast", params: { city: "Bern", days: "2" } },
        (event) => void events.push(event),
      )
      expect(result).toMatchObject({ content: '{"degrees":22}', output: { structured: { degrees: 22 } } })
      expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Delta", "Completed"])
      expect(events[1]).toMatchObject({ content: '{"degrees":0}', partial: { degrees: 0 } })
    }),
  )

  effectIt("refuses what does not fit the schema, with its message", () =>
    Effect.gen(function* () {
      const { run } = yield* execution()
      const result = yield* run({ name: "forecast", params: { city: "Bern", days: "many" } })
      expect(result).toMatchObject({ status: "error", reason: "invalid" })
      expect(result.content).toContain("days")
    }),
  )

  effectIt("tells the model a failure, in either failure mode", () =>
    Effect.gen(function* () {
      const { run } = yield* execution()
      const forecast = yield* run({ name: "forecast", params: { city: "Ys", days: "1" } })
      expect(forecast).toMatchObject({ status: "error", content: 'Unknown: {"city":"Ys"}' })
      const lookup = yield* run({ name: "lookup", params: { query: "x" } })
      expect(lookup).toMatchObject({ status: "error", content: "nothing found" })
    }),
  )

  effectIt("words it with `toModel`, which knows the failures of its tools", () =>
    Effect.gen(function* () {
      const tools = yield* toolsOf(Toolkit.make(Forecast), {
        toModel: (error) => {
          expectTypeOf<Unknown>().toExtend<typeof error>()
          return error instanceof Unknown ? `No city ${error.city}.` : "Failed."
        },
      }).pipe(Effect.provide(handlers))
      const { run } = yield* ToolExecution.make(new ToolRegistry(tools))
      const result = yield* run({ name: "forecast", params: { city: "Ys", days: "1" } })
      expect(result.content).toBe("No city Ys.")
    }),
  )

  effectIt("has a gate where a tool needs approval, always or for these parameters", () =>
    Effect.gen(function* () {
      const { run } = yield* execution()
      expect(yield* run({ name: "publish" })).toMatchObject({ status: "denied" })
      const approved = yield* run(
        { name: "publish" },
        (event) => event._tag === "AwaitingApproval" && event.approve(),
      )
      expect(approved.content).toBe("published")
      expect(yield* run({ name: "remove", params: { path: "/etc" } })).toMatchObject({ status: "denied" })
      expect((yield* run({ name: "remove", params: { path: "x" } })).content).toBe("removed x")
    }),
  )

  effectIt("has one for every call where the host wants it", () =>
    Effect.gen(function* () {
      const { run } = yield* execution({ approval: "always" })
      expect(yield* run({ name: "draw" })).toMatchObject({ status: "denied" })
    }),
  )

  effectIt("gives the model what the tool maps its result to", () =>
    Effect.gen(function* () {
      const { run } = yield* execution()
      expect((yield* run({ name: "draw" })).output.content).toEqual([
        { type: "text", text: "A dot." },
        { type: "image", data: "iVBORw0=", mimeType: "image/png" },
      ])
    }),
  )
})

const note = defineTool({
  name: "note",
  description: "Writes a note.",
  parameters: Schema.toStandardSchemaV1(
    Schema.toStandardJSONSchemaV1(Schema.Struct({ text: Schema.String })),
  ),
  annotations: { destructive: false },
  compose: ({ text }) =>
    pipeline()
      .awaitApproval()
      .andThen(() =>
        Step.Output({
          content: [
            { type: "text", text },
            { type: "image", data: "iVBORw0=", mimeType: "image/png" },
          ],
          details: "for the host",
        }),
      ),
})

const approving = (event: ToolEvent) =>
  event._tag === "AwaitingApproval" ? Effect.sync(() => event.approve()) : Effect.void

describe("toToolkit", () => {
  const registry = new ToolRegistry([note])
  const notes = toToolkit(registry)
  const layer = ToolExecution.layer(registry)

  effectIt("tells a model the names, the schemas and the hints", () =>
    Effect.sync(() => {
      expectTypeOf<keyof typeof notes.tools>().toEqualTypeOf<"note">()
      expect(Tool.getJsonSchema(notes.tools.note)).toEqual(registry.definitions()[0]?.parameters)
      expect(Tool.getDescription(notes.tools.note)).toBe("Writes a note.")
    }),
  )

  effectIt("runs its calls through the executor, gates included", () =>
    Effect.gen(function* () {
      const { handle } = yield* notes
      const results = yield* Stream.runCollect(yield* handle("note", { text: "hi" }, "call_1"))
      expect(results).toMatchObject([
        {
          isFailure: true,
          encodedResult: "Denied: this call needs an approval, and nobody is there to give it",
        },
      ])
    }).pipe(Effect.provide(toolkitHandlers(notes).pipe(Layer.provide(layer)))),
  )

  effectIt("answers a language model's calls", () =>
    Effect.gen(function* () {
      const params = { text: "hi" }
      const model = yield* LanguageModel.make({
        generateText: () => Effect.succeed([{ type: "tool-call", id: "call_2", name: "note", params }]),
        streamText: () => Stream.empty,
      })
      const { toolResults } = yield* model.generateText({ prompt: "Write hi.", toolkit: notes })
      expect(toolResults).toMatchObject([
        {
          id: "call_2",
          isFailure: false,
          result: { content: [{ type: "text", text: "hi" }, { type: "image" }] },
          modelOutput: [
            { type: "text", text: "hi" },
            { type: "file", mediaType: "image/png", data: "iVBORw0=" },
          ],
        },
      ])
      expect(JSON.stringify(toolResults)).not.toContain("for the host")
    }).pipe(Effect.provide(toolkitHandlers(notes, { onEvent: approving }).pipe(Layer.provide(layer)))),
  )

  effectIt("takes definitions too, such as those of an agent with something to resolve", () =>
    Effect.gen(function* () {
      const { executor } = yield* ToolExecution
      executor
        .agent("a")
        .pendingActions.push({ label: "Rename", apply: () => Effect.runPromise(Effect.succeed("changed")) })
      const turn = toToolkit(executor.agent("a").definitions())
      const { handle } = yield* Effect.provide(turn, toolkitHandlers(turn, { agentId: "a" }))
      const results = yield* Stream.runCollect(yield* handle("resolve", { action: "apply", reason: "ok" }))
      expect(results[0]?.isFailure).toBe(false)
      expect(executor.agent("a").pendingActions.hasPending).toBe(false)
    }).pipe(Effect.provide(layer)),
  )
})
