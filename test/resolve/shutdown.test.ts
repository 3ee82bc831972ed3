import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, turn } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { abortable, apply, editTool, resolveCall, stage } from "./edit-tool.ts"

describe("a resolve that races a shutdown", () => {
  it("is cancelled while it applies, and the action is dropped and cleaned up once", async () => {
    const { handler } = abortable()
    const { plan, log } = editTool({ apply: handler })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await turn()
    await executor.shutdown()
    await host.run()
    expect(host.terminal("r")).toMatchObject({ _tag: "Cancelled" })
    expect(host.events.filter(is("ActionResolved"))).toMatchObject([{ outcome: "dropped" }])
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("applies or drops what is resolved in the same turn, and never both", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const host = new ScriptedHost(executor)
    executor.enqueue([resolveCall()])
    await executor.shutdown()
    await host.run()
    expect(host.events.filter(is("ActionResolved"))).toMatchObject([{ outcome: "dropped" }])
    expect(log).toEqual(["preview a.ts", "close a.ts"])
  })

  it("drops what could not be stopped as soon as it is over", async () => {
    const held = deferred()
    const { plan, log } = editTool({
      apply: () =>
        Effect.uninterruptible(
          Effect.as(
            Effect.promise(() => held.promise),
            Step.Continue,
          ),
        ),
    })
    const { executor, advance } = await virtualTime({ edit: plan }, { finallyTimeout: "1 second" })
    await stage(executor)
    executor.enqueue([resolveCall()])
    await turn()
    const down = executor.shutdown()
    await advance("1 second")
    await down
    held.resolve()
    await turn()
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("is cancelled after it", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    await executor.shutdown()
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "cancelled" })
    expect(executor.agent().pendingActions.hasPending).toBe(false)
  })
})
