// @module-tag node
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, never, turn, until } from "../support/deferred.ts"
import { is, trail } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"

const stuck = pipeline().andThen(() => never())

const readable = async (executor: ToolExecutor): Promise<Array<ToolEvent>> => {
  const events: Array<ToolEvent> = []
  for await (const event of executor.events) events.push(event)
  return events
}

describe("shutdown", () => {
  it("cancels everything: queued, running, waiting, held and in the background", async () => {
    const executor = executorOf(
      {
        stuck,
        gate: pipeline().awaitApproval(),
        asks: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })),
      },
      { backgroundConcurrency: 1 },
    )
    executor.enqueue([
      { agentId: "a", callId: "runs", name: "stuck" },
      { agentId: "a", callId: "queued", name: "stuck" },
      { agentId: "b", callId: "gate", name: "gate" },
      { agentId: "c", callId: "asks", name: "asks" },
      { agentId: "d", callId: "held", name: "stuck", decision: "requested" },
      { agentId: "e", callId: "bg", name: "stuck", background: true },
      { agentId: "e", callId: "pending", name: "stuck", background: true },
      { agentId: "e", callId: "bgGate", name: "gate", background: true },
    ])
    await until(() => executor.tasks.get("bg")?.status === "running")
    await executor.shutdown()
    expect(executor.inspect()).toEqual([])
    const events = await readable(executor)
    for (const id of ["runs", "queued", "gate", "asks", "held", "bgGate"]) {
      expect(events.filter(is("Cancelled", id))).toHaveLength(1)
      expect(trail(events.filter((event) => "callId" in event && event.callId === id)).at(-1)).toBe(
        `${id} Cancelled`,
      )
    }
    for (const id of ["bg", "pending"]) {
      expect(events.filter(is("BackgroundCompleted", id))).toMatchObject([{ status: "cancelled" }])
      expect(executor.tasks.take(id)).toMatchObject({ status: "cancelled" })
    }
    expect(trail(events)).not.toContain("queued Started")
  })

  it("runs all cleanup, and waits for it", async () => {
    const log: Array<string> = []
    const cleaned = deferred()
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push("finalized"))))
        .finally(async () => {
          await cleaned.promise
          log.push("cleaned")
          return Step.Continue
        }),
    })
    executor.enqueue([
      { agentId: "a", name: "tool" },
      { agentId: "b", name: "tool", background: true },
    ])
    await until(() => executor.tasks.list()[0]?.status === "running")
    const down = executor.shutdown().then(() => log.push("down"))
    await turn()
    expect(log).toEqual(["finalized", "finalized"])
    cleaned.resolve()
    await down
    expect(log).toEqual(["finalized", "finalized", "cleaned", "cleaned", "down"])
  })

  it("does first what was left for it last", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      leaves: pipeline().andThen(({ onShutdown }) => {
        for (const name of ["folder", "file"]) onShutdown(() => log.push(name))
        return Step.Continue
      }),
    })
    await executor.run({ name: "leaves" })
    await executor.shutdown()
    expect(log).toEqual(["file", "folder"])
  })

  it("does what handlers left for it once all calls have ended, and waits for that", async () => {
    const log: Array<string> = []
    const cleaned = deferred()
    const executor = executorOf({
      leaves: pipeline().andThen(({ onShutdown }) => {
        onShutdown(() => cleaned.promise.then(() => log.push("cleaned")))
        onShutdown(() => log.push("taken back"))()
        onShutdown(() => {
          log.push("failing")
          throw new Error("nobody's")
        })
        return Step.Continue
      }),
      stuck: stuck.finally(() => {
        log.push("finally")
        return Step.Continue
      }),
    })
    expect((await executor.run({ name: "leaves" })).status).toBe("complete")
    expect(log).toEqual([])
    executor.enqueue([{ name: "stuck" }])
    await turn()
    const down = executor.shutdown().then(() => log.push("down"))
    await until(() => log.includes("failing"))
    cleaned.resolve()
    await down
    expect(log).toEqual(["finally", "failing", "cleaned", "down"])
  })

  it("does at once what a handler that was left behind leaves for it", async () => {
    const log: Array<string> = []
    const late = deferred()
    const executor = executorOf({
      stuck: pipeline().andThen(async ({ onShutdown }) => {
        await late.promise
        onShutdown(() => log.push("cleaned"))
        return Step.Continue
      }),
    })
    executor.enqueue([{ name: "stuck" }])
    await turn()
    await executor.shutdown()
    late.resolve()
    await until(() => log.length > 0)
    expect(log).toEqual(["cleaned"])
  })

  it("does not wait for ever for what handlers left for it", async () => {
    const executor = executorOf(
      {
        leaves: pipeline().andThen(({ onShutdown }) => {
          onShutdown(() => never())
          return Step.Continue
        }),
      },
      { finallyTimeout: 20 },
    )
    await executor.run({ name: "leaves" })
    await executor.shutdown()
    expect(await executor.next()).toBeUndefined()
  })

  it("ends the events; what is undelivered stays readable", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delta("x")) })
    executor.enqueue([{ callId: "a", name: "tool" }])
    await until(() => executor.inspect().length === 0)
    await executor.shutdown()
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    expect(trail(await readable(executor))).toEqual(["a Delta", "a Completed"])
    expect(await executor.next()).toBeUndefined()
    expect(await readable(executor)).toEqual([])
  })

  it("sends home those who wait for an event", async () => {
    const executor = executorOf({})
    const iterator = executor.events
    const waiting = [iterator.next(), executor.events.next()]
    await turn()
    await executor.shutdown()
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
  })

  it("tells a reader that waits the terminal events first", async () => {
    const executor = executorOf({ stuck })
    executor.enqueue([{ callId: "a", name: "stuck" }])
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    const next = executor.next()
    await executor.shutdown()
    expect(await next).toMatchObject({ _tag: "Cancelled" })
    expect(await executor.next()).toBeUndefined()
  })

  it("fails effects that nobody read, also those of the cleanup itself", async () => {
    const executor = executorOf({
      tool: stuck.finally(() => Step.Delegate({ _tag: "IdeClosePreview" })),
    })
    executor.enqueue([{ callId: "a", name: "tool" }])
    await turn()
    await executor.shutdown()
    const events = await readable(executor)
    expect(events.map((event) => event._tag)).toEqual(["Started", "Delegate", "Cancelled"])
    expect(events.at(-1)).toMatchObject({ cleanupErrors: [expect.any(String)] })
    expect(events.find(is("Delegate"))?.succeed()).toBe(false)
  })

  it("fails the unread effect of a cleanup that had begun before", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Output("done"))
        .finally(() => Step.Delegate({ _tag: "IdeClosePreview" })),
    })
    executor.enqueue([{ callId: "a", name: "tool" }])
    await turn()
    expect(executor.inspect()).toMatchObject([{ state: "finishing" }])
    await executor.shutdown()
    expect((await readable(executor)).at(-1)).toMatchObject({
      _tag: "Completed",
      content: "done",
      cleanupErrors: [expect.any(String)],
    })
  })

  it("leaves the host that still reads the time to answer the effects of the cleanup", async () => {
    const executor = executorOf({
      tool: stuck.finally(() => Step.Delegate({ _tag: "IdeClosePreview" })),
    })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "a", name: "tool" }])
    await turn()
    await executor.shutdown()
    await done
    expect(host.tags()).toEqual(["Started", "Delegate", "Cancelled"])
    expect(host.terminal("a")).not.toHaveProperty("cleanupErrors")
  })

  it("settles `run` and `wait`", async () => {
    const executor = executorOf({ stuck })
    const result = executor.run({ name: "stuck" })
    executor.enqueue([{ agentId: "b", callId: "t", name: "stuck", background: true }])
    await until(() => executor.tasks.get("t")?.status === "running")
    const wait = executor.tasks.wait("t")
    await executor.shutdown()
    expect(await result).toMatchObject({ status: "cancelled" })
    expect(await wait).toMatchObject({ status: "cancelled" })
  })

  it("may be asked twice, and again when it is done", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      tool: stuck.finally(async () => {
        await turn()
        log.push("cleaned")
        return Step.Continue
      }),
    })
    executor.enqueue([{ name: "tool" }])
    await turn()
    await Promise.all([executor.shutdown(), executor.shutdown()])
    await executor.shutdown()
    expect(log).toEqual(["cleaned"])
  })

  it("lets nothing new in, and answers everything else calmly", async () => {
    const executor = executorOf({ stuck })
    executor.enqueue([{ callId: "a", name: "stuck" }])
    const down = executor.shutdown()
    expect(() => executor.enqueue([{ name: "stuck" }])).toThrow("shut down")
    await down
    expect(() => executor.enqueue([{ name: "stuck" }])).toThrow("shut down")
    executor.cancel()
    executor.cancelForeground()
    expect(executor.cancelCall("a")).toBe(false)
    expect(executor.approve("a")).toBe(false)
    expect(executor.deny("a")).toBe(false)
    expect(executor.respond("a", {})).toBe(false)
    expect(executor.toBackground("a")).toBe(false)
    expect(executor.inspect()).toEqual([])
    expect(executor.tasks.list()).toEqual([])
  })

  it("is quick for an executor that has nothing to do", async () => {
    const executor = executorOf({ tool: pipeline() })
    await executor.shutdown()
    expect(await executor.next()).toBeUndefined()
  })

  it("comes with `await using`", async () => {
    const log: Array<string> = []
    {
      await using executor = executorOf({
        tool: stuck.finally(() => {
          log.push("cleaned")
          return Step.Continue
        }),
      })
      executor.enqueue([{ name: "tool" }])
      await turn()
    }
    expect(log).toEqual(["cleaned"])
  })

  it("does not wait for promise handlers that ignore their signal", async () => {
    const executor = executorOf({ stuck })
    executor.enqueue([{ name: "stuck" }])
    await turn()
    await executor.shutdown()
    expect(executor.inspect()).toEqual([])
  })

  it("may be asked by a handler", async () => {
    const downs: Array<Promise<void>> = []
    const executor: ToolExecutor = executorOf({
      tool: pipeline().andThen(() => {
        downs.push(executor.shutdown())
        return Step.Output("late")
      }),
    })
    executor.enqueue([{ callId: "a", name: "tool" }])
    await until(() => downs.length > 0)
    await downs[0]
    expect(trail(await readable(executor))).toEqual(["a Started", "a Cancelled"])
  })
})
