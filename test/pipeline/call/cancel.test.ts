import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { busyExecutor, gate, stuck } from "../../support/busy-executor.ts"
import { never, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("the hard cancel", () => {
  it("ends all foreground calls, queued, running and waiting, each with one Cancelled event", async () => {
    const { executor, host } = await busyExecutor()
    executor.cancel()
    const told = [...host.events]
    for (let i = 0; i < 6; i++) await host.until(() => true)
    const events = host.events.slice(told.length)
    expect(trail(events).sort()).toEqual([
      "a2 Cancelled",
      "asks Cancelled",
      "b2 Cancelled",
      "c2 Cancelled",
      "gate Cancelled",
      "runs Cancelled",
    ])
    expect(host.tags("a2")).toEqual(["Cancelled"])
  })

  it("lets background calls go on, also one at a gate", async () => {
    const { executor } = await busyExecutor()
    executor.cancel()
    await turn()
    expect(executor.inspect().map((call) => [call.callId, call.state])).toEqual([
      ["bg", "running"],
      ["bgGate", "waiting"],
    ])
    expect(executor.approve("bgGate")).toBe(true)
  })

  it("can be of one agent alone", async () => {
    const { executor, host } = await busyExecutor()
    executor.cancel({ agentId: "a" })
    await host.until(is("Cancelled", "runs"))
    await turn()
    expect(executor.inspect().map((call) => call.callId)).toEqual([
      "gate",
      "asks",
      "b2",
      "c2",
      "bg",
      "bgGate",
    ])
  })

  it("tells the model its reason, `Cancelled` by default", async () => {
    for (const reason of [undefined, "the user pressed Ctrl-C"]) {
      const executor = executorOf({ gate })
      executor.enqueue([{ name: "gate" }, { name: "gate" }])
      await new ScriptedHost(executor).until(is("AwaitingApproval"))
      executor.cancel(reason === undefined ? undefined : { reason })
      expect(await new ScriptedHost(executor).run()).toMatchObject([
        { _tag: "Cancelled", content: reason ?? "Cancelled" },
        { _tag: "Cancelled", content: reason ?? "Cancelled" },
      ])
    }
  })

  it("swallows no event, and leaves the executor as good as new", async () => {
    const executor = executorOf({ gate, tool: pipeline() })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "a", name: "gate" }])
    await host.until(is("AwaitingApproval"))
    const next = executor.next()
    executor.cancel()
    expect(await next).toMatchObject({ _tag: "Cancelled", callId: "a" })
    expect(await executor.next()).toBeUndefined()
    executor.enqueue([{ callId: "b", name: "tool" }])
    expect(await executor.next()).toMatchObject({ _tag: "Started", callId: "b" })
    expect(await executor.next()).toMatchObject({ _tag: "Completed", callId: "b" })
    expect(await executor.next()).toBeUndefined()
  })

  it("does nothing to an idle executor, nor to calls that come after it", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.cancel()
    executor.enqueue([{ name: "tool" }])
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual([
      "Started",
      "Completed",
    ])
  })

  it("ends calls that were enqueued in the same turn, with nothing run", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      tool: () => {
        log.push("composed")
        return pipeline()
      },
    })
    executor.enqueue([{ name: "tool" }, { name: "tool", agentId: "b" }])
    executor.cancel()
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual([
      "Cancelled",
      "Cancelled",
    ])
    expect(log).toEqual([])
  })

  it("makes the answers of what it ended count no more", async () => {
    const { executor, host } = await busyExecutor()
    executor.cancel()
    const asked = host.events.find(is("AwaitingApproval", "gate"))!
    const effect = host.events.find(is("Delegate", "asks"))!
    expect([asked.approve(), asked.deny(), effect.succeed("x"), effect.fail("x")]).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect([executor.approve("gate"), executor.deny("gate"), executor.respond("asks", {})]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe("the soft cancel", () => {
  it("ends the handlers that run now; gates, the queue and the background go on", async () => {
    const { executor, host } = await busyExecutor()
    executor.cancelForeground()
    await host.until(is("Completed", "a2"))
    expect(host.terminal("runs")).toMatchObject({ _tag: "Cancelled" })
    expect(host.tags("a2")).toEqual(["Started", "Completed"])
    await turn()
    expect(executor.inspect().map((call) => [call.callId, call.state])).toEqual([
      ["gate", "waiting"],
      ["b2", "queued"],
      ["bg", "running"],
      ["bgGate", "waiting"],
    ])
    expect(executor.approve("gate")).toBe(true)
    await host.until(is("Completed", "b2"))
  })

  it("leaves a gate to its decision", async () => {
    const executor = executorOf({ gate })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "a", name: "gate" }])
    const asked = await host.until(is("AwaitingApproval"))
    executor.cancelForeground()
    await turn()
    expect(executor.inspect()).toMatchObject([{ callId: "a", state: "waiting" }])
    expect(asked.approve()).toBe(true)
    expect((await host.run()).map((event) => event._tag)).toEqual(["Completed"])
  })

  it("leaves a requested call held", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.enqueue([{ callId: "a", name: "tool", decision: "requested" }])
    await turn()
    executor.cancelForeground()
    expect(executor.approve("a")).toBe(true)
    expect((await new ScriptedHost(executor).run()).at(-1)?._tag).toBe("Completed")
  })

  it("can be of one agent alone, and tells the reason", async () => {
    const executor = executorOf({ stuck })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { agentId: "a", callId: "a", name: "stuck" },
      { agentId: "b", callId: "b", name: "stuck" },
    ])
    await host.until(is("Started", "b"))
    executor.cancelForeground({ agentId: "b", reason: "enough" })
    expect(await host.until(is("Cancelled"))).toMatchObject({ callId: "b", content: "enough" })
    await turn()
    expect(executor.inspect().map((call) => call.callId)).toEqual(["a"])
  })
})

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
})

