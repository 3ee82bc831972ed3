import { describe, expect, it } from "vitest"
import { Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, turn } from "../support/deferred.ts"
import { is, stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

describe("the pending actions of an agent", () => {
  it("are a stack: listed from the oldest, resolved from the latest", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    for (const path of ["a.ts", "b.ts", "c.ts"]) await stage(executor, path)
    expect(labels(executor)).toEqual(["Change a.ts", "Change b.ts", "Change c.ts"])
    expect(executor.agent().pendingActions.peek()).toMatchObject({ label: "Change c.ts" })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "changed c.ts" })
    expect(await executor.agent().resolve(discard)).toMatchObject({
      content: "Discarded: Change b.ts. Reason: not needed",
    })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "changed a.ts" })
    expect(executor.agent().pendingActions.peek()).toBeUndefined()
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(log.filter((entry) => entry.startsWith("apply"))).toEqual(["apply c.ts", "apply a.ts"])
  })

  it("are resolved by their id only as the latest: what a person saw, and nothing that came after it", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const first = await stage(executor, "a.ts")
    const second = await stage(executor, "b.ts")
    for (const [request, content] of [
      [apply, `The preview ${first} is not the latest that waits. Nothing was applied or discarded.`],
      [discard, `The preview ${first} is not the latest that waits. Nothing was applied or discarded.`],
    ] as const) {
      const refused = await executor.agent().resolve({ ...request, actionId: first })
      expect(refused).toMatchObject({ status: "error", content })
    }
    expect(labels(executor)).toEqual(["Change a.ts", "Change b.ts"])
    expect(log.filter((entry) => entry.startsWith("apply"))).toEqual([])
    expect(await executor.agent().resolve({ ...apply, actionId: second })).toMatchObject({
      content: "changed b.ts",
    })
    expect(await executor.agent().resolve({ ...apply, actionId: second })).toMatchObject({ status: "error" })
    expect(await executor.agent().resolve({ ...apply, actionId: first })).toMatchObject({
      content: "changed a.ts",
    })
  })

  it("have ids of their own", async () => {
    const executor = executorOf({ edit: editTool().plan })
    const ids = [await stage(executor), await stage(executor), await stage(executor, "a.ts", "other")]
    expect(new Set(ids).size).toBe(3)
  })

  it("are no other agent's", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor, "a.ts", "one")
    await stage(executor, "b.ts", "two")
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "error" })
    expect(await executor.agent("one").resolve(apply)).toMatchObject({ content: "changed a.ts" })
    expect(labels(executor, "one")).toEqual([])
    expect(labels(executor, "two")).toEqual(["Change b.ts"])
    executor.agent("one").pendingActions.clear()
    expect(labels(executor, "two")).toEqual(["Change b.ts"])
  })

  it("come back to their place when they could not be applied", async () => {
    const held = deferred()
    const { plan } = editTool({
      apply: async ({ call }) => {
        if ((call.params as { path?: string }).path !== "b.ts") return Step.Continue
        await held.promise
        return Step.Error("no room")
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor, "a.ts")
    const id = await stage(executor, "b.ts")
    const resolving = executor.agent().resolve(apply)
    await turn()
    expect(labels(executor)).toEqual(["Change a.ts"])
    await stage(executor, "c.ts")
    held.resolve()
    await resolving
    expect(labels(executor)).toEqual(["Change a.ts", "Change b.ts", "Change c.ts"])
    expect(executor.agent().pendingActions.list()[1]).toMatchObject({ actionId: id })
  })
})

describe("one claim", () => {
  it("two resolves in one batch apply one action once", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall(apply, { callId: "1" }), resolveCall(apply, { callId: "2" })])
    expect(host.terminal("1")).toMatchObject({ _tag: "Completed", content: "changed a.ts" })
    expect(host.terminal("2")).toMatchObject({
      _tag: "Error",
      content: "No pending action to resolve. Nothing to apply or discard.",
    })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("a preview and its resolve may stand in one batch", async () => {
    const { plan, log } = editTool()
    const host = new ScriptedHost(executorOf({ edit: plan }))
    await host.run([{ name: "edit" }, resolveCall()])
    expect(host.terminal("r")).toMatchObject({ content: "changed a.ts" })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("two concurrent resolves apply one action once", async () => {
    const held = deferred()
    const { plan, log } = editTool({
      apply: async () => {
        await held.promise
        return Step.Output("done")
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const both = [executor.agent().resolve(apply), executor.agent().resolve(discard)]
    await turn()
    held.resolve()
    const results = await Promise.all(both)
    expect(results.map((result) => result.status)).toEqual(["complete", "error"])
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("two concurrent resolves of two actions take the latest first", async () => {
    const held = deferred()
    const { plan, log } = editTool({
      apply: async () => {
        await held.promise
        return Step.Output("done")
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor, "a.ts")
    await stage(executor, "b.ts")
    const both = [executor.agent().resolve(apply), executor.agent().resolve(apply)]
    await turn()
    expect(log.slice(2)).toEqual(["apply b.ts", "apply a.ts"])
    expect(labels(executor)).toEqual([])
    held.resolve()
    expect((await Promise.all(both)).map((result) => result.status)).toEqual(["complete", "complete"])
  })

  it("what is being applied is not pending: it is not listed, not cleared and not asked for", async () => {
    const held = deferred()
    const { plan, log } = editTool({
      apply: async () => {
        await held.promise
        return Step.Output("done")
      },
    })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    const resolving = executor.agent().resolve(apply)
    await turn()
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(executor.agent().toolChoice()).toBeUndefined()
    expect(
      executor
        .agent()
        .definitions()
        .map((tool) => tool.name),
    ).toEqual(["edit"])
    executor.agent().pendingActions.clear()
    executor.agent("main").enqueueTurn([{ callId: "next", name: "edit", params: { path: "b.ts" } }])
    expect(await host.until(is("Completed", "next"))).toMatchObject({ staged: { label: "Change b.ts" } })
    held.resolve()
    expect(await resolving).toMatchObject({ status: "complete", content: "done" })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "preview b.ts", "close a.ts"])
  })

  it("an agent that has an action in work resolves the one below", async () => {
    const held = deferred()
    const { plan } = editTool({
      apply: async ({ call }) => {
        if (call.callId === "slow") await held.promise
        return Step.Output(`by ${call.callId}`)
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor, "a.ts")
    await stage(executor, "b.ts")
    const host = new ScriptedHost(executor)
    executor.enqueue([resolveCall(apply, { callId: "slow" })])
    await turn()
    expect(await executor.agent().resolve(discard)).toMatchObject({
      content: "Discarded: Change a.ts. Reason: not needed",
    })
    held.resolve()
    await host.run()
    expect(host.terminal("slow")).toMatchObject({ content: "by slow" })
  })
})

describe("nothing pending", () => {
  it.each([apply, discard])("is the error of the specification: $action", async (request) => {
    const host = new ScriptedHost(executorOf({}))
    await host.run([resolveCall(request)])
    expect(host.terminal("r")).toEqual({
      _tag: "Error",
      ...stamp,
      agentId: "main",
      callId: "r",
      name: "resolve",
      content: "No pending action to resolve. Nothing to apply or discard.",
      reason: "failed",
    })
  })
})
