import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"

const bg = (name: string, call: Partial<ToolCallInput> = {}): ToolCallInput => ({
  callId: "c",
  name,
  background: true,
  ...call,
})

describe("backgroundConcurrency", () => {
  const ids = ["a", "b", "c", "d", "e"]

  it("bounds those that run; the others are announced at once and start in order as places come free", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan }, { backgroundConcurrency: 2 })
    const host = new ScriptedHost(executor)
    const done = host.run(ids.map((callId) => bg("tool", { callId })))
    await until(() => running.length === 2)
    await turn()
    expect(running).toEqual(["a", "b"])
    expect(host.tags().filter((tag) => tag === "BackgroundStarted")).toHaveLength(5)
    expect(executor.tasks.list().map((task) => task.status)).toEqual([
      "running",
      "running",
      "pending",
      "pending",
      "pending",
    ])
    for (const [ended, next] of [
      ["b", "c"],
      ["a", "d"],
      ["c", "e"],
    ] as const) {
      release(ended)
      await until(() => running.includes(next))
      await turn()
      expect(running).toHaveLength(2)
    }
    release("d")
    release("e")
    await done
    expect(executor.tasks.list().map((task) => task.id)).toEqual(["b", "a", "c", "d", "e"])
  })

  it("starts those of a higher priority first, and those of one priority in order", async () => {
    const { plan, running, release } = heldTool()
    const gated = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("passed"))
    const executor = executorOf({ tool: plan, gated }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor, { gate: "ignore" })
    executor.enqueue([bg("gated", { callId: "restored", priority: 9 })])
    await host.until(is("AwaitingApproval"))
    const snapshot = executor.snapshot("restored")
    executor.cancelCall("restored")
    executor.tasks.take("restored")
    const done = host.run([
      bg("tool", { callId: "holds" }),
      bg("tool", { callId: "low", priority: -1 }),
      bg("tool", { callId: "a" }),
      bg("tool", { callId: "high", priority: 2.5 }),
      bg("tool", { callId: "left", priority: 7 }),
      bg("tool", { callId: "b", priority: 0 }),
    ])
    await until(() => running.length === 1)
    expect(executor.cancelCall("left")).toBe(true)
    const order = [...running]
    executor.restore(snapshot)
    await host.until(is("AwaitingApproval", "restored"))
    executor.approve("restored")
    await until(() => executor.tasks.get("restored")?.status === "pending")
    for (const next of ["high", "a", "b", "low"]) {
      release(order.at(-1)!)
      await until(() => running.includes(next))
      expect(executor.tasks.get("restored")?.status).toBe("complete")
      order.push(next)
    }
    release("low")
    await done
  })

  it("does not count those that wait for the host, and has them queue again for a place", async () => {
    const { plan, hold, running, release } = heldTool()
    const asks = pipeline()
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
      .andThen(hold)
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("asks", { callId: "asks" }), bg("tool", { callId: "other" })])
    const asked = await host.until(is("Delegate"))
    await until(() => running.length > 0)
    expect(running).toEqual(["other"])
    asked.succeed()
    await turn()
    await turn()
    expect(running).toEqual(["other"])
    expect(executor.tasks.get("asks")).toMatchObject({ status: "pending" })
    release("other")
    await until(() => running.includes("asks"))
    release("asks")
    await host.run()
    expect(host.tags("asks")).toEqual(["Started", "BackgroundStarted", "Delegate", "BackgroundCompleted"])
  })

  it("goes on behind a handler that ended without the answer it had asked for, while its call waited for a place", async () => {
    const { plan, running, release } = heldTool()
    const end = deferred<void>()
    const asks = pipeline()
      .andThen(async function* ({ delegate }) {
        yield Step.Output("its own")
        void delegate({ _tag: "Ask" })
        await end.promise
      })
      .andThen(({ output }) => Step.Output(`${output?.content.length} part`))
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("asks", { callId: "asks" }), bg("tool", { callId: "other" })])
    const asked = await host.until(is("Delegate"))
    await until(() => running.includes("other"))
    asked.succeed("unread")
    await turn()
    end.resolve()
    await turn()
    await turn()
    release("other")
    await host.run()
    expect(executor.tasks.get("asks")).toMatchObject({ status: "complete", content: "1 part" })
  })

  it("gives a generator that went on meanwhile the answer that came while its call waited for a place", async () => {
    const { plan, running, release } = heldTool()
    const end = deferred<void>()
    const asks = pipeline().andThen(async function* ({ delegate }) {
      const answer = delegate({ _tag: "Ask" })
      await end.promise
      yield Step.Continue
      yield Step.Output((await answer) ?? "none")
    })
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("asks", { callId: "asks" }), bg("tool", { callId: "other" })])
    const asked = await host.until(is("Delegate"))
    await until(() => running.includes("other"))
    expect(asked.succeed("answer")).toBe(true)
    end.resolve()
    await turn()
    release("other")
    await host.run()
    expect(executor.tasks.get("asks")).toMatchObject({ status: "complete", content: "answer" })
  })

  it("has one that comes back from the host queue behind those that wait already", async () => {
    const { plan, hold, running, release } = heldTool()
    const asks = pipeline()
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
      .andThen(hold)
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("asks", { callId: "asks" })])
    await host.until(is("Delegate"))
    await executor.run(bg("tool", { callId: "first" }), (event) => {
      // The place is free at this very moment, and "second" has waited for it.
      if (event._tag === "BackgroundCompleted") executor.respond("asks", {})
    })
    executor.enqueue([bg("tool", { callId: "second" })])
    await until(() => executor.tasks.get("second")?.status === "pending")
    await turn()
    release("first")
    await until(() => running.some((id) => id !== "first"))
    expect(running).toEqual(["second"])
    release("second")
    await until(() => running.includes("asks"))
    release("asks")
    await host.run()
  })

  it("does not count those at a gate", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf(
      { tool: plan, gate: pipeline().awaitApproval() },
      { backgroundConcurrency: 1 },
    )
    const host = new ScriptedHost(executor, { gate: "ignore" })
    const done = host.run([
      bg("gate", { callId: "g1" }),
      bg("gate", { callId: "g2" }),
      bg("tool", { callId: "a" }),
    ])
    await until(() => running.length > 0)
    expect(executor.inspect().map((call) => call.waitingFor)).toEqual(["approval", "approval", undefined])
    release("a")
    await until(() => executor.inspect().length === 2)
    executor.approve("g1")
    executor.deny("g2")
    await done
    expect(host.tags("g1").at(-1)).toBe("BackgroundCompleted")
  })

  it("does not count a generator that waits for the host between its steps", async () => {
    const { plan, running, release } = heldTool()
    const asks = pipeline().andThen(async function* () {
      yield Step.Delegate({ _tag: "Ask" })
      yield Step.Output("done")
    })
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("asks", { callId: "asks" }), bg("tool", { callId: "other" })])
    const asked = await host.until(is("Delegate"))
    await until(() => running.length > 0)
    asked.succeed()
    await turn()
    expect(executor.tasks.get("asks")).toMatchObject({ status: "pending" })
    release("other")
    await host.run()
    expect(executor.tasks.get("asks")).toMatchObject({ status: "complete", content: "done" })
  })

  it("gives the place of a cancelled task to the next", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf(
      { tool: plan, stuck: pipeline().andThen(() => never()) },
      { backgroundConcurrency: 1 },
    )
    executor.enqueue([
      bg("stuck", { callId: "stuck" }),
      bg("tool", { callId: "waits" }),
      bg("tool", { callId: "next" }),
    ])
    const host = new ScriptedHost(executor)
    const done = host.run()
    await until(() => executor.tasks.get("stuck")?.status === "running")
    expect(executor.cancelCall("waits")).toBe(true)
    expect(executor.cancelCall("stuck")).toBe(true)
    await until(() => running.length > 0)
    expect(running).toEqual(["next"])
    release("next")
    await done
    expect(host.tags("waits")).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
  })

  it("does not hold foreground calls back", async () => {
    const executor = executorOf(
      { stuck: pipeline().andThen(() => never()), tool: pipeline() },
      { backgroundConcurrency: 1 },
    )
    executor.enqueue([
      bg("stuck", { callId: "a" }),
      bg("stuck", { callId: "b" }),
      { callId: "f", name: "tool" },
    ])
    await new ScriptedHost(executor).until(is("Completed", "f"))
  })

  it("lets a call go on that took its place again at a gate that rules let through", async () => {
    const goesOn = deferred<Step>()
    const plan = pipeline()
      .andThen(({ delegate }) => {
        // Asked, and not waited for.
        void delegate({ _tag: "Ask" })
        return goesOn.promise
      })
      .awaitApproval()
      .andThen(() => Step.Output("behind the gate"))
    const executor = executorOf(
      { tool: plan },
      { backgroundConcurrency: 1, filters: { evaluate: () => "approve" } },
    )
    executor.enqueue([bg("tool")])
    const host = new ScriptedHost(executor)
    const asked = await host.until(is("Delegate"))
    goesOn.resolve(Step.Continue)
    expect(asked.succeed()).toBe(true)
    await host.until(is("BackgroundCompleted"))
    expect(executor.tasks.take("c")).toMatchObject({ status: "complete", content: "behind the gate" })
  })
})
