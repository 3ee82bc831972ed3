import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { turn } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"

describe("a requested call", () => {
  const requested = (call: Partial<ToolCallInput> = {}): ToolCallInput => ({
    callId: "c",
    name: "write",
    decision: "requested",
    ...call,
  })

  it("holds its lane, with no event and nothing run, until it is approved; then no gate asks", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan, tool: pipeline() })
    const host = new ScriptedHost(executor)
    executor.enqueue([requested(), { callId: "next", name: "tool" }])
    let told = false
    const first = executor.next().then((event) => {
      told = true
      return event
    })
    await turn()
    await turn()
    expect(told).toBe(false)
    expect(log).toEqual([])
    expect(executor.inspect().map((call) => call.callId)).toEqual(["c", "next"])
    expect(executor.approve("c", { reason: "go" })).toBe(true)
    expect(executor.approve("c")).toBe(false)
    expect(executor.deny("c")).toBe(false)
    expect(await first).toMatchObject({ _tag: "Started", callId: "c" })
    expect(trail(await host.run())).toEqual(["c Completed", "next Started", "next Completed"])
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("ends as Denied, with nothing run, when it is denied", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan, tool: pipeline() })
    executor.enqueue([requested(), { callId: "next", name: "tool" }])
    await turn()
    expect(executor.deny("c", "not now")).toBe(true)
    expect(executor.approve("c")).toBe(false)
    const events = await new ScriptedHost(executor).run()
    expect(trail(events)).toEqual(["c Denied", "next Started", "next Completed"])
    expect(events[0]).toMatchObject({ by: "user", content: "not now" })
    expect(log).toEqual([])
  })

  it("can be approved while it is queued", async () => {
    const { plan } = gatedTool()
    const executor = executorOf({ write: plan, ask: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "first", name: "ask" }, requested()])
    const gate = await host.until(is("AwaitingApproval", "first"))
    expect(executor.approve("c")).toBe(true)
    expect(executor.approve("c")).toBe(false)
    await turn()
    expect(host.tags("c")).toEqual([])
    gate.approve()
    await host.run()
    expect(host.tags("c")).toEqual(["Started", "Completed"])
  })

  it("can be denied while it is queued, before and after the enqueueing turn is over", async () => {
    for (const waits of [false, true]) {
      const { plan, log } = gatedTool()
      const executor = executorOf({ write: plan, tool: pipeline() })
      const host = new ScriptedHost(executor)
      executor.enqueue([{ callId: "first", name: "tool", decision: "requested" }, requested()])
      if (waits) await turn()
      expect(executor.deny("c", "no")).toBe(true)
      expect(executor.deny("c")).toBe(false)
      expect(executor.approve("first")).toBe(true)
      await host.run()
      expect(host.terminal("c")).toMatchObject({ _tag: "Denied", by: "user", content: "no" })
      expect(host.tags("c")).toEqual(["Denied"])
      expect(log).toEqual([])
    }
  })

  it("runs with the parameters that it was approved with", async () => {
    const executor = executorOf({
      write: (params) =>
        pipeline()
          .awaitApproval()
          .andThen(() => Step.Output(JSON.stringify(params))),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([requested({ params: { path: "a" } })])
    await turn()
    expect(executor.approve("c", { params: { path: "b" } })).toBe(true)
    expect(await host.run()).toMatchObject([
      { _tag: "Started", params: { path: "b" } },
      { _tag: "Completed", content: '{"path":"b"}', editedParams: { path: "b" } },
    ])
  })

  it("is held in the background too, and holds no lane there", async () => {
    const { plan } = gatedTool()
    const executor = executorOf({ write: plan, tool: pipeline() })
    const host = new ScriptedHost(executor)
    const events = host.run([requested({ background: true }), { callId: "next", name: "tool" }])
    await turn()
    expect(host.tags("next")).toEqual(["Started", "Completed"])
    expect(host.tags("c")).toEqual([])
    expect(executor.approve("c")).toBe(true)
    await events
    expect(host.tags("c")).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
  })

  it("can be cancelled, by the hard cancel or by its id, with its terminal event alone", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan })
    for (const cancel of [() => executor.cancel(), () => executor.cancelCall("c")]) {
      executor.enqueue([requested()])
      await turn()
      expect(cancel()).toBeTruthy()
      expect(executor.approve("c")).toBe(false)
      expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual(["Cancelled"])
    }
    expect(log).toEqual([])
  })
})
