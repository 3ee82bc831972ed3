import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  pipeline,
  Step,
  type ToolCallInput,
  ToolExecutor,
  type ToolExecutorOptions,
} from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { never, turn, until } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf, type Plan, registryOf } from "../support/executor-of.ts"
import { growth, growthLimit } from "../support/growth.ts"

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout")

/** Counts the timers that are armed from here on. */
const watchTimers = () => {
  const spies = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "setInterval")]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return { count: () => spies.reduce((count, spy) => count + spy.mock.calls.length, 0) }
}

const many = (count: number, call: ToolCallInput): Array<ToolCallInput> =>
  Array.from({ length: count }, () => call)

/** Reads until nothing is left to come and gives how many events of each kind there were. */
const drain = async (executor: ToolExecutor): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    counts[event._tag] = (counts[event._tag] ?? 0) + 1
  }
  return counts
}

const executing = (plan: Plan, options?: ToolExecutorOptions) =>
  new ToolExecutor(registryOf({ tool: plan }), options)

describe("a lane of thousands", () => {
  const kinds: Record<string, Plan> = {
    "plain handlers": pipeline().andThen(() => Step.Output("x")),
    "promise handlers": pipeline().andThen(async () => Step.Output("x")),
    "nothing at all": pipeline(),
  }
  for (const [kind, plan] of Object.entries(kinds)) {
    it(`of ${kind} runs through, and lets the event loop turn meanwhile`, async () => {
      const executor = executorOf({ tool: plan })
      let turns = 0
      let running = true
      const count = () => {
        turns += 1
        if (running) setImmediate(count)
      }
      setImmediate(count)
      executor.enqueue(many(10_000, { name: "tool" }))
      expect(await drain(executor)).toEqual({ Started: 10_000, Completed: 10_000 })
      running = false
      expect(turns).toBeGreaterThanOrEqual(5)
      expect(executor.inspect()).toEqual([])
    })
  }

  it.each<[string, (i: number) => ToolCallInput]>([
    ["thousands of agents have a call each", (i) => ({ name: "tool", agentId: `a${i}` })],
    ["thousands of calls run in the background", () => ({ name: "tool", background: true })],
  ])("lets the event loop turn where %s", async (_, call) => {
    let ran = 0
    let most = 0
    let seen = 0
    const executor = executorOf({
      tool: pipeline().andThen(() => {
        ran += 1
        return Step.Continue
      }),
    })
    const watch = () => {
      most = Math.max(most, ran - seen)
      seen = ran
      if (ran < 10_000) setImmediate(watch)
    }
    executor.enqueue(Array.from({ length: 10_000 }, (_, i) => call(i)))
    setImmediate(watch)
    await drain(executor)
    await until(() => seen === 10_000)
    expect(most).toBeLessThan(3000)
  })

  it("lets the event loop turn inside one pipeline of thousands of plain steps", async () => {
    let plan = pipeline()
    for (let i = 0; i < 5000; i++) plan = plan.andThen(() => Step.Continue)
    const executor = executorOf({ tool: plan })
    let turns = 0
    const immediate = () => {
      turns += 1
      if (executor.inspect().length > 0) setImmediate(immediate)
    }
    executor.enqueue([{ name: "tool" }])
    setImmediate(immediate)
    await drain(executor)
    expect(turns).toBeGreaterThanOrEqual(3)
  })

  it("ends at once by the hard cancel", async () => {
    const executor = executorOf({ stuck: pipeline().andThen(() => never()) })
    executor.enqueue(many(10_000, { name: "stuck" }))
    await turn()
    executor.cancel()
    expect(await drain(executor)).toEqual({ Started: 1, Cancelled: 10_000 })
  })
})

describe("no part is quadratic in the number of calls:", () => {
  it("queued calls of one lane", async () => {
    const plan = pipeline().andThen(() => Step.Output("x"))
    const ratio = await growth(async (count) => {
      const executor = executing(plan)
      executor.enqueue(many(count, { name: "tool" }))
      await drain(executor)
    }, 500)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("a hard cancel of what is queued", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline().andThen(() => never()))
      executor.enqueue(many(count, { name: "tool" }))
      await turn()
      executor.cancel()
      await drain(executor)
    }, 500)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("cancels of the queued one by one, in any order", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline().andThen(() => never()))
      const ids = executor.enqueue(many(count, { name: "tool" }))
      await turn()
      for (let i = 0; i < count; i++) executor.cancelCall(ids[(i * 7919) % count]!)
      for (const id of ids) executor.cancelCall(id)
      await drain(executor)
    }, 500)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("approvals of many agents", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline().awaitApproval())
      executor.enqueue(Array.from({ length: count }, (_, i) => ({ agentId: `a${i}`, name: "tool" })))
      await new ScriptedHost(executor).run()
    }, 250)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("background calls that wait for a place", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(
        pipeline().andThen(async () => Step.Continue),
        { backgroundConcurrency: 4, maxTasks: 100_000 },
      )
      executor.enqueue(many(count, { name: "tool", background: true }))
      await drain(executor)
    }, 250)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("kept tasks that are taken or dropped", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline(), { maxTasks: count / 2 })
      const ids = executor.enqueue(many(count, { name: "tool", background: true }))
      await drain(executor)
      for (const id of ids) executor.tasks.take(id)
    }, 250)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("time-outs that are set, met and run out", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline().awaitApproval(), { approvalTimeout: "1 hour" })
      const ids = executor.enqueue(
        Array.from({ length: count }, (_, i) => ({ agentId: `a${i}`, name: "tool" })),
      )
      for (let asked = 0; asked < count; ) {
        if ((await executor.next())?._tag === "AwaitingApproval") asked += 1
      }
      for (const id of ids) executor.approve(id)
      await drain(executor)
    }, 250)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("events that nobody has read", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(pipeline().andThen(() => Step.Output("x")))
      executor.enqueue(many(count, { name: "tool" }))
      await until(() => executor.inspect().length === 0)
      await drain(executor)
    }, 500)
    expect(ratio).toBeLessThan(growthLimit)
  })

  it("unawaited deltas past the buffer", async () => {
    const ratio = await growth(async (count) => {
      const executor = executing(
        pipeline().andThen(({ delta }) => {
          for (let i = 0; i < count; i++) void delta("some output of a command\n")
          return Step.Continue
        }),
        { eventBuffer: 8 },
      )
      executor.enqueue([{ name: "tool" }])
      await drain(executor)
    }, 2500)
    expect(ratio).toBeLessThan(growthLimit)
  })
})

