// @module-tag waits
/** Limits of an executor whose calls outlive its process. */
import { expect, it } from "vitest"
import type { DurableExecutor } from "../../src/durable/index.ts"
import { handler, pipeline, Step, type ToolCallInput } from "../../src/index.ts"
import { usePostgres } from "../servers/postgres.ts"
import { deferred, turn, until } from "../support/deferred.ts"
import { toolOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"
import { describeWith } from "../support/needs.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { tag, useHosts } from "./hosts.ts"
import { describeStores, leasesEnd } from "./stores.ts"

const echo = pipeline().andThen(() => Step.Output("done"))

describeStores("a limit on how many run at once", (_path, store) => {
  it("counts the calls that ran before, and lets those go on waiting that waited", async () => {
    const begun: Array<string> = []
    let release = deferred()
    const hold = handler("hold", async ({ call }) => {
      begun.push(call.callId)
      await release.promise
      return Step.Output("done")
    })
    const tool = pipeline().awaitApproval().andThen(hold)
    const limits = [{ tools: ["tool"], concurrency: 1 }]
    const first = await durableOf(store(), { tool }, { limits })
    await first.enqueue([
      { callId: "a", agentId: "a", name: "tool" },
      { callId: "b", agentId: "b", name: "tool" },
    ])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    release = deferred()
    const second = await durableOf(store(), { tool }, { limits })
    await until(() => second.executor.inspect().some(({ waitingFor }) => waitingFor === "limit"))
    expect(second.executor.inspect()).toMatchObject([
      { callId: "a", waitingFor: "approval" },
      { callId: "b", waitingFor: "limit" },
    ])
    await second.approve("a")
    await until(() => begun.includes("a"))
    release.resolve()
    await until(() =>
      second.executor.inspect().some(({ callId, waitingFor }) => callId === "b" && waitingFor === "approval"),
    )
    await second.approve("b")
    await until(() => begun.includes("b"))
    expect(begun).toEqual(["a", "b"])
  })
})

const endOf = async (durable: DurableExecutor, call: ToolCallInput & { readonly callId: string }) => {
  await durable.enqueue([call])
  return resultOf(durable, call.callId)
}

const resultOf = async (durable: DurableExecutor, callId: string) => {
  for (;;) {
    const event = await durable.result(callId)
    if (event !== undefined) return event
    await turn()
  }
}

/** Resolves once the inbox has the question of this call. */
const asked = async (durable: DurableExecutor, callId: string) => {
  while (!(await durable.inbox()).some((item) => item.callId === callId)) await turn()
}

describeStores("limits that are counted in the store", (path, store) => {
  const hosts = useHosts()

  it("count a call once whose process died before it began", async () => {
    const limits = [{ tools: ["once"], perAgent: 1, rate: { max: 1, per: "1 hour" as const } }]
    const plan = { store: store(), limits, calls: [{ callId: "a", name: "once" }] }
    expect(await hosts.dies(path(), { ...plan, diesCounted: true })).toBe(true)
    await leasesEnd(store())
    const told = await hosts.run(path(), plan)
    expect(told.filter(tag("Completed"))).toMatchObject([{ callId: "a" }])
    const [refused] = await hosts
      .run(path(), { ...plan, calls: [{ callId: "b", name: "once" }] })
      .then((all) => all.filter(tag("Error")))
    expect(refused).toMatchObject({ callId: "b", reason: "limit" })
  })

  it("count each call of an id that is used again", async () => {
    const limits = [{ tools: ["tool"], perAgent: 2 }]
    const first = await durableOf(store(), { tool: echo }, { limits })
    for (let i = 0; i < 2; i++)
      expect((await first.executor.run({ callId: "a", name: "tool" })).status).toBe("complete")
    await first.close()
    const second = await durableOf(store(), { tool: echo }, { limits })
    expect(await second.executor.run({ callId: "b", name: "tool" })).toMatchObject({ reason: "limit" })
  })

  it("of an agent go on in the next process", async () => {
    const limits = [{ tools: ["tool"], perAgent: 2 }]
    const first = await durableOf(store(), { tool: echo }, { limits })
    expect(await endOf(first, { callId: "a", name: "tool" })).toMatchObject({ _tag: "Completed" })
    await first.close()
    const second = await durableOf(store(), { tool: echo }, { limits })
    expect(await endOf(second, { callId: "b", name: "tool" })).toMatchObject({ _tag: "Completed" })
    expect(await endOf(second, { callId: "c", name: "tool" })).toMatchObject({
      _tag: "Error",
      reason: "limit",
      content: "Limit reached: at most 2 of one agent for tool. Do not call it again.",
    })
    expect(await endOf(second, { callId: "d", agentId: "other", name: "tool" })).toMatchObject({
      _tag: "Completed",
    })
  })

  it("of a turn go on in the next process, for the calls that were enqueued together", async () => {
    const limits = [{ tools: ["tool"], perTurn: 2 }]
    const gated = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const first = await durableOf(store(), { tool: gated }, { limits })
    await first.enqueue(["a", "b", "c"].map((callId) => ({ callId, name: "tool" })))
    await untilTag(first, "AwaitingApproval")
    await first.approve("a")
    await asked(first, "b")
    await first.close()
    const second = await durableOf(store(), { tool: gated }, { limits })
    await asked(second, "b")
    await second.approve("b")
    expect(await resultOf(second, "c")).toMatchObject({ _tag: "Error", reason: "limit" })
    await second.enqueue([{ callId: "next", name: "tool" }])
    await asked(second, "next")
  })

  it("of a time go on in the next process, which waits for as long as is left", async () => {
    const limits = [{ tools: ["tool"], rate: { max: 1, per: "1 hour" }, maxWait: "2 seconds" }] as const
    const first = await durableOf(store(), { tool: echo }, { limits })
    expect(await endOf(first, { callId: "a", name: "tool" })).toMatchObject({ _tag: "Completed" })
    await first.close()
    const second = await durableOf(store(), { tool: echo }, { limits })
    expect(await endOf(second, { callId: "b", name: "tool" })).toMatchObject({
      _tag: "Error",
      reason: "limit",
      content: expect.stringMatching(
        /^Limit reached: at most 1 in 1 hour for tool\. .* Try again in \d+ seconds\.$/,
      ),
    })
  })

  it("count a call once whose parameters are edited", async () => {
    const gated = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const tool = toolOf("tool", gated, { idempotencyKey: ({ key }) => String(key) })
    const limits = [{ tools: ["tool"], concurrency: 1, perAgent: 1 }]
    const durable = await durableOf(store(), { tool }, { limits })
    await durable.enqueue([{ callId: "a", name: "tool", params: { key: "a" } }])
    await untilTag(durable, "AwaitingApproval")
    await durable.approve("a", { params: { key: "b" } })
    expect(await resultOf(durable, "a")).toMatchObject({ _tag: "Completed" })
  })
})

describeWith("postgres")("limits of two processes of one store", () => {
  const server = usePostgres()

  it("are shared: what runs in one of them, or has begun there, counts in the other", async () => {
    const store = await server.database()
    const { plan, running, release } = heldTool()
    const limits = [
      { tools: ["tool"], concurrency: 1 },
      { tools: ["rated"], rate: { max: 3, per: "1 hour" }, maxWait: "3 seconds" },
    ] as const
    const one = await durableOf(store, { tool: plan, rated: echo }, { limits })
    const other = await durableOf(store, { tool: plan, rated: echo }, { limits })
    one.executor.enqueue([{ callId: "a", agentId: "a", name: "tool" }])
    await until(() => running.includes("a"))
    other.executor.enqueue([
      { callId: "b", agentId: "b", name: "tool" },
      { callId: "c", agentId: "c", name: "tool" },
    ])
    const rate = (durable: DurableExecutor, callId: string) =>
      durable.executor.run({ callId, agentId: callId, name: "rated" }, () => undefined)
    const [first, second] = await Promise.all([rate(one, "r1"), rate(other, "r2")])
    const [third, fourth] = [await rate(other, "r3"), await rate(one, "r4")]
    expect([first, second, third].map(({ status }) => status)).toEqual(["complete", "complete", "complete"])
    expect(fourth).toMatchObject({ status: "error", reason: "limit" })
    expect(running).toEqual(["a"])
    expect(other.executor.inspect()).toMatchObject([
      { callId: "b", waitingFor: "limit", because: "at most 1 at once for tool" },
      { callId: "c", waitingFor: "limit" },
    ])
    release("a")
    await until(() => running.includes("b"))
    expect(running).toEqual(["b"])
    release("b")
    await until(() => running.includes("c"))
    release("c")
  })
})
