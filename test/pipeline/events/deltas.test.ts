import { describe, expect, it } from "vitest"
import { type HandlerContext, pipeline, Step, type ToolEvent } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { is, stamp } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { numbers, streaming, textOfDeltas } from "../../support/streaming-tool.ts"

describe("a delta", () => {
  it("is told while its handler runs", async () => {
    const told = deferred()
    const executor = executorOf({
      tool: pipeline().andThen(async ({ delta }) => {
        await delta("half")
        await told.promise
        return Step.Output("done")
      }),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }])
    expect(await host.until(is("Delta"))).toMatchObject({ content: "half" })
    told.resolve()
    await host.run()
    expect(host.tags()).toEqual(["Started", "Delta", "Completed"])
  })

  it("names its agent and call, and carries structured progress where there is some", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(async ({ delta }) => {
        await delta("50 %", { done: 1, of: 2 })
        await delta("100 %")
        return Step.Continue
      }),
    })
    const host = new ScriptedHost(executor)
    await host.run([{ agentId: "a", callId: "c", name: "tool" }])
    expect(host.events.filter(is("Delta"))).toEqual([
      { _tag: "Delta", ...stamp, agentId: "a", callId: "c", content: "50 %", partial: { done: 1, of: 2 } },
      { _tag: "Delta", ...stamp, agentId: "a", callId: "c", content: "100 %" },
    ])
  })

  it("comes in order with the deltas of steps", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("1"))
        .andThen(async function* ({ delta }) {
          await delta("2")
          yield Step.Delta("3")
          await delta("4")
        })
        .andThen(() => Step.Delta("5")),
    })
    const events = await new ScriptedHost(executor).run([{ name: "tool" }])
    expect(textOfDeltas(events)).toBe("12345")
  })
})

