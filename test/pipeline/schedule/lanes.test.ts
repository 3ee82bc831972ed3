import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"

const calls = (ids: ReadonlyArray<string>, call: Omit<ToolCallInput, "callId">): Array<ToolCallInput> =>
  ids.map((callId) => ({ ...call, callId }))

describe("a lane", () => {
  it("runs an agent's calls in their order, one at a time, each to its end before the next starts", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    const done = host.run(calls(["a", "b", "c"], { name: "tool" }))
    for (const id of ["a", "b", "c"]) {
      await until(() => running.length > 0)
      await turn()
      expect(running).toEqual([id])
      release(id)
    }
    expect(trail(await done)).toEqual([
      "a Started",
      "a Completed",
      "b Started",
      "b Completed",
      "c Started",
      "c Completed",
    ])
  })

  it("keeps the order across calls of enqueue, and of every kind of handler", async () => {
    const executor = executorOf({
      sync: pipeline().andThen(() => Step.Continue),
      promise: pipeline().andThen(async () => Step.Continue),
      effect: pipeline().andThen(() => Effect.as(Effect.yieldNow, Step.Continue)),
      stream: pipeline().andThen(async function* () {
        yield Step.Delta("x")
      }),
    })
    const names = ["promise", "sync", "stream", "effect", "sync", "promise", "effect", "sync"]
    const ids = names.flatMap((name) => executor.enqueue([{ name }]))
    const events = await new ScriptedHost(executor).run()
    expect(trail(events.filter((event) => event._tag !== "Delta"))).toEqual(
      ids.flatMap((id) => [`${id} Started`, `${id} Completed`]),
    )
  })

  it("waits for a call at a gate", async () => {
    const executor = executorOf({ ask: pipeline().awaitApproval(), tool: pipeline() })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "ask" },
      { callId: "b", name: "tool" },
    ])
    const gate = await host.until(is("AwaitingApproval"))
    await turn()
    expect(executor.inspect()).toMatchObject([
      { callId: "a", state: "waiting" },
      { callId: "b", state: "queued" },
    ])
    gate.approve()
    await host.run()
    expect(trail(host.events).slice(-3)).toEqual(["a Completed", "b Started", "b Completed"])
  })

  it("waits for a call whose effect the host has not answered", async () => {
    const executor = executorOf({
      ask: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })),
      tool: pipeline(),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "ask" },
      { callId: "b", name: "tool" },
    ])
    const asked = await host.until(is("Delegate"))
    await turn()
    expect(host.tags("b")).toEqual([])
    expect(executor.inspect().find((call) => call.callId === "b")?.state).toBe("queued")
    asked.succeed()
    await host.run()
    expect(trail(host.events).slice(-3)).toEqual(["a Completed", "b Started", "b Completed"])
  })

  it("waits for cleanup, and for the terminal event", async () => {
    const log: Array<string> = []
    const cleaned = deferred()
    const executor = executorOf({
      a: pipeline()
        .andThen(() => Step.Error("no"))
        .finally(async () => {
          await cleaned.promise
          log.push("a cleaned")
          return Step.Continue
        }),
      b: pipeline().andThen(() => {
        log.push("b ran")
        return Step.Continue
      }),
    })
    const host = new ScriptedHost(executor, {
      onEvent: (event) => log.push(...trail([event])),
    })
    const done = host.run([
      { callId: "a", name: "a" },
      { callId: "b", name: "b" },
    ])
    await turn()
    expect(log).not.toContain("b ran")
    cleaned.resolve()
    await done
    expect(log.indexOf("a cleaned")).toBeLessThan(log.indexOf("b ran"))
    expect(trail(host.events)).toEqual(["a Started", "a Error", "b Started", "b Completed"])
  })

  it.each<[string, ToolCallInput]>([
    ["fails", { name: "fails" }],
    ["is unknown", { name: "nope" }],
    ["is denied", { name: "tool", decision: "deny" }],
    ["cannot run in the background", { name: "front", background: true }],
    ["is refused by compose", { name: "refuses" }],
  ])("moves on after a call that %s", async (_, call) => {
    const executor = executorOf({
      fails: pipeline().andThen(() => Step.Error("no")),
      front: toolOf("front", pipeline(), { background: false }),
      refuses: () => {
        throw new Error("no")
      },
      tool: pipeline(),
    })
    const host = new ScriptedHost(executor)
    await host.run([call, { callId: "next", name: "tool" }])
    expect(host.tags("next")).toEqual(["Started", "Completed"])
  })

  it("hands out no turn inside the host's own call", async () => {
    const started: Array<string> = []
    const note = pipeline().andThen(({ call }) => {
      started.push(call.callId)
      return Step.Continue
    })
    const executor = executorOf({ ask: pipeline().awaitApproval(), tool: note })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "ask" },
      { callId: "b", name: "tool" },
    ])
    const gate = await host.until(is("AwaitingApproval"))
    gate.deny()
    expect(executor.cancel()).toBe(1)
    await host.run()
    expect(started).toEqual([])
    expect([host.terminal("a")?._tag, host.terminal("b")?._tag]).toEqual(["Denied", "Cancelled"])
    executor.enqueue([
      { callId: "c", name: "tool" },
      { callId: "d", name: "tool" },
    ])
    executor.cancelCall("c")
    executor.cancelCall("d")
    await host.run()
    expect(started).toEqual([])
    expect([host.terminal("c")?._tag, host.terminal("d")?._tag]).toEqual(["Cancelled", "Cancelled"])
  })

  it("starts again after it was idle", async () => {
    const host = new ScriptedHost(executorOf({ tool: pipeline() }))
    for (const callId of ["a", "b", "c"]) await host.run([{ callId, name: "tool" }])
    expect(trail(host.events)).toEqual([
      "a Started",
      "a Completed",
      "b Started",
      "b Completed",
      "c Started",
      "c Completed",
    ])
  })

  it("takes calls that the host enqueues while it reads events", async () => {
    const executor: ToolExecutor = executorOf({ tool: pipeline() })
    const host = new ScriptedHost(executor, {
      onEvent: (event) => {
        if (is("Completed", "a")(event)) executor.enqueue([{ callId: "b", name: "tool" }])
      },
    })
    await host.run([{ callId: "a", name: "tool" }])
    expect(host.tags("b")).toEqual(["Started", "Completed"])
  })
})

