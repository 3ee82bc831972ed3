import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, never, turn, until } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"
import { virtualTime } from "../support/virtual-time.ts"

const bg = (callId: string, name = "tool", agentId = "main"): ToolCallInput => ({
  agentId,
  callId,
  name,
  background: true,
})

const echo = pipeline().andThen(({ call }) => Step.Output(`output of ${call.callId}`))

describe("a task", () => {
  it("is the background call by its id: what it is, and how it ended", async () => {
    const executor = executorOf({ tool: echo })
    await new ScriptedHost(executor).run([{ ...bg("t1", "tool", "a"), params: { n: 1 } }])
    const task = {
      id: "t1",
      agentId: "a",
      name: "tool",
      params: { n: 1 },
      status: "complete",
      content: "output of t1",
      output: { content: [{ type: "text", text: "output of t1" }] },
      createdAt: expect.any(Number),
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
    }
    expect(executor.tasks.get("t1")).toEqual(task)
    expect(executor.tasks.list()).toEqual([task])
    expect(JSON.parse(JSON.stringify(executor.tasks.get("t1")))).toEqual(task)
  })

  it("tells why it ended, as a call in the foreground does", async () => {
    const cause = new Error("disk full")
    const executor = executorOf({
      fails: pipeline().andThen(() => Step.Error("no", { cause, reason: "timeout" })),
      asks: pipeline().awaitApproval({ label: "1" }).awaitApproval({ label: "2" }),
    })
    const host = new ScriptedHost(executor, {
      gate: ({ label }) => (label === "1" ? { params: { edited: true } } : { deny: "not so" }),
    })
    await host.run([bg("f", "fails"), bg("d", "asks")])
    expect(executor.tasks.get("f")).toMatchObject({
      status: "error",
      reason: "timeout",
      cause,
      content: "no",
    })
    expect(executor.tasks.get("d")).toMatchObject({ status: "denied", by: "user", content: "not so" })
    const ends = host.events.filter(is("BackgroundCompleted"))
    expect(ends.find(({ callId }) => callId === "f")).toMatchObject({ reason: "timeout", cause })
    expect(ends.find(({ callId }) => callId === "d")).toMatchObject({ status: "denied", by: "user" })
  })

  it("keeps the parameters that the host edited", async () => {
    const executor = executorOf({ asks: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor, { gate: { params: { edited: true } } })
    await host.run([bg("e", "asks")])
    expect(executor.tasks.get("e")).toMatchObject({ status: "complete", editedParams: { edited: true } })
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", editedParams: { edited: true } })
  })

  it("knows when it was enqueued, started and ended, also where it was moved to the background", async () => {
    const { executor, advance } = await virtualTime({
      held: pipeline().andThen(() => Effect.as(Effect.sleep("2 seconds"), Step.Continue)),
    })
    const host = new ScriptedHost(executor)
    const done = host.run([
      { callId: "first", name: "held" },
      { callId: "moved", name: "held" },
    ])
    await advance("2 seconds")
    expect(executor.toBackground("moved")).toBe(true)
    const running = executor.tasks.get("moved")!
    expect(running.startedAt! - running.createdAt).toBe(2000)
    expect(running.endedAt).toBeUndefined()
    await advance("2 seconds")
    await done
    const { createdAt, startedAt, endedAt } = executor.tasks.get("moved")!
    expect([startedAt! - createdAt, endedAt! - createdAt]).toEqual([2000, 4000])
  })

  it("is none before it is announced, and for foreground calls", async () => {
    const executor = executorOf({ tool: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("t1")])
    const gate = await host.until(is("AwaitingApproval"))
    expect(executor.tasks.get("t1")).toBeUndefined()
    expect(executor.tasks.list()).toEqual([])
    gate.approve()
    await host.run([{ callId: "f", name: "tool" }])
    expect(executor.tasks.get("f")).toBeUndefined()
    expect(executor.tasks.get("t1")).toBeDefined()
  })

  it("goes through pending, running and waiting to its end", async () => {
    const { plan, hold, running, release } = heldTool()
    const asks = pipeline()
      .andThen(hold)
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
    const executor = executorOf({ tool: plan, asks }, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("first"), bg("t", "asks")])
    await host.until(is("BackgroundStarted", "t"))
    const statuses = [executor.tasks.get("t")?.status]
    await until(() => running.includes("first"))
    release("first")
    await until(() => running.includes("t"))
    statuses.push(executor.tasks.get("t")?.status)
    release("t")
    const asked = await host.until(is("Delegate"))
    statuses.push(executor.tasks.get("t")?.status)
    asked.fail("no")
    await host.run()
    statuses.push(executor.tasks.get("t")?.status)
    expect(statuses).toEqual(["pending", "running", "waiting", "error"])
  })

  it("shows the output so far while it runs: what was streamed, then what was put out", async () => {
    const first = deferred()
    const second = deferred()
    const executor = executorOf({
      tool: pipeline()
        .andThen(async ({ delta }) => {
          await delta("line 1\n")
          await delta("line 2\n")
          await first.promise
          return Step.Output("whole")
        })
        .andThen(async () => {
          await second.promise
          return Step.Continue
        }),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("t")])
    await host.until((event) => event._tag === "Delta" && event.content === "line 2\n")
    expect(executor.tasks.get("t")).toMatchObject({ status: "running", content: "line 1\nline 2\n" })
    first.resolve()
    await until(() => executor.tasks.get("t")?.content === "whole")
    expect(executor.tasks.take("t")).toBeUndefined()
    second.resolve()
    await host.run()
  })

  it("lists by agent where one is named", async () => {
    const executor = executorOf({ tool: echo })
    await new ScriptedHost(executor).run([bg("a1", "tool", "a"), bg("b1", "tool", "b")])
    expect(executor.tasks.list("b").map((task) => task.id)).toEqual(["b1"])
    expect(executor.tasks.list("c")).toEqual([])
    expect(executor.tasks.list()).toHaveLength(2)
  })
})

