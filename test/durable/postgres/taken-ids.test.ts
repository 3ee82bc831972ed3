// @module-tag waits
/** A call whose id another process has: nothing of the first one is lost by it. */
import { expect, it } from "vitest"
import type { DurableExecutor } from "../../../src/durable/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(({ call }) => Step.Output(`done for ${call.agentId}`))

const inUse = (callId: string) =>
  `Call id "${callId}" is in use in this store. Use a new id for every call, or \`enqueue\` of the durable executor, which takes the same id for the same call.`

const openIds = async (durable: DurableExecutor) =>
  (await durable.inbox()).map(({ callId, agentId }) => `${callId} ${agentId}`)

describeWith("postgres")("an id that another process of a Postgres store has", () => {
  const server = usePostgres()

  const both = async () => {
    const store = await server.database()
    const one = await durableOf(store, { gated: gated() })
    const other = await durableOf(store, { gated: gated() })
    return { one, other }
  }

  it("is refused to another agent's call, in the foreground and in the background", async () => {
    const { one, other } = await both()
    await one.enqueue([
      { callId: "a", agentId: "one", name: "gated" },
      { callId: "t", agentId: "one", name: "gated", background: true },
    ])
    await expect.poll(() => openIds(one)).toEqual(["a one", "t one"])
    const call = { callId: "a", agentId: "other", name: "gated" }
    expect(await other.executor.run(call, () => {})).toMatchObject({
      status: "cancelled",
      content: inUse("a"),
    })
    other.executor.enqueue([
      { callId: "t", agentId: "other", name: "gated", background: true, decision: "approve" },
    ])
    expect(await untilTag(other, "BackgroundCompleted")).toMatchObject({ callId: "t", status: "cancelled" })
    expect(other.executor.tasks.list()).toEqual([])
    expect(await openIds(other)).toEqual(["a one", "t one"])
    expect(await other.approve("a")).toBe(true)
    expect(await other.approve("t")).toBe(true)
    expect(await other.tasks.wait("t")).toMatchObject({ agentId: "one", content: "done for one" })
    await expect.poll(() => other.result("a")).toMatchObject({ _tag: "Completed", content: "done for one" })
  })

  it("does not end the call that has it where the other one ends at once", async () => {
    const { one, other } = await both()
    await one.enqueue([{ callId: "a", agentId: "one", name: "gated" }])
    await expect.poll(() => openIds(one)).toEqual(["a one"])
    await other.executor.run({ callId: "a", agentId: "other", name: "missing" }, () => {})
    expect(await other.result("a")).toBeUndefined()
    expect(await other.approve("a")).toBe(true)
    await expect.poll(() => other.result("a")).toMatchObject({ content: "done for one" })
  })

  it("is refused while the result of its task is kept", async () => {
    const { one, other } = await both()
    await one.enqueue([{ callId: "t", agentId: "one", name: "gated", background: true, decision: "approve" }])
    await one.tasks.wait("t")
    const call = { callId: "t", agentId: "other", name: "gated" }
    expect(await other.executor.run(call, () => {})).toMatchObject({ content: inUse("t") })
    expect(await other.tasks.take("t")).toMatchObject({ agentId: "one", content: "done for one" })
    const again = { ...call, decision: "approve" } as const
    expect(await other.executor.run(again, () => {})).toMatchObject({ content: "done for other" })
    expect(await one.result("t")).toMatchObject({ agentId: "other", content: "done for other" })
  })

  it("is one call where it is queued for two agents at once", async () => {
    const { one, other } = await both()
    await one.enqueue([{ callId: "a", agentId: "one", name: "gated" }])
    await other.enqueue([{ callId: "b", agentId: "other", name: "gated" }])
    await expect.poll(() => openIds(one)).toEqual(["a one", "b other"])
    const twice = ["one", "other"].map((agentId) => ({ callId: "x", agentId, name: "gated" }))
    expect(await other.enqueue([...twice, { callId: "y", agentId: "third", name: "gated" }])).toEqual([
      "x",
      "x",
      "y",
    ])
    expect(await one.approve("a")).toBe(true)
    await expect.poll(() => openIds(one)).toEqual(["b other", "x one", "y third"])
    expect(other.executor.inspect()).toMatchObject([{ callId: "b" }, { callId: "y" }])
  })

  it("that was refused here is taken in with its agent, where that comes here later", async () => {
    const { one, other } = await both()
    await one.enqueue([{ callId: "a", name: "gated" }])
    await expect.poll(() => openIds(one)).toEqual(["a main"])
    expect(await other.executor.run({ callId: "b", name: "gated" }, () => {})).toMatchObject({
      status: "cancelled",
    })
    await other.enqueue([{ callId: "b", name: "gated" }])
    await one.close()
    await expect.poll(() => other.executor.inspect()).toMatchObject([{ callId: "a" }, { callId: "b" }])
    expect(await other.approve("a")).toBe(true)
    await expect.poll(() => openIds(other)).toEqual(["b main"])
  })
})