describe("a handler that awaits its deltas", () => {
  it("waits when `eventBuffer` of them are undelivered, and goes on as they are read", async () => {
    const { plan, progress } = streaming(20)
    const executor = executorOf({ tool: plan }, { eventBuffer: 4 })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }])
    await turn()
    await turn()
    expect(progress.sent).toBe(4)
    await host.until(is("Delta"))
    await turn()
    expect(progress.sent).toBeGreaterThan(4)
    expect(progress.sent).toBeLessThan(8)
    await host.run()
    expect(progress.sent).toBe(20)
    expect(textOfDeltas(host.events)).toBe(numbers(20))
  })

  it("has each of them told as it was, with its structured progress, however slow the reader", async () => {
    const plan = (name: string) =>
      pipeline().andThen(async ({ delta }: HandlerContext) => {
        for (let i = 0; i < 20; i++) await delta(`${name}${i};`, i)
        return Step.Continue
      })
    const executor = executorOf({ a: plan("a"), b: plan("b") }, { eventBuffer: 2 })
    executor.enqueue([
      { agentId: "a", callId: "a", name: "a" },
      { agentId: "b", callId: "b", name: "b" },
    ])
    const events: Array<ToolEvent> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      events.push(event)
      await turn()
    }
    for (const id of ["a", "b"]) {
      const deltas = events.filter(is("Delta")).filter(({ callId }) => callId === id)
      expect(deltas.map(({ content, partial }) => [content, partial])).toEqual(
        Array.from({ length: 20 }, (_, i) => [`${id}${i};`, i]),
      )
    }
  })

  it("waits when `eventBufferBytes` of them are undelivered, however few they are", async () => {
    const text = "\u00e9".repeat(1000)
    let sent = 0
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          for (; sent < 20; sent++) await delta(text)
          return Step.Continue
        }),
      },
      { eventBufferBytes: 10_000 },
    )
    executor.enqueue([{ name: "tool" }])
    await turn()
    await turn()
    // The fifth reaches the bound; the sixth waits.
    expect(sent).toBe(5)
    expect(textOfDeltas(await new ScriptedHost(executor).run())).toBe(text.repeat(20))
  })

  it("counts structured progress among the bytes", async () => {
    let sent = 0
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          for (; sent < 20; sent++) await delta("", { text: "x".repeat(1000) })
          return Step.Continue
        }),
      },
      { eventBufferBytes: 10_000 },
    )
    executor.enqueue([{ name: "tool" }])
    await turn()
    await turn()
    expect(sent).toBe(10)
    expect((await new ScriptedHost(executor).run()).filter(is("Delta"))).toHaveLength(20)
  })

  it("goes on with all that wait once those bytes are read", async () => {
    const agents = ["a", "b", "c"]
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          for (let i = 0; i < 5; i++) await delta("x".repeat(3000))
          return Step.Continue
        }),
      },
      { eventBufferBytes: 4000 },
    )
    const host = new ScriptedHost(executor)
    await host.run(agents.map((agentId) => ({ agentId, callId: agentId, name: "tool" })))
    for (const agent of agents) expect(textOfDeltas(host.events, agent)).toBe("x".repeat(15_000))
  })

  it("waits at 1024 unless told otherwise", async () => {
    const { plan, progress } = streaming(5000)
    const executor = executorOf({ tool: plan })
    executor.enqueue([{ name: "tool" }])
    await until(() => progress.sent >= 1024)
    for (let i = 0; i < 20; i++) await turn()
    expect(progress.sent).toBe(1024)
    expect(textOfDeltas(await new ScriptedHost(executor).run())).toBe(numbers(5000))
  })

  it("is not held up by the events of others, only by deltas", async () => {
    const { plan, progress } = streaming(3)
    const executor = executorOf({ tool: plan, quick: pipeline() }, { eventBuffer: 3 })
    executor.enqueue([
      ...Array.from({ length: 20 }, () => ({ agentId: "b", name: "quick" })),
      { name: "tool" },
    ])
    await until(() => executor.inspect().length === 0)
    expect(progress.sent).toBe(3)
  })

  it("waits the same way where it is a generator that yields deltas", async () => {
    let yielded = 0
    const executor = executorOf(
      {
        tool: pipeline().andThen(async function* () {
          for (; yielded < 20; yielded++) yield Step.Delta(`${yielded};`)
        }),
      },
      { eventBuffer: 4 },
    )
    executor.enqueue([{ name: "tool" }])
    for (let i = 0; i < 5; i++) await turn()
    expect(yielded).toBeLessThan(6)
    expect(textOfDeltas(await new ScriptedHost(executor).run())).toBe(numbers(20))
  })

  it("waits the same way where it gives a Delta step", async () => {
    let plan = pipeline()
    let ran = 0
    for (let i = 0; i < 10; i++) {
      plan = plan.andThen(() => {
        ran += 1
        return Step.Delta(`${i};`)
      })
    }
    const executor = executorOf({ tool: plan }, { eventBuffer: 3 })
    executor.enqueue([{ name: "tool" }])
    await turn()
    expect(ran).toBeLessThan(5)
    expect(textOfDeltas(await new ScriptedHost(executor).run())).toBe(numbers(10))
  })

  it("goes on with others that wait: no call is forgotten once the reader keeps up", async () => {
    const agents = ["a", "b", "c", "d"]
    const plans = agents.map(() => streaming(6))
    const executor = executorOf(Object.fromEntries(agents.map((agent, i) => [agent, plans[i]!.plan])), {
      eventBuffer: 1,
    })
    executor.enqueue(agents.map((agentId) => ({ agentId, callId: agentId, name: agentId })))
    await turn()
    const host = new ScriptedHost(executor)
    const done = host.run()
    for (let i = 0; i < 200; i++) await turn()
    expect(plans.map(({ progress }) => progress.sent)).toEqual([6, 6, 6, 6])
    await done
    for (const agent of agents) expect(textOfDeltas(host.events, agent)).toBe(numbers(6))
  })

  it("is not held up by a call that was cancelled while it waited for room", async () => {
    const [first, second] = [streaming(6), streaming(6)]
    const executor = executorOf({ first: first.plan, second: second.plan }, { eventBuffer: 1 })
    executor.enqueue([
      { agentId: "a", callId: "first", name: "first" },
      { agentId: "b", callId: "second", name: "second" },
    ])
    await turn()
    executor.cancelCall("first")
    const host = new ScriptedHost(executor)
    const done = host.run()
    for (let i = 0; i < 200; i++) await turn()
    expect(second.progress.sent).toBe(6)
    await done
    expect(textOfDeltas(host.events, "second")).toBe(numbers(6))
    expect(host.terminal("first")?._tag).toBe("Cancelled")
  })
})

describe("a stream yields to the event loop every thousand deltas or so", () => {
  const bursts: Record<string, (count: number) => ReturnType<typeof pipeline>> = {
    "awaited deltas": (count) => streaming(count).plan,
    "a generator's deltas": (count) =>
      pipeline().andThen(async function* () {
        for (let i = 0; i < count; i++) yield Step.Delta("x")
      }),
    "a generator's plain steps": (count) =>
      pipeline().andThen(async function* () {
        for (let i = 0; i < count; i++) yield Step.Continue
      }),
  }
  for (const [what, plan] of Object.entries(bursts)) {
    it(`while a reader keeps up: ${what}`, async () => {
      const executor = executorOf({ tool: plan(10_000) })
      let turns = 0
      let running = true
      const count = () => {
        turns += 1
        if (running) setImmediate(count)
      }
      setImmediate(count)
      await new ScriptedHost(executor).run([{ name: "tool" }])
      running = false
      expect(turns).toBeGreaterThanOrEqual(5)
    })

    it(`while \`run\` reads: ${what}`, async () => {
      const executor = executorOf({ tool: plan(10_000) })
      let turns = 0
      let running = true
      const count = () => {
        turns += 1
        if (running) setImmediate(count)
      }
      setImmediate(count)
      await executor.run({ name: "tool" }, () => undefined)
      running = false
      expect(turns).toBeGreaterThanOrEqual(5)
    })
  }
})
