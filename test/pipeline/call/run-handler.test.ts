import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  type EffectHandler,
  handler,
  pipeline,
  runHandler,
  Step,
  type ToolEvent,
  ToolExecutor,
  ToolRegistry,
} from "../../../src/index.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"

/** The plan whose handlers run inside other handlers, which note their steps. */
const nestedPlan = (inner: EffectHandler, steps: Array<Step> = []) =>
  pipeline()
    .andThen(inner)
    .map(({ name, ...other }) =>
      handler(name, async (context) => {
        const step = await runHandler({ name, ...other }, context)
        steps.push(step)
        return step
      }),
    )

const eventsOf = async (executor: ToolExecutor): Promise<Array<ToolEvent>> => {
  const events: Array<ToolEvent> = []
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    events.push(event)
    if (event._tag === "AwaitingApproval") event.approve()
    if (event._tag === "Delegate") event.succeed(`answer to ${event.effect._tag}`)
  }
  return events
}

const run = async (inner: EffectHandler["call"]) => {
  const steps: Array<Step> = []
  const executor = executorOf({ tool: nestedPlan({ name: "inner", call: inner }, steps) })
  executor.enqueue([{ name: "tool" }])
  const events = await eventsOf(executor)
  return { steps, tags: events.map(({ _tag }) => _tag), end: events.at(-1) }
}

