import { describe, expect, it } from "vitest"
import {
  pipeline,
  Step,
  type ToolCallInput,
  type ToolEvent,
  ToolExecutor,
  type ToolPipeline,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { busyExecutor, gate, stuck } from "../../support/busy-executor.ts"
import { never, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf, registryOf } from "../../support/executor-of.ts"

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
        {
          _tag: "Cancelled",
          content: `${reason ?? "Cancelled"}\nNothing was changed: the call was waiting for approval.`,
        },
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

describe("a call that is cancelled before what its gate shows was done", () => {
  const preview = "+ a line"
  const shown = pipeline().andThen(() => Step.Output(preview))
  const unchanged = "Nothing was changed: the call was waiting for approval."
  const hang = () => never<Step>()
  const ask = () => Step.Delegate({ _tag: "Show" })

  const begin = async (
    plan: ToolPipeline,
    until: (event: ToolEvent) => boolean,
    call: Partial<ToolCallInput> = {},
  ) => {
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    executor.enqueue([{ callId: "c", name: "tool", ...call }])
    await host.until(until)
    return { executor, host }
  }

  const content = (host: ScriptedHost) => host.terminal("c")?.content

  it.each<[string, ToolPipeline, string]>([
    ["at a gate", shown.awaitApproval(), unchanged],
    [
      "at a gate of a handler's own",
      pipeline().andThen(async function* () {
        yield Step.Output(preview)
        yield Step.AwaitApproval()
      }),
      unchanged,
    ],
    ["at a gate that shows nothing", pipeline().awaitApproval(), unchanged],
    [
      "at a second gate",
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Output(preview))
        .awaitApproval(),
      "The call was waiting for another approval, and nothing that needs it was done.",
    ],
  ])("%s tells the model the reason, and what was not done", async (_where, plan, sentence) => {
    const { executor, host } = await begin(plan, is("AwaitingApproval"))
    if (plan.steps[0]?.kind === "approval" && plan.length > 1) {
      executor.approve("c")
      await host.until(is("AwaitingApproval"))
    }
    executor.cancelCall("c", "the user typed on")
    await host.run()
    expect(content(host)).toBe(`the user typed on\n${sentence}`)
  })

  it.each<[string, ToolPipeline]>([
    ["before a gate", shown.andThen(ask).awaitApproval()],
    ["before the model's gate", shown.andThen(ask).awaitResolve({ label: "x" })],
    ["behind a gate", shown.awaitApproval().andThen(ask)],
  ])("%s does not tell the preview", async (_where, plan) => {
    const { executor, host } = await begin(plan, is("Delegate"), { decision: "approve" })
    executor.cancelCall("c")
    await host.run()
    expect(content(host)).toBe("Cancelled")
  })

  it("tells what was streamed behind the gate, and what was put out there", async () => {
    const streams = shown.awaitApproval().andThen(async function* () {
      yield Step.Delta("half")
      yield hang()
    })
    for (const [plan, said] of [
      [streams, "half"],
      [
        shown
          .awaitApproval()
          .andThen(() => Step.Output("done"))
          .andThen(ask),
        "done",
      ],
    ] as const) {
      const { executor, host } = await begin(plan, (event) => is("Delta")(event) || is("Delegate")(event), {
        decision: "approve",
      })
      executor.cancelCall("c")
      await host.run()
      expect(content(host)).toBe(`Cancelled\n${said}`)
    }
  })

  it("does so as a task that was moved to the background, and with all others", async () => {
    const { executor, host } = await begin(shown.awaitApproval(), is("AwaitingApproval"))
    executor.toBackground("c")
    executor.enqueue([{ callId: "d", name: "tool" }])
    await host.until(is("AwaitingApproval", "d"))
    executor.tasks.cancel("c")
    await host.until(is("BackgroundCompleted"))
    expect(executor.tasks.take("c")?.content).toBe(`Cancelled\n${unchanged}`)
    executor.cancel({ reason: "enough" })
    await host.run()
    expect(host.terminal("d")?.content).toBe(`enough\n${unchanged}`)
  })

  it.each<[string, ToolPipeline]>([
    ["before a gate", shown.andThen(ask).awaitApproval()],
    ["behind a gate", shown.awaitApproval().andThen(ask)],
  ])("%s does so where it goes on from a snapshot", async (_where, plan) => {
    const { executor } = await begin(plan, is("Delegate"), { decision: "approve" })
    const restored = new ToolExecutor(registryOf({ tool: plan }))
    restored.restore(executor.snapshot("c"))
    const host = new ScriptedHost(restored, { effect: () => "ignore" })
    await host.until(is("Delegate"))
    restored.cancelCall("c")
    await host.run()
    expect(content(host)).toBe("Cancelled")
  })

  it("does so where what it waits for runs out of time", async () => {
    const plan = shown.andThen(() => Step.Delegate({ _tag: "Show" }, { timeout: 1 })).awaitApproval()
    const { host } = await begin(plan, is("Delegate"))
    await host.run()
    expect(content(host)).toBe("The host did not answer Show within 1 ms")
  })

  it("does so where it applies an action, which is pending again", async () => {
    const plan = shown.awaitResolve({ label: "x" }).awaitApproval()
    const { executor } = await begin(plan, is("Completed"))
    const onEvent = (event: ToolEvent) => is("AwaitingApproval")(event) && executor.cancelCall(event.callId)
    const done = executor.agent().resolve({ action: "apply", reason: "so" }, { onEvent })
    expect(await done).toMatchObject({ status: "cancelled", content: `Cancelled\n${unchanged}` })
    expect(executor.agent().pendingActions.hasPending).toBe(true)
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
      gate: "Stopped by the user\nNothing was changed: the call was waiting for approval.",
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
