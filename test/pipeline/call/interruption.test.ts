import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { type Deferred, deferred, never, turn, until } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, type Plan } from "../../support/executor-of.ts"
import { expectNothingUnhandled } from "../../support/unhandled.ts"

expectNothingUnhandled()

/** Starts one call and gives what can be done with it. */
const start = async (plan: Plan) => {
  const executor = executorOf({ tool: plan })
  const host = new ScriptedHost(executor)
  executor.enqueue([{ callId: "c", name: "tool" }])
  await host.until(is("Started"))
  await turn()
  return { executor, host }
}

describe("cancel ends an Effect handler", () => {
  it("by interruption, and the terminal event waits for its finalizers", async () => {
    const log: Array<string> = []
    const finalized = deferred()
    const { executor, host } = await start(
      pipeline().andThen(() =>
        Effect.never.pipe(
          Effect.onInterrupt(() =>
            Effect.andThen(
              Effect.promise(() => finalized.promise),
              Effect.sync(() => log.push("finalized")),
            ),
          ),
        ),
      ),
    )
    executor.cancelCall("c")
    let told = false
    const next = executor.next().then((event) => {
      told = true
      log.push("told")
      return event
    })
    await turn()
    expect(told).toBe(false)
    expect(executor.inspect()).toMatchObject([{ state: "finishing" }])
    finalized.resolve()
    expect(await next).toMatchObject({ _tag: "Cancelled" })
    expect(log).toEqual(["finalized", "told"])
    expect(await host.run()).toEqual([])
  })

  it("also one that comes after others in the same fiber", async () => {
    const log: Array<string> = []
    const reached = deferred()
    const { executor, host } = await start(
      pipeline()
        .andThen(() => Effect.as(Effect.yieldNow, Step.Continue))
        .andThen(async () => Step.Continue)
        .andThen(() => Effect.as(Effect.yieldNow, Step.Output("kept")))
        .andThen(() =>
          Effect.sync(() => reached.resolve()).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => log.push("interrupted"))),
          ),
        ),
    )
    await reached.promise
    executor.cancelCall("c")
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Cancelled", content: "Cancelled\nkept" })
    expect(log).toEqual(["interrupted"])
  })

  it("whose uninterruptible part ends before the terminal event, and whose step does not count", async () => {
    const working = deferred()
    const log: Array<string> = []
    const { executor, host } = await start(
      pipeline()
        .andThen(() =>
          Effect.uninterruptible(
            Effect.as(
              Effect.promise(() => working.promise),
              Step.Output("written"),
            ),
          ),
        )
        .andThen(() => {
          log.push("went on")
          return Step.Continue
        }),
    )
    executor.cancelCall("c")
    await turn()
    expect(executor.inspect()).toHaveLength(1)
    working.resolve()
    const events = await host.run()
    expect(events).toMatchObject([{ _tag: "Cancelled" }])
    expect(events[0]).not.toHaveProperty("cleanupErrors")
    expect(log).toEqual([])
  })

  it("whose finalizer fails, with one terminal event all the same", async () => {
    const { executor, host } = await start(
      pipeline().andThen(() => Effect.onInterrupt(Effect.never, () => Effect.die(new Error("no")))),
    )
    executor.cancelCall("c")
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
  })
})