describe("take", () => {
  it("gives a finished task once and forgets it", async () => {
    const executor = executorOf({ tool: echo })
    await new ScriptedHost(executor).run([bg("t")])
    expect(executor.tasks.take("t")).toMatchObject({ status: "complete" })
    expect(executor.tasks.take("t")).toBeUndefined()
    expect(executor.tasks.get("t")).toBeUndefined()
    expect(executor.tasks.list()).toEqual([])
  })

  it("gives nothing of a task that runs or is unknown, and leaves it", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const done = new ScriptedHost(executor).run([bg("t")])
    await until(() => running.length > 0)
    expect(executor.tasks.take("t")).toBeUndefined()
    expect(executor.tasks.take("nobody")).toBeUndefined()
    expect(executor.tasks.get("t")).toMatchObject({ status: "running" })
    release("t")
    await done
    expect(executor.tasks.take("t")).toMatchObject({ status: "complete" })
  })
})

describe("wait", () => {
  it("resolves once the task has ended, for all who wait, without taking it", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    let told = 0
    const waits = [executor.tasks.wait("t"), executor.tasks.wait("t")]
    for (const wait of waits) void wait.then(() => told++)
    await turn()
    expect(told).toBe(0)
    release("t")
    expect(await Promise.all(waits)).toMatchObject([{ status: "complete" }, { status: "complete" }])
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete", content: "t" })
    expect(executor.tasks.take("t")).toBeDefined()
  })

  it("may begin as soon as the call is enqueued, also where a gate lies ahead", async () => {
    const executor = executorOf({
      tool: echo,
      gated: pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("ok")),
    })
    const [plain, gated] = executor.enqueue([bg("t"), bg("g", "gated")])
    const waits = [plain, gated].map((id) => executor.tasks.wait(id!))
    await new ScriptedHost(executor).run()
    expect(await Promise.all(waits)).toMatchObject([
      { id: "t", status: "complete", content: "output of t" },
      { id: "g", status: "complete", content: "ok" },
    ])
  })

  it("resolves with nothing for a call that ended before it became a task", async () => {
    const executor = executorOf({ gated: pipeline().awaitApproval() })
    executor.enqueue([bg("denied", "gated"), bg("unknown", "nowhere")])
    const waits = ["denied", "unknown"].map((id) => executor.tasks.wait(id))
    await new ScriptedHost(executor, { gate: "deny" }).run()
    expect(await Promise.all(waits)).toEqual([undefined, undefined])
  })

  it("is not answered by a call that was refused for having the same id", async () => {
    const { plan, release, running } = heldTool()
    const executor = executorOf({ tool: plan })
    executor.enqueue([bg("t")])
    const waiting = executor.tasks.wait("t")
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    release("t")
    expect(await waiting).toMatchObject({ status: "complete" })
  })

  it("resolves with nothing for an unknown task", async () => {
    expect(await executorOf({}).tasks.wait("nobody")).toBeUndefined()
  })

  it("resolves when the task is cancelled, and at shutdown", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => never()) })
    executor.enqueue([bg("a"), bg("b")])
    const host = new ScriptedHost(executor)
    await host.until(is("BackgroundStarted", "b"))
    const waits = [executor.tasks.wait("a"), executor.tasks.wait("b")]
    executor.tasks.cancel("a")
    expect(await waits[0]).toMatchObject({ status: "cancelled" })
    await executor.shutdown()
    expect(await waits[1]).toMatchObject({ status: "cancelled" })
  })

  it("is all that a host needs: nobody has to read the events", async () => {
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          for (let i = 0; i < 100; i++) await delta(`${i}\n`)
          return Step.Output("done")
        }),
      },
      { eventBuffer: 4 },
    )
    executor.enqueue([bg("t")])
    await until(() => executor.tasks.get("t") !== undefined)
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete", content: "done" })
  })
})

