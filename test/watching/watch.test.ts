import { describe, expect, it } from "vitest"
import {
  type CallTrace,
  defineTool,
  type ExecutorWatcher,
  type HandlerContext,
  pipeline,
  Step,
  ToolExecutor,
  ToolRegistry,
} from "../../src/index.ts"

const gated = defineTool({
  name: "gated",
  description: "Asks first.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  compose: () =>
    pipeline()
      .andThen({ name: "look", call: () => Step.Output("what would happen") })
      .awaitApproval({ label: "Do it?" })
      .andThen({
        name: "do",
        call: async ({ delta }: HandlerContext) => {
          await delta("one ")
          await delta("two")
          return Step.Output("done")
        },
      })
      .finally({ name: "tidy", call: () => Step.Continue }),
})

const parameters = { type: "object", properties: {} } as const
const staging = defineTool({
  name: "staging",
  description: "Stages.",
  parameters,
  compose: () =>
    pipeline()
      .andThen({ name: "look", call: () => Step.Output("a preview") })
      .awaitResolve({ label: "Change it" })
      .andThen({ name: "change", call: () => Step.Output("changed") }),
})

const noting = () => {
  const told: Array<string> = []
  const trace = (id: string): CallTrace => ({
    handler: (name) => {
      told.push(`${id} handler ${name}`)
      return { run: (work) => work(), wrap: (effect) => effect, end: () => told.push(`${id} left ${name}`) }
    },
    wait: (what) => {
      told.push(`${id} waits ${what}`)
      return (by) => told.push(`${id} waited ${what} ${by?.kind}`)
    },
    end: () => told.push(`${id} over`),
  })
  const watcher: ExecutorWatcher = {
    queued: ({ callId }) => told.push(`${callId} queued`),
    event: (event) => {
      const id = "callId" in event ? event.callId : event.actionId
      told.push(`${id} ${event._tag}${event._tag === "Delta" ? ` ${event.content}` : ""}`)
    },
    decided: ({ callId, verdict, by }) => told.push(`${callId} decided ${verdict} ${by?.kind}`),
    forgotten: (id) => told.push(`${id} forgotten`),
    tracer: { call: ({ callId }) => trace(callId) },
  }
  return { told, watcher }
}

const untilAsked = async (executor: ToolExecutor) => {
  for (;;) {
    const event = await executor.next()
    if (event?._tag === "AwaitingApproval") return event
  }
}

describe("a watcher of an executor", () => {
  it("is told all that happens to a call, whoever reads its events", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([gated]))
    const { told, watcher } = noting()
    executor.watch(watcher)
    await executor.run({ name: "gated", callId: "c" }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
    })
    expect(told).toEqual([
      "c queued",
      "c Started",
      "c handler look",
      "c left look",
      "c waits approval",
      "c AwaitingApproval",
      "c waited approval user",
      "c decided approve user",
      "c handler do",
      "c Delta one ",
      "c Delta two",
      "c left do",
      "c handler tidy",
      "c left tidy",
      "c decided run user",
      "c over",
      "c Completed",
    ])
  })

  it("is told of calls that nobody listens to, and each delta where those merge for a slow reader", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([gated]), { eventBuffer: 1 })
    const { told, watcher } = noting()
    executor.watch(watcher)
    await executor.run({ name: "gated", callId: "c", decision: "approve" })
    expect(told).toContain("c Completed")
    executor.enqueue([{ name: "gated", callId: "d", decision: "approve", background: true }])
    await executor.tasks.wait("d")
    expect(told.filter((line) => line.startsWith("d Delta"))).toEqual(["d Delta one ", "d Delta two"])
    executor.tasks.take("d")
    expect(told.at(-1)).toBe("d forgotten")
  })

  it("is told which limit a call waits at, also one that comes later", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([gated]), {
      limits: [{ tools: ["gated"], concurrency: 1 }],
    })
    const told: Array<string> = []
    const limited: ExecutorWatcher["limited"] = ({ callId }, because) => told.push(`${callId}: ${because}`)
    executor.watch({ limited })
    executor.enqueue([
      { name: "gated", callId: "a", agentId: "a" },
      { name: "gated", callId: "b", agentId: "b" },
    ])
    for (
      let event = await executor.next();
      event?._tag !== "AwaitingApproval";
      event = await executor.next()
    ) {}
    executor.watch({ limited })
    expect(told).toEqual(["b: at most 1 at once for gated", "b: at most 1 at once for gated"])
  })

  it("that comes later is told first what is open, and can answer it", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([gated, staging]), { approvalTimeout: "1 hour" })
    await executor.run({ name: "staging", callId: "s" })
    executor.enqueue([
      { name: "gated", callId: "c", params: { text: "a" } },
      { name: "gated", callId: "next" },
    ])
    await untilAsked(executor)
    const { told, watcher } = noting()
    let approve: (() => boolean) | undefined
    const stop = executor.watch({
      ...watcher,
      event: (event) => {
        watcher.event?.(event)
        if (event._tag === "AwaitingApproval") approve ??= event.approve
      },
    })
    expect(told).toEqual([
      "c queued",
      "c Started",
      "c waits approval",
      "c AwaitingApproval",
      "next queued",
      expect.stringMatching(/^action_\w+ ActionPending$/),
    ])
    const details = executor.inspectCall("c")
    expect(details).toMatchObject({ state: "waiting", part: 1, waitingFor: "approval" })
    expect(details?.plan.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "handler look",
      "approval awaitApproval",
      "handler do",
      "finally tidy",
    ])
    expect(details?.expiresAt).toBeGreaterThan(Date.now())
    expect(approve?.()).toBe(true)
    await untilAsked(executor)
    expect(told).toContain("c over")
    stop()
    const events = () => told.filter((line) => /^\w+ ([A-Z]|decided)/.test(line)).length
    const before = events()
    executor.deny("next")
    while ((await executor.next()) !== undefined);
    expect(events()).toBe(before)
    // A span that is begun is ended.
    expect(told.at(-1)).toBe("next over")
    expect(executor.inspectCall("c")).toBeUndefined()
  })

  it("that throws costs the call nothing", async () => {
    await using executor = new ToolExecutor(new ToolRegistry([gated]))
    const fail = () => {
      throw new Error("no")
    }
    executor.watch({ queued: fail, event: fail, decided: fail, tracer: { call: fail } })
    expect(await executor.run({ name: "gated", decision: "approve" })).toMatchObject({ status: "complete" })
  })
})

it("a thousand that come and go are each looked at once, and not with each other", async () => {
  let looks = 0
  let told = 0
  const watcher: ExecutorWatcher = {
    get tracer() {
      looks += 1
      return undefined
    },
    event: () => {
      told += 1
    },
  }
  const executor = new ToolExecutor(new ToolRegistry([gated]))
  const leave = Array.from({ length: 1000 }, () => executor.watch(watcher))
  await executor.run({ name: "gated", params: {} })
  expect(told).toBe(2000)
  for (const end of leave) end()
  await executor.run({ name: "gated", params: {} })
  expect(told).toBe(2000)
  expect(looks).toBeLessThanOrEqual(2000)
})