describe("agents", () => {
  it("do not wait for each other", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    const done = host.run([
      ...calls(["a1", "a2"], { name: "tool", agentId: "a" }),
      ...calls(["b1", "b2"], { name: "tool", agentId: "b" }),
    ])
    await until(() => running.length === 2)
    expect(running).toEqual(["a1", "b1"])
    release("b1")
    await until(() => running.includes("b2"))
    expect(running).toEqual(["a1", "b2"])
    release("a1")
    await until(() => running.includes("a2"))
    release("a2")
    release("b2")
    await done
    expect(host.events.every((event) => "callId" in event && event.callId.startsWith(event.agentId))).toBe(
      true,
    )
  })

  it("let a handler run another tool under another agent's id and wait for it", async () => {
    const executor: ToolExecutor = executorOf({
      outer: pipeline().andThen(async ({ call }) => {
        const result = await executor.run({ name: "inner", agentId: `${call.agentId}/inner` })
        return Step.Output(`inner said ${result.content}`)
      }),
      inner: pipeline().andThen(() => Step.Output("hello")),
    })
    const events = await new ScriptedHost(executor).run([{ name: "outer" }])
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "inner said hello" })
  })
})

describe("background calls", () => {
  it("do not wait for the lane, and the lane does not wait for them", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    const done = host.run([
      { callId: "bg1", name: "tool", background: true },
      { callId: "fg1", name: "tool" },
      { callId: "bg2", name: "tool", background: true },
      { callId: "fg2", name: "tool" },
    ])
    await until(() => running.length === 3)
    expect([...running].sort()).toEqual(["bg1", "bg2", "fg1"])
    release("fg1")
    await until(() => running.includes("fg2"))
    for (const id of ["fg2", "bg2", "bg1"]) release(id)
    await done
  })
})
