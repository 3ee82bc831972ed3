import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

import { describe, expect, expectTypeOf, it } from "vitest"
import { type EffectHandler, handler, pipeline, Step, ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { effectIt } from "../../support/effect-it.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, registryOf } from "../../support/executor-of.ts"

class Name extends Context.Service<Name, { readonly name: string }>()("Name") {}

/** Acquires something that stays open until its scope is closed. */
const opening = (log: Array<string>, name = "it") =>
  handler("opening", () =>
    Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => log.push(`open ${name}`)),
        (_, exit) => Effect.sync(() => log.push(`close ${name} ${exit._tag}`)),
      ),
      Step.Continue,
    ),
  )

describe("the scope of an attempt", () => {
  it("is no requirement of its handlers", () => {
    expectTypeOf(opening([])).toEqualTypeOf<EffectHandler<never>>()
    expectTypeOf(
      handler("both", () => Effect.as(Effect.all([Name, Effect.scope]), Step.Continue)),
    ).toEqualTypeOf<EffectHandler<Name>>()
  })

  it("stays open for the handlers that follow, and is closed before the finally handlers", async () => {
    const log: Array<string> = []
    const note = (what: string) => () => {
      log.push(what)
      return Step.Continue
    }
    const executor = executorOf({
      tool: pipeline().andThen(opening(log)).andThen(note("next")).finally(note("finally")),
    })
    expect(await executor.run({ name: "tool" })).toMatchObject({ status: "complete" })
    expect(log).toEqual(["open it", "next", "close it Success", "finally"])
  })

  effectIt("is not the executor's: nothing of finished calls stays open", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const executor = yield* ToolExecutor.make(registryOf({ tool: pipeline().andThen(opening(log)) }))
      for (let i = 0; i < 3; i++) yield* Effect.promise(() => executor.run({ name: "tool" }))
      expect(log.filter((entry) => entry.startsWith("close"))).toHaveLength(3)
    }),
  )

  it("is closed where a later handler fails, and where the call is cancelled at a gate", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      fails: pipeline()
        .andThen(opening(log, "failing"))
        .andThen(() => Step.Error("no")),
      asks: pipeline().andThen(opening(log, "asking")).awaitApproval(),
    })
    expect(await executor.run({ name: "fails" })).toMatchObject({ content: "no" })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "asks" }])
    await host.until(is("AwaitingApproval"))
    executor.cancelCall("c")
    await host.run()
    expect(log).toEqual(["open failing", "close failing Success", "open asking", "close asking Failure"])
  })

  it("is another one for the attempt with edited parameters", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      tool: ({ name }) =>
        pipeline()
          .andThen(opening(log, String(name)))
          .awaitApproval(),
    })
    const host = new ScriptedHost(executor, { gate: { params: { name: "b" } } })
    await host.run([{ callId: "c", name: "tool", params: { name: "a" } }])
    expect(host.terminal("c")?._tag).toBe("Completed")
    expect(log).toEqual(["open a", "close a Failure", "open b", "close b Success"])
  })

  it("of a finally handler is its own, and closed with it", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      tool: pipeline().finally(opening(log, "1")).finally(opening(log, "2")),
    })
    await executor.run({ name: "tool" })
    expect(log).toEqual(["open 1", "close 1 Success", "open 2", "close 2 Success"])
  })

  it("that does not close well is told as a failed cleanup", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(() =>
        Effect.as(
          Effect.addFinalizer(() => Effect.die(new Error("stuck"))),
          Step.Output("done"),
        ),
      ),
    })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.terminal("c")).toMatchObject({
      _tag: "Completed",
      content: "done",
      cleanupErrors: ["Scope: stuck"],
    })
  })
})
