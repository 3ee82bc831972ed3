// @module-tag waits
/** Several processes that run the calls of one Postgres store. */
import { expect, it } from "vitest"
import { type DurableClient, openDurableExecutor } from "../../../src/durable/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf } from "../durable-of.ts"
import { ranIn, type Told, tag, useHosts } from "../hosts.ts"
import { adminOf, outliveLeases } from "./admin.ts"

const ends = new Set(["Completed", "Error", "Denied", "Cancelled", "BackgroundCompleted"])

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

/** Reads the events of a store until each of these calls has ended; gives how often each did. */
const endsOf = async (client: DurableClient, callIds: ReadonlyArray<string>) => {
  const open = new Set(callIds)
  const count = new Map<string, number>()
  for await (const event of client.events()) {
    if (!ends.has(event._tag) || !("callId" in event)) continue
    count.set(event.callId, (count.get(event.callId) ?? 0) + 1)
    open.delete(event.callId)
    if (open.size === 0) break
  }
  return count
}

describeWith("postgres")("processes that share a Postgres store", () => {
  const server = usePostgres()
  const path = useTempFolder()
  const hosts = useHosts()

  const clientOf = (store: string) => openDurableExecutor({ store, runner: false })

  it("run each call once, whoever queues it, the calls of an agent in their order", async () => {
    const store = await server.database()
    const ran: Array<string> = []
    const tool = pipeline().andThen(async ({ call }) => {
      ran.push(call.callId)
      await new Promise(setImmediate)
      return Step.Output("x")
    })
    const runners = [await durableOf(store, { tool }), await durableOf(store, { tool })]
    await using client = await clientOf(store)
    const calls = Array.from({ length: 60 }, (_, index) => ({
      callId: `c${String(index).padStart(2, "0")}`,
      agentId: `agent-${index % 6}`,
      name: "tool",
    }))
    await Promise.all([
      client.enqueue(calls.slice(0, 30)),
      ...runners.map((runner) => runner.enqueue(calls)),
      client.enqueue(calls.slice(30)),
    ])
    const count = await endsOf(
      client,
      calls.map(({ callId }) => callId),
    )
    expect([...count.values()]).toEqual(calls.map(() => 1))
    expect([...ran].sort()).toEqual(calls.map(({ callId }) => callId))
  })

  it("take over what one had that is killed: questions, tasks, and what waits behind them", async () => {
    const store = await server.database()
    const calls = [
      { callId: "w1", agentId: "a", name: "work" },
      { callId: "w2", agentId: "a", name: "work" },
      { callId: "t", agentId: "b", name: "hang", background: true },
    ]
    const dies = hosts.start(path(), { store, stays: true, calls })
    await dies.until(tag("AwaitingApproval"))
    await expect.poll(() => ranIn(path())).toContain("t hang t/0/1")
    const lives = hosts.start(path(), { store, stays: true, decide: "approve" })
    await lives.until(tag("Opened"))
    await dies.kill("SIGKILL")
    await using client = await clientOf(store)
    const count = await endsOf(client, ["w1", "w2"])
    expect([...count.values()]).toEqual([1, 1])
    await expect
      .poll(async () => (await ranIn(path())).filter((line) => line === "t hang t/0/1"))
      .toHaveLength(2)
    expect(await client.tasks.list("b")).toMatchObject([{ id: "t", name: "hang", status: "running" }])
    const ran = (await ranIn(path())).filter((line) => line.startsWith("w"))
    expect(ran).toEqual([
      "w1 first w1/0/0",
      "w1 second w1/0/2",
      "w1 last w1/0/finally 0",
      "w2 first w2/0/0",
      "w2 second w2/0/2",
      "w2 last w2/0/finally 0",
    ])
  })

  it("take over what one had that is frozen, which stores nothing more of it, and goes on as a new one", async () => {
    const store = await server.database()
    const calls = [{ callId: "w", agentId: "a", name: "work" }]
    const frozen = hosts.start(path(), { store, stays: true, calls })
    await frozen.until(tag("AwaitingApproval"))
    await frozen.kill("SIGSTOP")
    const sql = await adminOf(store)
    const [first] = await sql<[{ id: number }]>`SELECT id FROM stepline_runners`
    await outliveLeases(sql, first.id)
    const lives = hosts.start(path(), { store, stays: true })
    await lives.until(tag("AwaitingApproval"))
    await using client = await clientOf(store)
    await frozen.kill("SIGCONT")
    expect(await frozen.until(tag("Away"))).toMatchObject({
      message:
        "StoreError: This process was held up for so long that others run its calls now. It goes on as a new one, with a new executor",
    })
    await frozen.until(tag("Back"))
    expect(await client.approve("w")).toBe(true)
    expect(await lives.until(tag("Completed"))).toMatchObject({ content: "first;second;" })
    expect(await ranIn(path())).toEqual(["w first w/0/0", "w second w/0/2", "w last w/0/finally 0"])
    await lives.kill("SIGKILL")
    // Of those that are there, the one that goes on joined last.
    await sql`DELETE FROM stepline_runners WHERE id < (SELECT max(id) FROM stepline_runners)`
    expect(await client.enqueue([{ callId: "n", agentId: "a", name: "work" }])).toEqual(["n"])
    await frozen.until((told: Told) => told._tag === "AwaitingApproval" && told.callId === "n")
  })

  it("answer for each other, and each answer counts once", async () => {
    const store = await server.database()
    const one = await durableOf(store, { gated: gated() })
    const other = await durableOf(store, { gated: gated() })
    const callIds = Array.from({ length: 40 }, (_, index) => `c${index}`)
    await one.enqueue(callIds.map((callId, index) => ({ callId, agentId: `a${index}`, name: "gated" })))
    await using client = await clientOf(store)
    await expect.poll(() => other.inbox().then(({ length }) => length)).toBe(callIds.length)
    const racers = [one, other, client, await clientOf(store)]
    const answers = await Promise.all(
      callIds.flatMap((callId, index) =>
        racers.map((racer, place) =>
          (index + place) % 2 === 0 ? racer.approve(callId) : racer.deny(callId),
        ),
      ),
    )
    expect(answers.filter(Boolean)).toHaveLength(callIds.length)
    expect([...(await endsOf(client, callIds)).values()]).toEqual(callIds.map(() => 1))
    await racers[3]!.close()
  })

  it("take one answer to each call of ten processes that race", async () => {
    const store = await server.database()
    const ran: Array<string> = []
    const tool = pipeline()
      .awaitApproval()
      .andThen(({ call }) => {
        ran.push(call.callId)
        return Step.Output("done")
      })
    const one = await durableOf(store, { tool })
    const callIds = Array.from({ length: 100 }, (_, index) => `c${index}`)
    await one.enqueue(callIds.map((callId) => ({ callId, agentId: callId, name: "tool" })))
    await expect.poll(() => one.inbox().then(({ length }) => length)).toBe(callIds.length)
    const racers = Array.from({ length: 10 }, () => hosts.start(path(), { store, races: callIds }))
    const raced = await Promise.all(racers.map((racer) => racer.until(tag("Raced"))))
    expect(raced.reduce((sum, { took }) => sum + Number(took), 0)).toBe(callIds.length)
    await using client = await clientOf(store)
    expect([...(await endsOf(client, callIds)).values()]).toEqual(callIds.map(() => 1))
    expect([...ran].sort()).toEqual([...callIds].sort())
  })

  it("refuse a call that its host gives the executor of the wrong one", async () => {
    const store = await server.database()
    const one = await durableOf(store, { gated: gated() })
    const other = await durableOf(store, { gated: gated() })
    await one.enqueue([{ callId: "a", name: "gated" }])
    const result = await other.executor.run({ callId: "b", name: "gated" }, () => {})
    expect(result).toMatchObject({
      status: "cancelled",
      content:
        'Another process runs the calls of the agent "main", until they have ended: enqueue them with `enqueue` of the durable executor, or under an `agentId` of this process\'s own',
    })
    expect(await other.result("b")).toBeUndefined()
    await other.enqueue([{ callId: "b", name: "gated" }])
    expect(await one.approve("a")).toBe(true)
    await expect.poll(async () => (await other.inbox()).map(({ callId }) => callId)).toEqual(["b"])
    // Whose calls have all ended may go on anywhere.
    expect(await other.approve("b")).toBe(true)
    await expect
      .poll(async () => (await other.executor.run({ name: "gated", decision: "deny" }, () => {})).status)
      .toBe("denied")
  })

  it("leave what they had to the others when they are closed", async () => {
    const store = await server.database()
    const one = await durableOf(store, { gated: gated() })
    await one.enqueue([{ callId: "a", name: "gated" }])
    await expect.poll(() => one.inbox()).toHaveLength(1)
    const other = await durableOf(store, { gated: gated() })
    await one.close()
    await expect.poll(() => other.executor.inspect()).toMatchObject([{ callId: "a" }])
    expect(await other.approve("a")).toBe(true)
  })

  it("know each other's tasks, and resolve each other's previews", async () => {
    const store = await server.database()
    const stage = () =>
      pipeline()
        .andThen(() => Step.Output("preview"))
        .awaitResolve({ label: "Change" })
        .andThen(() => Step.Output("changed"))
    const one = await durableOf(store, { stage: stage(), gated: gated() })
    const other = await durableOf(store, { stage: stage(), gated: gated() })
    await using client = await clientOf(store)
    await one.enqueue([
      { callId: "s", name: "stage" },
      { callId: "t", name: "gated", background: true, decision: "approve" },
    ])
    for (const each of [one, other, client]) {
      expect(await each.tasks.wait("t")).toMatchObject({ id: "t", status: "complete", content: "done" })
    }
    expect(await other.tasks.list()).toMatchObject([{ id: "t" }])
    expect(await client.tasks.take("t")).toMatchObject({ id: "t", content: "done" })
    expect(await one.tasks.take("t")).toBeUndefined()
    expect(await client.tasks.get("t")).toBeUndefined()
    await endsOf(client, ["s"])
    expect(await other.resolve({ action: "apply", reason: "so" })).toBe(true)
    expect(await client.resolve({ action: "apply", reason: "so" })).toBe(false)
    expect(one.executor.agent().pendingActions.hasPending).toBe(false)
  })
})
