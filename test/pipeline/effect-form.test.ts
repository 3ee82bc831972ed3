import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  type EffectHandler,
  handler,
  pipeline,
  Step,
  type Tool,
  ToolExecutor,
  type ToolPipeline,
  ToolRegistry,
} from "../../src/index.ts"
import { never, turn } from "../support/deferred.ts"
import { effectIt } from "../support/effect-it.ts"
import { registryOf, toolOf } from "../support/executor-of.ts"

class Database extends Context.Service<
  Database,
  { readonly query: (sql: string) => Effect.Effect<string> }
>()("Database") {}

class Mailer extends Context.Service<Mailer, { readonly send: (to: string) => Effect.Effect<void> }>()(
  "Mailer",
) {}

const select = handler("select", () =>
  Effect.map(
    Effect.flatMap(Database, (database) => database.query("SELECT 1")),
    Step.Output,
  ),
)
const send = handler("send", () =>
  Effect.as(
    Effect.flatMap(Mailer, (mailer) => mailer.send("ops")),
    Step.Continue,
  ),
)

const database = { query: (sql: string) => Effect.as(Effect.yieldNow, `rows of ${sql}`) }

describe("ToolExecutor.make", () => {
  effectIt("gives an executor that runs calls", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({ tool: pipeline().andThen(() => Step.Output("x")) }),
      )
      const result = yield* Effect.promise(() => executor.run({ name: "tool" }))
      expect(result).toMatchObject({ status: "complete", content: "x" })
    }),
  )

  effectIt("takes its options", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({ tool: pipeline().andThen(({ cwd }) => Step.Output(cwd)) }),
        { cwd: "/srv" },
      )
      const result = yield* Effect.promise(() => executor.run({ name: "tool" }))
      expect(result.content).toBe("/srv")
    }),
  )

  effectIt("gives handlers the services that they need, finally handlers too", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const executor = yield* ToolExecutor.make(
        new ToolRegistry([toolOf("report", pipeline().andThen(select).finally(send))]),
      ).pipe(
        Effect.provideService(Database, database),
        Effect.provideService(Mailer, { send: (to) => Effect.sync(() => void sent.push(to)) }),
      )
      const result = yield* Effect.promise(() => executor.run({ name: "report" }))
      expect(result.content).toBe("rows of SELECT 1")
      expect(sent).toEqual(["ops"])
    }),
  )

  effectIt("gives the services to handlers of background calls, and to those after a suspension", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        new ToolRegistry([
          toolOf(
            "report",
            pipeline()
              .andThen(async () => Step.Continue)
              .andThen(select),
          ),
        ]),
      ).pipe(Effect.provideService(Database, database))
      yield* Effect.promise(() => executor.run({ callId: "t", name: "report", background: true }))
      const task = yield* Effect.promise(() => executor.tasks.wait("t"))
      expect(task).toMatchObject({ status: "complete", content: "rows of SELECT 1" })
    }),
  )

  it("carries the requirement in the types, and `new ToolExecutor` accepts only what requires nothing", () => {
    expectTypeOf(select).toEqualTypeOf<EffectHandler<Database>>()
    const plan = pipeline().andThen(select).awaitApproval().finally(send)
    expectTypeOf(plan).toEqualTypeOf<ToolPipeline<Database | Mailer>>()
    const tool = toolOf("report", plan)
    expectTypeOf(tool).toEqualTypeOf<Tool<Database | Mailer>>()
    const registry = new ToolRegistry([tool])
    expectTypeOf(registry).toEqualTypeOf<ToolRegistry<Database | Mailer, typeof tool>>()
    expectTypeOf(ToolExecutor.make(registry)).toEqualTypeOf<
      Effect.Effect<ToolExecutor<typeof tool>, never, Database | Mailer | Scope.Scope>
    >()
    // @ts-expect-error: the registry needs services that nobody gives
    void (() => new ToolExecutor(registry))
    expect(new ToolExecutor(registryOf({ tool: pipeline() }))).toBeInstanceOf(ToolExecutor)
  })
})