describe("cancel tells a promise handler by its signal", () => {
  it("and does not wait for it", async () => {
    const signals: Array<AbortSignal> = []
    const { executor, host } = await start(
      pipeline().andThen(({ signal }) => {
        signals.push(signal)
        return never()
      }),
    )
    expect(signals[0]!.aborted).toBe(false)
    executor.cancelCall("c", "enough")
    // Its listeners are the tool's: they do not run inside the host's cancel.
    expect(signals[0]!.aborted).toBe(false)
    await turn()
    expect(signals[0]!.aborted).toBe(true)
    expect(signals[0]!.reason).toMatchObject({ name: "AbortError", message: "enough" })
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
  })

  it("also where the signal is first read after the cancel", async () => {
    const cancelled = deferred()
    const read = deferred<AbortSignal>()
    const { executor } = await start(
      pipeline().andThen(async (context) => {
        await cancelled.promise
        read.resolve(context.signal)
        return Step.Continue
      }),
    )
    executor.cancelCall("c")
    cancelled.resolve()
    expect((await read.promise).aborted).toBe(true)
  })

  it.each<[string, (late: Promise<void>) => Promise<Step>]>([
    ["result", (late) => late.then(() => Step.Output("late"))],
    ["failure", (late) => late.then(() => Promise.reject(new Error("late")))],
    ["error", (late) => late.then(() => Step.Error("late"))],
    ["effect", (late) => late.then(() => Step.Delegate({ _tag: "Ask" }))],
  ])("and its late %s is nobody's", async (_, answer) => {
    const late = deferred()
    const log: Array<string> = []
    const { executor, host } = await start(
      pipeline()
        .andThen(() => answer(late.promise))
        .andThen(() => {
          log.push("went on")
          return Step.Continue
        }),
    )
    executor.cancelCall("c")
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
    late.resolve()
    await turn()
    expect(await executor.next()).toBeUndefined()
    expect(log).toEqual([])
  })

  it("and its late answer does not reach a second call of the same id", async () => {
    const late: Array<Deferred<void>> = []
    const { executor, host } = await start(
      pipeline().andThen(() => {
        const answer = deferred()
        late.push(answer)
        return answer.promise.then(() => Step.Output(`answer of call ${late.indexOf(answer)}`))
      }),
    )
    executor.cancelCall("c")
    await host.run()
    executor.enqueue([{ callId: "c", name: "tool" }])
    await until(() => late.length === 2)
    late[0]!.resolve()
    await turn()
    expect(executor.inspect()).toHaveLength(1)
    late[1]!.resolve()
    expect((await host.run()).at(-1)).toMatchObject({ content: "answer of call 1" })
  })
})

describe("cancel of a generator", () => {
  it("calls its `return`, so that its `finally` runs", async () => {
    const log: Array<string> = []
    const { executor, host } = await start(
      pipeline().andThen(async function* () {
        try {
          yield Step.Delegate({ _tag: "Ask" })
          log.push("read on")
        } finally {
          log.push("returned")
        }
      }),
    )
    await host.until(is("Delegate"))
    executor.cancelCall("c")
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
    expect(log).toEqual(["returned"])
  })

  it("calls the `return` of any iterable, and survives one that fails", async () => {
    const log: Array<string> = []
    const { executor, host } = await start(
      pipeline().andThen(() => ({
        [Symbol.asyncIterator]: () => ({
          next: () => never<IteratorResult<Step>>(),
          return: () => {
            log.push("returned")
            return Promise.reject(new Error("cannot close"))
          },
        }),
      })),
    )
    executor.cancelCall("c")
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
    expect(log).toEqual(["returned"])
  })

  it("reads no step that comes late", async () => {
    const late = deferred()
    const { executor, host } = await start(
      pipeline().andThen(async function* () {
        await late.promise
        yield Step.Delta("late")
      }),
    )
    executor.cancelCall("c")
    late.resolve()
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
  })
})

describe("cancel from inside the call", () => {
  it("may be called by the handler of that call", async () => {
    const log: Array<string> = []
    const shapes = {
      step: () => Step.Output("late"),
      promise: async () => Step.Output("late"),
      rejection: () => Promise.reject(new Error("late")),
      effect: () => Effect.succeed(Step.Output("late")),
      generator: async function* () {
        yield Step.Output("late")
      },
      gate: () => Step.AwaitApproval(),
      delegate: () => Step.Delegate({ _tag: "Ask" }),
      error: () => Step.Error("late"),
    }
    for (const [shape, answer] of Object.entries(shapes)) {
      const executor: ToolExecutor = executorOf({
        tool: pipeline()
          .andThen(({ call }) => {
            executor.cancelCall(call.callId)
            return answer()
          })
          .andThen(() => {
            log.push(`${shape} went on`)
            return Step.Continue
          })
          .finally(() => {
            log.push(`${shape} cleaned`)
            return Step.Continue
          }),
      })
      const events = await new ScriptedHost(executor).run([{ name: "tool" }])
      expect(events.map((event) => event._tag)).toEqual(["Started", "Cancelled"])
    }
    expect(log).toEqual(Object.keys(shapes).map((shape) => `${shape} cleaned`))
  })

  it("may be called from inside an Effect, whose finalizers run", async () => {
    const log: Array<string> = []
    const executor: ToolExecutor = executorOf({
      tool: pipeline().andThen(({ call }) =>
        Effect.sync(() => executor.cancelCall(call.callId)).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(Effect.sync(() => log.push("went on"))),
          Effect.onExit(() => Effect.sync(() => log.push("finalized"))),
          Effect.as(Step.Continue),
        ),
      ),
    })
    const events = await new ScriptedHost(executor).run([{ name: "tool" }])
    expect(events.map((event) => event._tag)).toEqual(["Started", "Cancelled"])
    expect(log).toEqual(["finalized"])
  })
})
