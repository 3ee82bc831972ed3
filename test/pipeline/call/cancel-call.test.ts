import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { busyExecutor, stuck } from "../../support/busy-executor.ts"
import { never, until } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("cancelCall", () => {
  it("ends a call wherever it is", async () => {
    const { executor, host } = await busyExecutor()
    for (const id of ["a2", "runs", "gate", "asks", "bg", "bgGate"]) {
      expect(executor.cancelCall(id)).toBe(true)
      expect(executor.cancelCall(id)).toBe(false)
    }
    await host.run()
    for (const id of ["a2", "runs", "gate", "asks", "bgGate"]) {
      expect(host.terminal(id)).toMatchObject({ _tag: "Cancelled" })
    }
    expect(host.tags("a2")).toEqual(["Cancelled"])
    expect(host.tags("bg")).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
    expect(host.events.find(is("BackgroundCompleted"))).toMatchObject({ callId: "bg", status: "cancelled" })
    expect(host.tags("b2")).toEqual(["Started", "Completed"])
  })

  it("is false for a call that is unknown or has ended", async () => {
    const executor = executorOf({ tool: pipeline() })
    await new ScriptedHost(executor).run([{ callId: "a", name: "tool" }])
    expect(executor.cancelCall("a")).toBe(false)
    expect(executor.cancelCall("nobody")).toBe(false)
  })

  it("of a background call right after its enqueueing leaves its one result", async () => {
    const executor = executorOf({ stuck })
    executor.enqueue([{ callId: "a", name: "stuck", background: true }])
    expect(executor.cancelCall("a")).toBe(true)
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual(["Cancelled"])
    expect(executor.tasks.list()).toEqual([])
  })

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

  it("while the hook before the call thinks ends it with nothing run", async () => {
    const signals: Array<AbortSignal> = []
    const executor = executorOf(
      { tool: pipeline().andThen(() => Step.Output("ran")) },
      {
        hooks: {
          beforeCall: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    executor.enqueue([{ callId: "a", name: "tool" }])
    await until(() => signals.length > 0)
    expect(executor.cancelCall("a")).toBe(true)
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual(["Cancelled"])
    expect(signals[0]!.aborted).toBe(true)
  })
})
