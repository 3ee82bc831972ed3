import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type HandlerContext, pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { never, turn } from "../support/deferred.ts"
import { is, stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { apply, discard, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

const closings = (log: ReadonlyArray<string>) => log.filter((entry) => entry.startsWith("close"))

describe("the finally handlers of a pipeline that staged an action", () => {
  it("wait: not after the preview, not after a failed apply", async () => {
    let fails = true
    const { plan, log } = editTool({ apply: () => (fails ? Step.Error("no room") : Step.Output("done")) })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    expect(closings(log)).toEqual([])
    await executor.agent().resolve(apply)
    expect(closings(log)).toEqual([])
    fails = false
    await executor.agent().resolve(apply)
    expect(closings(log)).toEqual(["close a.ts"])
  })

  it.each([apply, discard])("run once when it is resolved: $action", async (request) => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    await executor.agent().resolve(request)
    await executor.agent().resolve(request)
    await executor.shutdown()
    expect(closings(log)).toEqual(["close a.ts"])
  })

  it("run once when it is dropped by clear, each action's own, and nothing else of it", async () => {
    const { plan, log } = editTool({ onDiscard: () => Step.Output("never") })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    const ids = [await stage(executor, "a.ts"), await stage(executor, "b.ts")]
    executor.agent().pendingActions.clear()
    executor.agent().pendingActions.clear()
    await host.run()
    await executor.shutdown()
    expect(log).toEqual(["preview a.ts", "preview b.ts", "close a.ts", "close b.ts"])
    expect(host.events).toEqual(
      ids.map((actionId, index) => ({
        _tag: "ActionResolved",
        ...stamp,
        agentId: "main",
        actionId,
        label: `Change ${index === 0 ? "a" : "b"}.ts`,
        sourceToolName: "edit",
        outcome: "dropped",
      })),
    )
  })

  it("that fail when it is dropped are told with its end, and the later ones run", async () => {
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .finally(function close() {
        throw new Error("no editor")
      })
      .finally(() => Step.Delegate({ _tag: "IdeClosePreview" }))
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.agent().pendingActions.clear()
    await host.run()
    expect(host.events).toMatchObject([
      { _tag: "Delegate", effect: { _tag: "IdeClosePreview" } },
      { _tag: "ActionResolved", outcome: "dropped", cleanupErrors: ["close: no editor"] },
    ])
  })

  it("run once when it is dropped by a shutdown, for every agent, before the shutdown is over", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor, "a.ts", "one")
    await stage(executor, "b.ts", "two")
    await executor.shutdown()
    expect(closings(log)).toEqual(["close a.ts", "close b.ts"])
    const events = await new ScriptedHost(executor).run()
    expect(events.filter(is("ActionResolved")).map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
      ["one", "dropped"],
      ["two", "dropped"],
    ])
    expect(labels(executor, "one")).toEqual([])
  })

  it("run before the end of the action and of the resolve call is told, as its cleanup", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .finally(() => Step.Delegate({ _tag: "IdeClosePreview" }))
      .finally(() => {
        throw new Error("no editor")
      })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor, { onEvent: (event) => log.push(event._tag) })
    await stage(executor)
    await host.run([resolveCall()])
    expect(log).toEqual(["Started", "Delegate", "ActionResolved", "Completed"])
    expect(host.events.find(is("Delegate"))).toMatchObject({ callId: "r" })
    expect(host.terminal("r")).toMatchObject({ cleanupErrors: ["anonymous: no editor"] })
  })

  it("see the call that staged it, under the id of the one that resolves it", async () => {
    const seen: Array<HandlerContext["call"]> = []
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .finally(({ call }) => {
        seen.push(call)
        return Step.Continue
      })
    const executor = executorOf({ edit: plan })
    await stage(executor, "a.ts")
    await executor.run(resolveCall())
    const dropped = await stage(executor, "b.ts")
    executor.agent().pendingActions.clear()
    await turn()
    expect(seen).toEqual([
      expect.objectContaining({ callId: "r", name: "edit", params: { path: "a.ts" } }),
      expect.objectContaining({ callId: dropped, name: "edit", params: { path: "b.ts" } }),
    ])
  })

  it("of a dropped action may ask the host, and `next` waits for them", async () => {
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .finally(() => Step.Delegate({ _tag: "IdeClosePreview" }))
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    const actionId = await stage(executor)
    executor.agent().pendingActions.clear()
    const events = await host.run()
    expect(events.map((event) => event._tag)).toEqual(["Delegate", "ActionResolved"])
    expect(events[0]).toMatchObject({ callId: actionId })
  })

  it("of a dropped action are bounded in time", async () => {
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .finally(() => never())
    const { executor, advance } = await virtualTime({ edit: plan }, { finallyTimeout: "1 second" })
    await stage(executor)
    executor.agent().pendingActions.clear()
    await advance("1 second")
    expect(await executor.next()).toMatchObject({ _tag: "ActionResolved", outcome: "dropped" })
  })

  it("run after a cancel that comes as the end of the action is told", async () => {
    for (const step of [
      () => Step.Continue,
      async () => Step.Continue,
      () => Effect.succeed(Step.Continue),
    ]) {
      const { plan, log } = editTool({ apply: step })
      const executor = executorOf({ edit: plan })
      await stage(executor)
      await executor.run(resolveCall(), (event) => {
        if (event._tag === "ActionResolved") executor.cancelCall("r")
      })
      await executor.shutdown()
      expect(closings(log)).toEqual(["close a.ts"])
    }
  })
})
