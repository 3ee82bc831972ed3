import { describe, expect, it } from "vitest"
import { type Limit, pipeline, Step, type ToolExecutor } from "../../src/index.ts"
import { turn, until } from "../support/deferred.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"
import { virtualTime } from "../support/virtual-time.ts"

const echo = pipeline().andThen(() => Step.Output("done"))

const calls = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    callId: `c${index}`,
    agentId: `a${index}`,
    name: "tool",
    ...more,
  }))

const held = (limit: Partial<Limit>) => {
  const { plan, running, release } = heldTool()
  const executor = executorOf({ tool: plan, other: plan }, { limits: [{ tools: ["tool"], ...limit }] })
  return { executor, running, release }
}

const waitingIn = (executor: ToolExecutor) =>
  executor.inspect().filter(({ waitingFor }) => waitingFor === "limit")

/** Reads all events until nothing is left to come. */
const endsOf = async (executor: ToolExecutor) => {
  const ends: Array<{
    readonly _tag: string
    readonly callId: string
    readonly content: string
    readonly reason?: string
  }> = []
  for (let event = await executor.next(); event !== undefined; event = await executor.next())
    if ("content" in event && event._tag !== "Delta") ends.push(event)
  return ends
}

describe("a limit on how many run at once", () => {
  it("lets the next call begin when one has ended, in their order, and shows what waits", async () => {
    const { executor, running, release } = held({ concurrency: 2 })
    executor.enqueue([...calls(4), { callId: "o", agentId: "o", name: "other" }])
    await until(() => running.length === 3)
    expect(running).toEqual(["c0", "c1", "o"])
    expect(waitingIn(executor)).toMatchObject([
      { callId: "c2", state: "waiting", because: "at most 2 at once for tool" },
      { callId: "c3", state: "waiting" },
    ])
    release("c1")
    await until(() => running.includes("c2"))
    expect(running).toEqual(["c0", "o", "c2"])
    for (const id of ["c0", "c2", "o"]) release(id)
    await until(() => running.includes("c3"))
    release("c3")
  })

  it("counts a call once that restarts with edited parameters", async () => {
    const gated = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const executor = executorOf(
      { tool: gated },
      { limits: [{ tools: ["tool"], concurrency: 1, perAgent: 1 }] },
    )
    const run = executor.run({ callId: "a", name: "tool" }, (event) => {
      if (event._tag === "AwaitingApproval") executor.approve("a", { params: { edited: true } })
    })
    expect(await run).toMatchObject({ status: "complete" })
  })

  it("takes a call that is cancelled while it waits out of the line", async () => {
    const { executor, running, release } = held({ concurrency: 1 })
    executor.enqueue(calls(3))
    await until(() => waitingIn(executor).length === 2)
    expect(executor.cancelCall("c1")).toBe(true)
    release("c0")
    await until(() => running.includes("c2"))
    expect(running).toEqual(["c2"])
    release("c2")
  })
})

