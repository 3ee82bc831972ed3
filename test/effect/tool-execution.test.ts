import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect, expectTypeOf, it } from "vitest"
import { ToolExecution } from "../../src/effect/index.ts"
import { handler, pipeline, Step, type ToolExecutorOptions, ToolRegistry } from "../../src/index.ts"
import { effectIt } from "../support/effect-it.ts"
import { type Plan, registryOf, toolOf } from "../support/executor-of.ts"

class Names extends Context.Service<Names, { readonly of: (id: number) => Effect.Effect<string> }>()(
  "Names",
) {}

const greet = handler("greet", () =>
  Effect.map(
    Effect.flatMap(Names, (names) => names.of(1)),
    Step.Output,
  ),
)

const executionOf = (plans: Readonly<Record<string, Plan>>, options?: ToolExecutorOptions) =>
  ToolExecution.make(registryOf(plans), options)

const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("passed"))

describe("ToolExecution.layer", () => {
  it("takes what handlers need, and gives the service", async () => {
    const layer = ToolExecution.layer(new ToolRegistry([toolOf("greet", pipeline().andThen(greet))]))
    expectTypeOf(layer).toEqualTypeOf<Layer.Layer<ToolExecution, never, Names>>()
    const program = Effect.flatMap(ToolExecution, (execution) => execution.run({ name: "greet" }))
    const names = Layer.succeed(Names, { of: () => Effect.succeed("Ada") })
    const result = await Effect.runPromise(Effect.provide(program, Layer.provide(layer, names)))
    expect(result).toMatchObject({ status: "complete", content: "Ada" })
  })

  it("shuts its executor down when it is closed", async () => {
    const program = Effect.map(ToolExecution, ({ executor }) => executor)
    const layer = ToolExecution.layer(registryOf({ gated }))
    const executor = await Effect.runPromise(Effect.provide(program, layer))
    expect(() => executor.enqueue([{ name: "gated" }])).toThrow("The executor was shut down: make a new one")
  })
})

describe("run", () => {
  effectIt("gives failed and denied calls as results", () =>
    Effect.gen(function* () {
      const { run } = yield* executionOf({ gated })
      expect(yield* run({ name: "gated" })).toMatchObject({ status: "denied" })
      expect(yield* run({ name: "none" })).toMatchObject({ status: "error", reason: "unknown-tool" })
    }),
  )

  effectIt("takes what is no call for a defect", () =>
    Effect.gen(function* () {
      const { run } = yield* executionOf({ gated })
      const exit = yield* Effect.exit(run({ name: 5 } as never))
      expect(String(exit)).toContain("Die")
    }),
  )

  effectIt("is interrupted with its call, after the call's cleanup", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const told: Array<string> = []
      const { run, executor } = yield* executionOf({
        slow: pipeline()
          .andThen(() => Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
          .finally(() =>
            Effect.as(
              Effect.andThen(
                Effect.yieldNow,
                Effect.sync(() => told.push("cleaned")),
              ),
              Step.Continue,
            ),
          ),
      })
      const fiber = yield* Effect.forkChild(run({ name: "slow" }, ({ _tag }) => void told.push(_tag)))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(told).toEqual(["Started", "cleaned", "Cancelled"])
      expect(executor.inspect()).toEqual([])
    }),
  )

  effectIt("answers with Effects that need services", () =>
    Effect.gen(function* () {
      const { run } = yield* executionOf({ gated })
      const running = run({ name: "gated" }, (event) =>
        event._tag === "AwaitingApproval"
          ? Effect.map(
              Effect.flatMap(Names, (names) => names.of(2)),
              (reason) => event.approve({ reason }),
            )
          : Effect.void,
      )
      expectTypeOf<Effect.Services<typeof running>>().toEqualTypeOf<Names>()
      const result = yield* Effect.provideService(running, Names, { of: () => Effect.succeed("Bob") })
      expect(result).toMatchObject({ content: "passed", decidedBy: { kind: "user", reason: "Bob" } })
    }),
  )

  effectIt("denies a gate whose Effect fails", () =>
    Effect.gen(function* () {
      const { run } = yield* executionOf({ gated })
      const result = yield* run({ name: "gated" }, (event) =>
        event._tag === "AwaitingApproval" ? Effect.fail("The prompt was closed") : Effect.void,
      )
      expect(result).toMatchObject({ status: "denied", content: "The prompt was closed" })
    }),
  )

  effectIt("interrupts a question that the call's end leaves without its answer", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { run, executor } = yield* executionOf({ gated })
      const result = yield* run({ callId: "a", name: "gated" }, (event) => {
        if (event._tag !== "AwaitingApproval") return Effect.void
        return Effect.onInterrupt(
          Effect.andThen(
            Effect.sync(() => executor.deny("a", "Somebody else said no")),
            Effect.never,
          ),
          () => Deferred.succeed(interrupted, undefined),
        )
      })
      expect(result.content).toBe("Somebody else said no")
      yield* Deferred.await(interrupted)
    }),
  )

  effectIt("gives its result after the Effects of its events, and of a question that was answered", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const { run } = yield* executionOf({ gated })
      yield* run({ name: "gated" }, (event) =>
        Effect.gen(function* () {
          if (event._tag === "AwaitingApproval") event.approve()
          for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
          done.push(event._tag)
        }),
      )
      expect(done.sort()).toEqual(["AwaitingApproval", "Completed", "Started"])
    }),
  )

  effectIt("tells the events of a background task to the same function, after its result", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<string>()
      const { run, executor } = yield* executionOf({ twice: gated.awaitApproval() })
      const result = yield* run({ callId: "t", name: "twice", background: true }, (event) => {
        if (event._tag === "AwaitingApproval") return Effect.sync(() => event.approve())
        if (event._tag === "BackgroundCompleted") return Deferred.succeed(ended, event.status)
        return Effect.void
      })
      expect(result).toMatchObject({ status: "background", taskId: "t" })
      expect(yield* Deferred.await(ended)).toBe("complete")
      expect(executor.tasks.get("t")?.content).toBe("passed")
    }),
  )
})

describe("resolve", () => {
  effectIt("applies the latest preview of an agent", () =>
    Effect.gen(function* () {
      const { run, resolve } = yield* executionOf({
        rename: pipeline()
          .andThen(() => Step.Output("would change"))
          .awaitResolve({ label: "Rename" })
          .andThen(() => Step.Output("changed")),
      })
      yield* run({ name: "rename", agentId: "a" })
      const result = yield* resolve({ action: "apply", reason: "ok" }, { agentId: "a" })
      expect(result.content).toContain("changed")
    }),
  )
})

describe("events", () => {
  effectIt("go to every subscriber, from those that came before the first", () =>
    Effect.gen(function* () {
      const { events, executor } = yield* executionOf({ say: pipeline().andThen(() => Step.Output("x")) })
      executor.enqueue([{ name: "say" }, { name: "say" }])
      const completed = events.pipe(
        Stream.filter((event) => event._tag === "Completed"),
        Stream.map((event) => event.seq),
        Stream.take(2),
        Stream.runCollect,
      )
      const [first, second] = yield* Effect.all([completed, completed], { concurrency: "unbounded" })
      expect(first).toHaveLength(2)
      expect(second).toEqual(first)
    }),
  )
})