describe("cancel", () => {
  it("ends a running task and keeps what it streamed; it is false for any other", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(async ({ delta }) => {
        await delta("so far\n")
        return never<Step>()
      }),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("t")])
    await host.until(is("Delta"))
    expect(executor.tasks.cancel("t")).toBe(true)
    await host.run()
    expect(executor.tasks.cancel("t")).toBe(false)
    expect(executor.tasks.cancel("nobody")).toBe(false)
    expect(executor.tasks.get("t")).toMatchObject({ status: "cancelled", content: "Cancelled\nso far\n" })
  })
})

it("cancel ends a call that was only enqueued, before anything of it runs", async () => {
  const { plan, running } = heldTool()
  const executor = executorOf({ tool: plan })
  const [id] = executor.enqueue([bg("t")])
  expect(executor.tasks.cancel(id!, "no more")).toBe(true)
  const events = await new ScriptedHost(executor).run()
  expect(events).toMatchObject([{ _tag: "Cancelled", callId: "t", content: "no more" }])
  expect(running).toEqual([])
  executor.enqueue([{ callId: "f", name: "tool" }])
  expect(executor.tasks.cancel("f")).toBe(false)
  await executor.shutdown()
})

describe("kept results are bounded", () => {
  it("by maxTasks: the oldest finished go first", async () => {
    const { plan, release, running } = heldTool()
    const executor = executorOf({ tool: plan }, { maxTasks: 2 })
    const host = new ScriptedHost(executor)
    const done = host.run([bg("a"), bg("b"), bg("c")])
    for (const id of ["c", "a", "b"]) {
      await until(() => running.includes(id))
      release(id)
      await until(() => !running.includes(id))
      await turn()
    }
    await done
    expect(executor.tasks.list().map((task) => task.id)).toEqual(["a", "b"])
    expect(executor.tasks.get("c")).toBeUndefined()
  })

  it("by maxTasks, which running ones do not count for", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan, echo }, { maxTasks: 1 })
    const host = new ScriptedHost(executor)
    const done = host.run([bg("r1"), bg("r2"), bg("done", "echo")])
    await until(() => running.length === 2 && executor.tasks.get("done")?.status === "complete")
    expect(executor.tasks.list()).toHaveLength(3)
    release("r1")
    release("r2")
    await done
    expect(executor.tasks.list()).toHaveLength(1)
  })

  it("by taskTtl", async () => {
    const { executor, advance } = await virtualTime({ tool: echo }, { taskTtl: "1 minute" })
    const host = new ScriptedHost(executor)
    await host.run([bg("a")])
    await advance("40 seconds")
    await host.run([bg("b")])
    await advance("19 seconds")
    expect(executor.tasks.list().map((task) => task.id)).toEqual(["a", "b"])
    await advance("1 seconds")
    expect(executor.tasks.list().map((task) => task.id)).toEqual(["b"])
    expect(executor.tasks.get("a")).toBeUndefined()
    expect(executor.tasks.take("a")).toBeUndefined()
    await advance("40 seconds")
    expect(executor.tasks.take("b")).toBeUndefined()
  })

  it("by taskTtl of an hour unless told otherwise, and an id that was dropped is free", async () => {
    const { executor, advance } = await virtualTime({ tool: echo })
    const host = new ScriptedHost(executor)
    await host.run([bg("a")])
    await advance("59 minutes")
    expect(executor.tasks.get("a")).toBeDefined()
    await advance("1 minute")
    expect(executor.tasks.get("a")).toBeUndefined()
    await host.run([{ callId: "a", name: "tool" }])
    expect(host.events.at(-1)?._tag).toBe("Completed")
  })
})