describe("a limit on how many begin in a time", () => {
  it("holds in any stretch of that time, and keeps the order", async () => {
    const begun: Array<string> = []
    const tool = pipeline().andThen(({ call }) => {
      begun.push(call.callId)
      return Step.Output("done")
    })
    const limits = [{ tools: ["to*l"], rate: { max: 2, per: "1 minute" } }] as const
    const { executor, advance } = await virtualTime({ tool }, { limits })
    executor.enqueue(calls(1))
    await advance("30 seconds")
    executor.enqueue(calls(5).slice(1))
    await advance("29 seconds")
    expect(begun).toEqual(["c0", "c1"])
    await advance("1 second")
    expect(begun).toEqual(["c0", "c1", "c2"])
    await advance("29 seconds")
    expect(begun).toHaveLength(3)
    await advance("1 second")
    expect(begun).toEqual(["c0", "c1", "c2", "c3"])
    await advance("30 seconds")
    expect(begun).toEqual(["c0", "c1", "c2", "c3", "c4"])
  })

  it("ends a call that has waited as long as it may, and tells when to try again", async () => {
    const limits = [{ tools: ["tool"], rate: { max: 1, per: "1 minute" }, maxWait: "10 seconds" }] as const
    const { executor, advance } = await virtualTime({ tool: echo }, { limits })
    executor.enqueue(calls(2))
    await advance("10 seconds")
    expect(await endsOf(executor)).toMatchObject([
      { _tag: "Completed", callId: "c0" },
      {
        _tag: "Error",
        callId: "c1",
        reason: "limit",
        content:
          "Limit reached: at most 1 in 1 minute for tool. The call waited 10 seconds and was not run. Try again in 50 seconds.",
      },
    ])
    // The place that it had asked for is not taken.
    await advance("50 seconds")
    executor.enqueue([{ callId: "next", name: "tool" }])
    await turn()
    expect(await endsOf(executor)).toMatchObject([{ _tag: "Completed", callId: "next" }])
  })

  it("counts what a call costs, and lets the next one go where a dearer one is cancelled", async () => {
    const limits = [
      {
        tools: ["tool"],
        rate: { max: 10, per: "1 minute" },
        cost: (params: unknown) => (params as { n: number }).n,
      },
    ] as const
    const { executor, advance } = await virtualTime({ tool: echo }, { limits })
    const costing = (callId: string, n: number) => ({ callId, agentId: callId, name: "tool", params: { n } })
    executor.enqueue([
      costing("a", 6),
      costing("b", 11),
      costing("c", 5),
      costing("d", 4),
      costing("e", Number.NaN),
    ])
    await advance("1 second")
    executor.cancelCall("c")
    await advance("1 second")
    const ends = await endsOf(executor)
    expect(ends.map(({ callId, _tag }) => `${callId} ${_tag}`).sort()).toEqual([
      "a Completed",
      "b Error",
      "c Cancelled",
      "d Completed",
      "e Error",
    ])
    const contentOf = (id: string) => ends.find(({ callId }) => callId === id)!.content
    expect(contentOf("b")).toBe(
      "Limit: at most 10 in 1 minute for tool. This call counts 11. It can never run: ask for less at once.",
    )
    expect(contentOf("e")).toBe(
      "The cost of this call for its limit could not be told: expected a number of 0 or more, got `NaN` (number)",
    )
  })

  it("takes ten thousand calls, in the order of each lane, and leaves nothing behind", async () => {
    const begun = new Map<string, Array<number>>()
    const tool = pipeline().andThen(({ call: { agentId, params } }) => {
      const lane = begun.get(agentId) ?? []
      lane.push((params as { n: number }).n)
      begun.set(agentId, lane)
      return Step.Output("done")
    })
    const limits = [{ tools: ["tool"], concurrency: 50, rate: { max: 1000, per: "20 millis" } }] as const
    const executor = executorOf({ tool }, { limits })
    const numbers = Array.from({ length: 10_000 }, (_, n) => n)
    const results = numbers.map((n) =>
      executor.run({ name: "tool", agentId: `a${n % 100}`, params: { n } }, () => undefined),
    )
    expect(new Set((await Promise.all(results)).map(({ status }) => status))).toEqual(new Set(["complete"]))
    for (let lane = 0; lane < 100; lane++)
      expect(begun.get(`a${lane}`)).toEqual(numbers.filter((n) => n % 100 === lane))
    expect(executor.inspect()).toEqual([])
  })
})