describe("a handler that runs inside another", () => {
  it("gives its step, or that of its promise or Effect", async () => {
    for (const call of [
      () => Step.Output("x"),
      async () => Step.Output("x"),
      () => Effect.succeed(Step.Output("x")),
    ]) {
      const { steps, end } = await run(call)
      expect(steps).toEqual([Step.Output("x")])
      expect(end).toMatchObject({ _tag: "Completed", content: "x" })
    }
  })

  it("streams and asks through its context, and gives the last step of a generator", async () => {
    const { steps, tags, end } = await run(async function* () {
      yield Step.Delta("one")
      yield Step.Output("first")
      yield Step.Delegate({ _tag: "Ask" })
      yield Step.Continue
    })
    expect(steps).toEqual([Step.Output({ content: [{ type: "text", text: "answer to Ask" }] })])
    expect(tags).toEqual(["Started", "Delta", "Delegate", "Completed"])
    expect(end).toMatchObject({ content: "answer to Ask" })
  })

  it("gives a generator's Error at once, and closes the generator", async () => {
    const done: Array<string> = []
    const { steps, end } = await run(async function* () {
      try {
        yield Step.Error("no")
        done.push("behind")
      } finally {
        done.push("closed")
      }
    })
    expect(steps).toEqual([Step.Error("no")])
    expect(end).toMatchObject({ _tag: "Error", content: "no" })
    expect(done).toEqual(["closed"])
  })

  it("sees its own outputs, and those of the host, until it ends", async () => {
    const seen: Array<unknown> = []
    const { end } = await run(async function* (context) {
      yield Step.Delegate({ _tag: "Ask" })
      seen.push(context.output?.content)
      yield Step.Output("own")
      seen.push(context.output?.content)
    })
    expect(seen).toEqual([[{ type: "text", text: "answer to Ask" }], [{ type: "text", text: "own" }]])
    expect(end).toMatchObject({ content: "own" })
  })

  it("lets timers run between the steps of a generator", async () => {
    let turned = false
    setImmediate(() => (turned = true))
    await run(async function* () {
      for (let n = 0; n < 10_000 && !turned; n++) yield Step.Continue
    })
    expect(turned).toBe(true)
  })

  it("ignores that a generator fails to close, as a pipeline does", async () => {
    const { end } = await run(async function* () {
      try {
        yield Step.Error("no")
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: what happens then is the subject.
        throw new Error("closing")
      }
    })
    expect(end).toMatchObject({ content: "no" })
  })

  it("is closed when its call is cancelled, and read no further", async () => {
    const started = deferred()
    const goesOn = deferred()
    const closed = deferred()
    const steps: Array<string> = []
    const failures: Array<unknown> = []
    const reading = handler("reading", async function* () {
      started.resolve()
      await goesOn.promise
      for (let n = 0; n < 3; n++) {
        steps.push("step")
        yield Step.Continue
      }
    })
    const stuck = handler("stuck", () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => never<IteratorResult<Step>>(),
        return: async () => {
          closed.resolve()
          return { done: true as const, value: undefined }
        },
      }),
    }))
    const outer = handler("outer", async (context) => {
      const both = [runHandler(stuck, context), runHandler(reading, context)]
      await Promise.all(both).catch((error) => failures.push(error.message))
      return Step.Continue
    })
    const executor = executorOf({ tool: pipeline().andThen(outer) })
    const result = executor.run({ callId: "c", name: "tool" })
    await started.promise
    executor.cancelCall("c", "Enough")
    await result
    goesOn.resolve()
    await closed.promise
    await turn()
    expect(steps).toEqual(["step"])
    expect(failures).toEqual(["Enough"])
  })

  it("releases what its Effect has acquired before the finally handlers run", async () => {
    const log: Array<string> = []
    const started = deferred()
    const inner = handler("inner", () =>
      Effect.sync(started.resolve).pipe(
        Effect.andThen(Effect.promise(() => never<Step>())),
        Effect.onInterrupt(() =>
          Effect.promise(turn).pipe(Effect.andThen(Effect.sync(() => log.push("released")))),
        ),
      ),
    )
    const plan = nestedPlan(inner).finally(() => {
      log.push("finally")
      return Step.Continue
    })
    const executor = executorOf({ tool: plan })
    const result = executor.run({ callId: "c", name: "tool" })
    await started.promise
    executor.cancelCall("c")
    await result
    expect(log).toEqual(["released", "finally"])
  })

  it("may open a gate with its last step, not before", async () => {
    const last = await run(() => Step.AwaitApproval({ label: "Go on?" }))
    expect(last.tags).toEqual(["Started", "AwaitingApproval", "Completed"])
    const { end } = await run(async function* () {
      yield Step.AwaitApproval()
      yield Step.Output("x")
    })
    expect(end).toMatchObject({
      _tag: "Error",
      content:
        "Handler `inner` opens a gate before its end. Put the gate into the pipeline, with `awaitApproval`",
    })
    // The step that is returned could not hold both, and a gate without its preview asks about nothing.
    const preview = await run(async function* () {
      yield Step.Output("preview")
      yield Step.AwaitApproval()
    })
    expect(preview.end).toMatchObject({ content: expect.stringContaining("opens a gate after an output") })
  })

  it("fails as it throws, and where it gives no Step", async () => {
    const failing = () => {
      throw new Error("broken")
    }
    expect((await run(failing)).end).toMatchObject({ _tag: "Error", content: "broken" })
    const { end } = await run(() => "text" as never)
    expect(end).toMatchObject({ content: expect.stringContaining("Handler `inner` gave string, not a Step") })
    await expect(
      runHandler(
        handler("x", () => Effect.succeed(Step.Continue)),
        {} as never,
      ),
    ).rejects.toThrow("Expected the context that the handler received")
  })

  it("has the services of its executor, and is interrupted with its call", async () => {
    const Greeting = Context.Service<string>("test/Greeting")
    const log: Array<string> = []
    const started = deferred()
    const inner = handler("inner", () =>
      Effect.gen(function* () {
        log.push(yield* Greeting)
        yield* Effect.acquireRelease(Effect.void, () => Effect.sync(() => log.push("released")))
        started.resolve()
        return yield* Effect.promise(() => never<Step>())
      }),
    )
    const plan = pipeline()
      .andThen(inner)
      .map((each) => handler(each.name, (context) => runHandler(each, context)))
    const registry = new ToolRegistry([toolOf("tool", plan)])
    const program = Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(registry)
      const result = executor.run({ callId: "c", name: "tool" })
      yield* Effect.promise(() => started.promise)
      executor.cancelCall("c")
      return yield* Effect.promise(() => result)
    })
    const result = await Effect.runPromise(
      Effect.scoped(program).pipe(Effect.provideService(Greeting, "hello")) as Effect.Effect<{
        status: string
      }>,
    )
    expect(result).toMatchObject({ status: "cancelled" })
    expect(log).toEqual(["hello", "released"])
  })
})

describe("a pipeline with other handlers", () => {
  it("keeps its gates, previews and names, and gets each handler with the index of its part", async () => {
    const seen: Array<string> = []
    const plan = pipeline()
      .andThen(handler("prepare", () => Step.Output("preview")))
      .awaitApproval({ label: "Sure?" })
      .awaitResolve({ label: "Write", onDiscard: handler("discard", () => Step.Continue) })
      .andThen(handler("write", () => Step.Output("written")))
      .finally(handler("close", () => Step.Continue))
    const mapped = plan.map((each, index) => {
      seen.push(`${index} ${each.name}`)
      return handler(each.name, (context) => {
        seen.push(`ran ${each.name}`)
        return each.call(context)
      })
    })
    expect(seen).toEqual(["0 prepare", "2 discard", "3 write", "4 close"])
    expect(mapped.describe()).toEqual(plan.describe())
    const executor = executorOf({ tool: mapped })
    await executor.run({ name: "tool", decision: "approve" })
    await executor.agent().resolve({ action: "discard", reason: "no" })
    expect(seen.slice(4)).toEqual(["ran prepare", "ran discard", "ran close"])
  })
})