describe("a hundred thousand pending approvals", () => {
  it("hold no timer and run nothing, and are decided each by its id", async () => {
    const executor = executorOf({ gate: pipeline().awaitApproval() })
    const before = timers().length
    const armed = watchTimers()
    const ids = executor.enqueue(
      Array.from({ length: 100_000 }, (_, i) => ({ agentId: `a${i}`, name: "gate" })),
    )
    for (let asked = 0; asked < ids.length; ) {
      if ((await executor.next())?._tag === "AwaitingApproval") asked += 1
    }
    expect(armed.count()).toBeLessThanOrEqual(2)
    expect(timers().length).toBeLessThanOrEqual(before)

    // Whoever polls would arm something in the turns of an idle event loop.
    const settled = armed.count()
    const immediates = vi.spyOn(globalThis, "setImmediate")
    onTestFinished(() => immediates.mockRestore())
    for (let i = 0; i < 50; i++) await turn()
    expect(immediates.mock.calls).toHaveLength(50)
    immediates.mockRestore()
    expect(armed.count()).toBe(settled)

    const counted = ids.filter((id, i) => (i % 2 === 0 ? executor.approve(id) : executor.deny(id)))
    expect(counted).toHaveLength(100_000)
    expect(await drain(executor)).toEqual({ Completed: 50_000, Denied: 50_000 })
    expect(executor.inspect()).toEqual([])
  }, 120_000)

  it("with an approvalTimeout share few timers", async () => {
    const executor = executorOf({ gate: pipeline().awaitApproval() }, { approvalTimeout: "1 hour" })
    const before = timers().length
    const armed = watchTimers()
    executor.enqueue(Array.from({ length: 20_000 }, (_, i) => ({ agentId: `a${i}`, name: "gate" })))
    for (let asked = 0; asked < 20_000; ) {
      if ((await executor.next())?._tag === "AwaitingApproval") asked += 1
    }
    expect(armed.count()).toBeLessThanOrEqual(10)
    expect(timers().length - before).toBeLessThanOrEqual(2)
    await executor.shutdown()
    expect(timers().length).toBeLessThanOrEqual(before)
  })
})

describe("an executor that is idle", () => {
  it("holds no timer, whatever ran before and whatever is kept", async () => {
    const before = timers().length
    const executor = executorOf({
      tool: pipeline()
        .andThen(async () => Step.Continue)
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .awaitApproval()
        .finally(async () => Step.Continue),
    })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "tool" }, { name: "tool", background: true }])
    expect(executor.tasks.list()).toHaveLength(1)
    await turn()
    expect(timers().length).toBeLessThanOrEqual(before)
  })

  it("keeps the process alive for a time-out that is set, also after another was not needed", async () => {
    const before = timers().length
    const executor = executorOf({
      quick: pipeline().andThen(async () => Step.Continue),
      stuck: pipeline().andThen(() => never()),
    })
    const host = new ScriptedHost(executor)
    for (const _ of [1, 2]) {
      await host.run([{ name: "quick" }])
      await turn()
      expect(timers().length).toBeLessThanOrEqual(before)
      executor.enqueue([{ callId: "c", name: "stuck" }])
      await host.until(is("Started", "c"))
      await turn()
      const running = timers().length
      executor.cancelCall("c")
      await host.run()
      await turn()
      expect(timers().length).toBeLessThan(running)
    }
  })

  it("that waits for a decision alone holds no timer", async () => {
    const before = timers().length
    const executor = executorOf({
      gate: pipeline()
        .andThen(async () => Step.Continue)
        .awaitApproval(),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "gate" }, { name: "gate", decision: "requested" }])
    await host.until(is("AwaitingApproval"))
    await turn()
    expect(timers().length).toBeLessThanOrEqual(before)
  })
})
