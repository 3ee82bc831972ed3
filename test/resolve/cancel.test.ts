import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, turn } from "../support/deferred.ts"
import { is, stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { abortable, apply, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

describe("a resolve that races a cancel", () => {
  const cancels: Array<[string, (executor: ToolExecutor) => unknown]> = [
    ["the hard cancel", (executor) => executor.cancel({ reason: "stop" })],
    ["the soft cancel", (executor) => executor.cancelForeground({ reason: "stop" })],
    ["the cancel of its call", (executor) => executor.cancelCall("r", "stop")],
  ]

  it.each(cancels)("is cancelled by %s while it applies, and the action stays pending", async (_, cancel) => {
    const { handler, reasons } = abortable()
    const executor = executorOf({ edit: editTool({ apply: handler }).plan })
    const host = new ScriptedHost(executor)
    const actionId = await stage(executor)
    executor.enqueue([resolveCall()])
    await turn()
    cancel(executor)
    await host.run()
    expect(host.terminal("r")).toEqual({
      _tag: "Cancelled",
      ...stamp,
      agentId: "main",
      callId: "r",
      name: "resolve",
      content: "stop",
      by: "user",
      decidedBy: { kind: "user", reason: "stop" },
    })
    expect(reasons).toEqual([expect.objectContaining({ name: "AbortError", message: "stop" })])
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
  })

  it("leaves the action alone where it is cancelled in the queue", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    executor.cancel()
    await host.run()
    expect(host.tags("r")).toEqual(["Cancelled"])
    expect(labels(executor)).toEqual(["Change a.ts"])
    expect(log).toEqual(["preview a.ts"])
  })

  it("has applied where the cancel comes as the end is told: once, cleaned up, and not pending", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const events: Array<ToolEvent> = []
    const result = await executor.run(resolveCall(), (event) => {
      events.push(event)
      if (event._tag === "ActionResolved") executor.cancelCall("r")
    })
    expect(events.filter(is("ActionResolved"))).toMatchObject([{ outcome: "applied" }])
    expect(result.content).toContain("changed a.ts")
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("lets nobody apply what an abandoned handler streams or gives too late", async () => {
    const late = deferred<Step>()
    const { plan } = editTool({ apply: () => late.promise })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await turn()
    executor.cancel()
    late.resolve(Step.Output("too late"))
    await host.run()
    expect(host.terminal("r")).toMatchObject({ _tag: "Cancelled" })
    expect(host.tags()).not.toContain("ActionResolved")
    expect(labels(executor)).toEqual(["Change a.ts"])
  })

  it("cannot be tried again while an apply that cannot be interrupted goes on", async () => {
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
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await turn()
    executor.cancel()
    await advance("1 second")
    await host.run()
    expect(host.terminal("r")).toMatchObject({
      _tag: "Cancelled",
      cleanupErrors: ["resolve: did not stop within 1 second and was left behind"],
    })
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "error" })
    held.resolve()
    await turn()
    expect(labels(executor)).toEqual(["Change a.ts"])
    expect(log).toEqual(["preview a.ts", "apply a.ts"])
  })

  it("no cancel drops what is pending", async () => {
    const executor = executorOf({ edit: editTool().plan })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "edit" }])
    executor.cancel()
    executor.cancelForeground()
    executor.cancelCall("c")
    executor.cancelCall(executor.agent().pendingActions.peek()!.actionId)
    expect(labels(executor)).toEqual(["Change a.ts"])
    expect(await host.run()).toEqual([])
  })
})