describe("a limit that is used up", () => {
  it("of a turn ends what is too much, and the next turn has its own", async () => {
    const executor = executorOf({ tool: echo }, { limits: [{ tools: ["tool"], perTurn: 2 }] })
    const agent = executor.agent("main")
    const turnOf = (count: number) => agent.runTurn(Array.from({ length: count }, () => ({ name: "tool" })))
    const first = await turnOf(3)
    expect(first.map(({ status }) => status)).toEqual(["complete", "complete", "error"])
    expect(first[2]).toMatchObject({
      reason: "limit",
      content: "Limit reached: at most 2 in one turn for tool. Call it again in your next turn.",
    })
    expect((await turnOf(2)).map(({ status }) => status)).toEqual(["complete", "complete"])
    const begun = agent.beginTurn()
    const one = () => begun.run({ name: "tool" })
    expect((await Promise.all([one(), one(), one()])).map(({ status }) => status)).toEqual([
      "complete",
      "complete",
      "error",
    ])
    agent.enqueueTurn(Array.from({ length: 3 }, () => ({ name: "tool" })))
    expect((await endsOf(executor)).map(({ _tag }) => _tag)).toEqual(["Completed", "Completed", "Error"])
    executor.enqueue(Array.from({ length: 3 }, () => ({ name: "tool" })))
    expect((await endsOf(executor)).map(({ _tag }) => _tag)).toEqual(["Completed", "Completed", "Error"])
  })

  it("of an agent is its own", async () => {
    const executor = executorOf({ tool: echo }, { limits: [{ tools: ["tool"], perAgent: 2 }] })
    const run = (agentId: string) => executor.run({ name: "tool", agentId }, () => undefined)
    await run("a")
    await run("a")
    expect(await run("a")).toMatchObject({
      status: "error",
      reason: "limit",
      content: "Limit reached: at most 2 of one agent for tool. Do not call it again.",
    })
    expect(await run("b")).toMatchObject({ status: "complete" })
  })

  it("counts no call that the result of another one answers", async () => {
    const tool = toolOf("tool", echo, { idempotencyKey: () => "key" })
    const executor = executorOf({ tool }, { limits: [{ tools: ["tool"], perAgent: 1 }] })
    const run = () => executor.run({ name: "tool" }, () => undefined)
    expect(await run()).toMatchObject({ status: "complete" })
    expect(await run()).toMatchObject({ status: "complete", deduplicated: true })
  })

  it("is not held by a call that waits for another one with its key", async () => {
    const gated = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const tool = toolOf("tool", gated, { idempotencyKey: ({ key }) => String(key) })
    const limits = [{ tools: ["tool"], concurrency: 1, perAgent: 1 }]
    const executor = executorOf({ tool }, { limits })
    const answered: Array<string> = []
    const run = (callId: string) =>
      executor.run({ callId, agentId: callId, name: "tool", params: { key: callId } }, (event) => {
        if (event._tag !== "AwaitingApproval" || answered.includes(callId)) return
        answered.push(callId)
        // The first one takes the key that the second one holds.
        const approve = () => event.approve(callId === "a" ? { params: { key: "b" } } : {})
        if (callId === "a") void until(() => waitingIn(executor).length === 1).then(approve)
        else approve()
      })
    const results = await Promise.all([run("a"), run("b")])
    expect(results).toMatchObject([{ status: "complete", deduplicated: true }, { status: "complete" }])
  })

  it("counts no call that was cancelled before it began", async () => {
    const { executor, running, release } = held({ concurrency: 1, perAgent: 2 })
    const one = (callId: string, lane: string) => ({ callId, agentId: "a", lane, name: "tool" })
    executor.enqueue([one("x", "1"), one("y", "2")])
    await until(() => waitingIn(executor).length === 1)
    executor.cancelCall("y")
    executor.enqueue([one("z", "3")])
    await until(() => waitingIn(executor).length === 1)
    release("x")
    await until(() => running.includes("z"))
    release("z")
  })
})

describe("limits that cannot be meant", () => {
  const making = (limit: unknown) => () => executorOf({ tool: echo }, { limits: [limit as Limit] })

  it.each([
    [
      { tools: ["tool"], concurrency: 0 },
      "Expected `limits[0].concurrency` to be a positive integer, got `0` (number)",
    ],
    [
      { tools: ["tool"], perTurn: -1 },
      "Expected `limits[0].perTurn` to be a positive integer, got `-1` (number)",
    ],
    [
      { tools: ["tool"], perAgent: 1.5 },
      "Expected `limits[0].perAgent` to be a positive integer, got `1.5` (number)",
    ],
    [
      { tools: ["tool"], rate: { max: 0, per: 1000 } },
      "Expected `limits[0].rate.max` to be a number above 0, got `0` (number)",
    ],
    [
      { tools: ["tool"], rate: { max: 1, per: 0 } },
      "Expected `limits[0].rate.per` to be a time above 0 that ends, got `0` (number)",
    ],
    [
      { tools: ["tool"], rate: 5 },
      "Expected `limits[0].rate` to be an object with max and per, got `5` (number)",
    ],
    [
      { tools: [], concurrency: 1 },
      "Expected `limits[0].tools` to be an array of names of tools, got `` (object)",
    ],
    [
      { tools: ["tool"] },
      "`limits[0]` limits nothing: give it `concurrency`, `rate`, `perTurn` or `perAgent`",
    ],
    [{ tools: ["tol"], concurrency: 1 }, "`limits` is for the unknown tool `tol`. Did you mean `tool`?"],
    [{ tools: ["fetch_*"], concurrency: 1 }, "`limits` is for the unknown tool `fetch_*`."],
    [
      { tools: ["tool"], concurency: 1 },
      "`limits[0]` has no option `concurency`. Did you mean `concurrency`?",
    ],
    [
      { tools: ["tool"], concurrency: 1, cost: 2 },
      "Expected `limits[0].cost` to be a function, got `2` (number)",
    ],
    [
      7,
      "Expected `limits[0]` to be an object with tools, concurrency, rate, perTurn, perAgent, cost, maxWait, got `7` (number)",
    ],
  ])("%j is refused", (limit, message) => {
    expect(making(limit)).toThrow(new TypeError(message))
  })
})