describe("the scope of an executor", () => {
  it("shuts it down when it closes, and waits for the cleanup", async () => {
    const log: Array<string> = []
    const scope = Scope.makeUnsafe()
    const executor = await Effect.runPromise(
      ToolExecutor.make(
        registryOf({
          tool: pipeline()
            .andThen(() => never())
            .finally(async () => {
              await turn()
              log.push("cleaned")
              return Step.Continue
            }),
        }),
      ).pipe(Effect.provideService(Scope.Scope, scope)),
    )
    executor.enqueue([{ callId: "c", name: "tool" }])
    await turn()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(log).toEqual(["cleaned"])
    expect(executor.inspect()).toEqual([])
    expect(() => executor.enqueue([{ name: "tool" }])).toThrow("shut down")
    expect((await executor.next())?._tag).toBe("Started")
    expect((await executor.next())?._tag).toBe("Cancelled")
    expect(await executor.next()).toBeUndefined()
  })

  it("shuts it down when the program is interrupted", async () => {
    const log: Array<string> = []
    const program = Effect.scoped(
      Effect.gen(function* () {
        const executor = yield* ToolExecutor.make(
          registryOf({
            tool: pipeline()
              .andThen(() => never())
              .finally(() => {
                log.push("cleaned")
                return Step.Continue
              }),
          }),
        )
        executor.enqueue([{ name: "tool" }])
        return yield* Effect.never
      }),
    )
    const fiber = Effect.runFork(program)
    await turn()
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(log).toEqual(["cleaned"])
  })
})

describe("executor.stream", () => {
  effectIt("is the events as a Stream, and ends with the executor", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({ tool: pipeline().andThen(() => Step.Delta("x")) }),
      )
      executor.enqueue([{ name: "tool" }])
      const reading = yield* Effect.forkChild(Stream.runCollect(executor.stream))
      yield* Effect.promise(turn)
      yield* Effect.promise(() => executor.shutdown())
      const events = yield* Fiber.join(reading)
      expect(Array.from(events, (event) => event._tag)).toEqual(["Started", "Delta", "Completed"])
    }),
  )

  effectIt("gives what is taken of it, and leaves the rest to the next reader", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({ tool: pipeline().andThen(() => Step.Delta("x")) }),
      )
      executor.enqueue([{ name: "tool" }])
      const first = yield* Stream.runCollect(Stream.take(executor.stream, 1))
      expect(Array.from(first, (event) => event._tag)).toEqual(["Started"])
      expect(yield* Effect.promise(() => executor.next())).toMatchObject({ _tag: "Delta" })
      expect(yield* Effect.promise(() => executor.next())).toMatchObject({ _tag: "Completed" })
    }),
  )

  effectIt("can be run again after it was left, as any Stream", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({ tool: pipeline().andThen(() => Step.Delta("x")) }),
      )
      executor.enqueue([{ name: "tool" }])
      const { stream } = executor
      const first = yield* Stream.runCollect(Stream.take(stream, 1))
      const rest = yield* Stream.runCollect(Stream.take(stream, 2))
      expect(Array.from([...first, ...rest], (event) => event._tag)).toEqual([
        "Started",
        "Delta",
        "Completed",
      ])
    }),
  )

  effectIt("loses no event to a reader that was interrupted while it waited", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(registryOf({ tool: pipeline() }))
      const reading = yield* Effect.forkChild(Stream.runDrain(executor.stream))
      yield* Effect.promise(turn)
      yield* Fiber.interrupt(reading)
      executor.enqueue([{ name: "tool" }])
      expect(yield* Effect.promise(() => executor.next())).toMatchObject({ _tag: "Started" })
      expect(yield* Effect.promise(() => executor.next())).toMatchObject({ _tag: "Completed" })
    }),
  )

  effectIt("answers a call from inside the program", () =>
    Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(
        registryOf({
          tool: pipeline()
            .awaitApproval()
            .andThen(() => Step.Delegate({ _tag: "Ask" })),
        }),
      )
      executor.enqueue([{ name: "tool" }])
      const events = yield* executor.stream.pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            if (event._tag === "AwaitingApproval") event.approve()
            if (event._tag === "Delegate") event.succeed("answer")
          }),
        ),
        Stream.takeUntil((event) => event._tag === "Completed"),
        Stream.runCollect,
      )
      expect(Array.from(events).at(-1)).toMatchObject({ _tag: "Completed", content: "answer" })
    }),
  )
})