describe("a cancelled call", () => {
  it("keeps what was produced: the reason, then the output so far", async () => {
    const executor = executorOf({
      output: pipeline()
        .andThen(() => Step.Output("half of it"))
        .andThen(() => never()),
      streamed: pipeline().andThen(async ({ delta }) => {
        await delta("line 1\n")
        await delta("line 2\n")
        return never<Step>()
      }),
      gate: pipeline()
        .andThen(() => Step.Output("a preview"))
        .awaitApproval(),
      nothing: stuck,
    })
    const contents: Record<string, string> = {}
    for (const name of ["output", "streamed", "gate", "nothing"]) {
      const host = new ScriptedHost(executor, { gate: "ignore" })
      const done = host.run([{ callId: "c", name }])
      await until(() => host.events.length > 0)
      await turn()
      executor.cancel({ reason: "Stopped by the user" })
      await done
      contents[name] = host.terminal("c")!.content
    }
    expect(contents).toEqual({
      output: "Stopped by the user\nhalf of it",
      streamed: "Stopped by the user\nline 1\nline 2\n",
      gate: "Stopped by the user\na preview",
      nothing: "Stopped by the user",
    })
  })

  it("keeps the end of what it streamed, with a note, where it streamed more than a result may hold", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(({ delta }) => {
        for (let i = 0; i < 20_000; i++) void delta(`line ${i} äöü\n`)
        return never<Step>()
      }),
    })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await turn()
    executor.cancelCall("c")
    const end = (await new ScriptedHost(executor).run()).at(-1)
    const content = end?._tag === "Cancelled" ? end.content : ""
    expect(Buffer.byteLength(content)).toBeLessThan(51_000)
    expect(content).toContain("truncated")
    expect(content).not.toContain("\uFFFD")
    expect(content.endsWith("line 19999 äöü\n")).toBe(true)
  })
})
