import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"

const bg = (name: string, call: Partial<ToolCallInput> = {}): ToolCallInput => ({
  callId: "c",
  name,
  background: true,
  ...call,
})

describe("toBackground", () => {
  it("makes a running call a task at once, and its lane moves on", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan, quick: pipeline() })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "quick" },
    ])
    await until(() => running.length > 0)
    expect(executor.toBackground("a")).toBe(true)
    expect(executor.toBackground("a")).toBe(false)
    expect(executor.tasks.get("a")).toMatchObject({ status: "running" })
    await host.until(is("Completed", "b"))
    release("a")
    await host.run()
    expect(trail(host.events)).toEqual([
      "a Started",
      "a BackgroundStarted",
      "b Started",
      "b Completed",
      "a BackgroundCompleted",
    ])
    expect(executor.tasks.take("a")).toMatchObject({ status: "complete", content: "a" })
  })

  it("works at a gate: it is announced at once, and its later decision goes on in the background", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const executor = executorOf({ tool: plan, quick: pipeline() })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "quick" },
    ])
    const gate = await host.until(is("AwaitingApproval"))
    expect(executor.toBackground("a")).toBe(true)
    expect(executor.tasks.get("a")).toMatchObject({ status: "waiting" })
    await host.until(is("Completed", "b"))
    expect(gate.approve()).toBe(true)
    await host.run()
    expect(host.tags("a")).toEqual([
      "Started",
      "AwaitingApproval",
      "BackgroundStarted",
      "BackgroundCompleted",
    ])
    expect(executor.tasks.take("a")).toMatchObject({ content: "done" })
  })

  it("works while the host is asked", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "a", name: "tool" }])
    const asked = await host.until(is("Delegate"))
    expect(executor.toBackground("a")).toBe(true)
    expect(asked.succeed("the answer")).toBe(true)
    await host.run()
    expect(executor.tasks.take("a")).toMatchObject({ content: "the answer" })
  })

  it("shows background handlers and the cancels that it is one of them", async () => {
    const executor = executorOf({ stuck: pipeline().andThen(() => never()) })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "a", name: "stuck" }])
    await host.until(is("Started"))
    executor.toBackground("a")
    executor.cancel()
    executor.cancelForeground()
    await turn()
    expect(executor.inspect()).toMatchObject([{ callId: "a", background: true, state: "running" }])
    expect(executor.tasks.cancel("a")).toBe(true)
    await host.run()
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "cancelled" })
  })

  it("may be asked by whoever is told that the call has started, or is asked something", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
      .andThen(async () => Step.Output("done"))
    for (const at of ["Started", "AwaitingApproval", "Delegate"]) {
      const executor = executorOf({ tool: plan })
      const told: Array<string> = []
      const result = await executor.run({ callId: "c", name: "tool" }, (event) => {
        told.push(event._tag)
        if (event._tag === at) expect(executor.toBackground("c")).toBe(true)
        if (event._tag === "AwaitingApproval") event.approve()
        if (event._tag === "Delegate") event.succeed()
      })
      expect(result.content).toBe("Running in background (task_id: c)")
      expect(await executor.tasks.wait("c")).toMatchObject({ status: "complete", content: "done" })
      expect(told.filter((tag) => tag === "BackgroundStarted")).toHaveLength(1)
      expect(told.at(-1)).toBe("BackgroundCompleted")
    }
  })

  it("is false for a call that is queued, held, ending, ended, unknown, or in the background already", async () => {
    const closing = deferred()
    const closed = deferred()
    const executor = executorOf({
      closes: pipeline().finally(async () => {
        closing.resolve()
        await closed.promise
        return Step.Continue
      }),
      stuck: pipeline().andThen(() => never()),
    })
    executor.enqueue([
      { agentId: "a", callId: "ending", name: "closes" },
      { agentId: "a", callId: "queued", name: "stuck" },
      { agentId: "b", callId: "held", name: "stuck", decision: "requested" },
      { agentId: "c", callId: "background", name: "stuck", background: true },
      { agentId: "d", callId: "denied", name: "stuck", decision: "deny" },
    ])
    await closing.promise
    for (const id of ["ending", "queued", "held", "background", "denied", "nobody"]) {
      expect([id, executor.toBackground(id)]).toEqual([id, false])
    }
    closed.resolve()
  })

  it("is false for a tool that must stay in the foreground", async () => {
    const executor = executorOf({
      stuck: toolOf(
        "stuck",
        pipeline().andThen(() => never()),
        { background: false },
      ),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "a", name: "stuck" }])
    await host.until(is("Started"))
    expect(executor.toBackground("a")).toBe(false)
  })

  it("takes no place in the pool from those that run, but queues for one once it has waited", async () => {
    const { plan, hold, running, release } = heldTool()
    const asks = pipeline()
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
      .andThen(hold)
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("tool", { callId: "bg" }), { callId: "asks", name: "asks" }])
    const asked = await host.until(is("Delegate"))
    await until(() => running.length > 0)
    executor.toBackground("asks")
    asked.succeed()
    await turn()
    expect(executor.tasks.get("asks")).toMatchObject({ status: "pending" })
    release("bg")
    await until(() => running.includes("asks"))
    release("asks")
    await host.run()
  })
})
