// @module-tag waits
/** How many agents each of several processes has, once one joins or leaves. */
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { type DurableClient, openDurableExecutor } from "../../../src/durable/index.ts"
import { Membership } from "../../../src/durable/postgres/membership.ts"
import type { Sql } from "../../../src/durable/postgres/sql.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { deferred } from "../../support/deferred.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf } from "../durable-of.ts"
import { adminOf, outliveLeases } from "./admin.ts"

/** The heartbeats of all runners of this process, one after another, each with what follows from it. */
const beat = async (times: number): Promise<void> => {
  const beats = vi.spyOn(Membership.prototype, "showLife")
  for (let time = 0; time < times; time++) {
    vi.advanceTimersByTime(1000)
    await Promise.all(beats.mock.results.map(({ value }) => value as Promise<unknown>))
    // A look that gives agents up, and those that take them.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  beats.mockRestore()
}

/** How many agents each runner has, in the order in which they joined. */
const countsIn = async (sql: Sql): Promise<Array<number>> => {
  const rows = await sql<Array<{ count: number }>>`
    SELECT count(a.agent_id) FROM stepline_runners r LEFT JOIN stepline_agents a ON runner = r.id GROUP BY r.id ORDER BY r.id`
  return rows.map(({ count }) => count)
}

/** Whether each of these runners has as many agents as the others, within a fifth. */
const expectEven = async (sql: Sql, runners: number, agents: number): Promise<void> => {
  const most = async () => {
    const counts = await countsIn(sql)
    expect(counts).toHaveLength(runners)
    const share = agents / runners
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(agents)
    return Math.max(...counts.map((count) => Math.abs(count - share) / share))
  }
  // What the last heartbeat gave up may be on its way.
  await expect.poll(most).toBeLessThanOrEqual(0.2)
}

describeWith("postgres")("agents of a Postgres store", () => {
  const server = usePostgres()

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
  })

  const agentIds = Array.from({ length: 100 }, (_, index) => `agent-${index}`)

  /** A store with a hundred agents, each with a call at a gate and one behind it. `ran`: the calls, in the order in which they ran. */
  const storeOf = async (runners: number) => {
    const store = await server.database()
    const sql = await adminOf(store)
    const ran: Array<string> = []
    const work = ({ call }: { readonly call: { readonly callId: string } }) => {
      ran.push(call.callId)
      return Step.Output("done")
    }
    const tools = { gated: pipeline().awaitApproval().andThen(work), work: pipeline().andThen(work) }
    const open = () => durableOf(store, tools)
    const opened = []
    for (let at = 0; at < runners; at++) opened.push(await open())
    await outliveLeases(sql)
    const client = await openDurableExecutor({ store, runner: false })
    onTestFinished(() => client.close())
    await client.enqueue(
      agentIds.flatMap((agentId) => [
        { callId: `${agentId} first`, agentId, name: "gated" },
        { callId: `${agentId} second`, agentId, name: "work" },
      ]),
    )
    await expect.poll(() => client.inbox({ limit: 200 })).toHaveLength(100)
    await expectEven(sql, runners, 100)
    return { sql, ran, client, open, opened }
  }

  /** Approves all questions, and expects that each call runs once, in the order of its agent. */
  const expectOnce = async (client: DurableClient, ran: ReadonlyArray<string>): Promise<void> => {
    const approving = Promise.all(agentIds.map((agentId) => client.approve(`${agentId} first`)))
    const count = () => {
      vi.advanceTimersByTime(1000)
      return ran.length
    }
    await expect.poll(count).toBe(200)
    expect(await approving).toEqual(agentIds.map(() => true))
    for (const agentId of agentIds) {
      const own = ran.filter((callId) => callId.startsWith(`${agentId} `))
      expect(own).toEqual([`${agentId} first`, `${agentId} second`])
    }
    expect(await client.inbox()).toEqual([])
  }

  it("are shared with a third process that joins two, and each of their calls runs once", async () => {
    const { sql, ran, client, open } = await storeOf(2)
    await open()
    await beat(5)
    await expectEven(sql, 3, 100)
    await expectOnce(client, ran)
  })

  it("are shared again by those that stay when one leaves, and with one that comes back", async () => {
    const { sql, ran, client, open, opened } = await storeOf(4)
    await opened[0]!.close()
    await beat(5)
    await expectEven(sql, 3, 100)
    await open()
    await beat(5)
    await expectEven(sql, 4, 100)
    // As a rolling deployment does: one after another leaves, and a new one joins.
    for (const old of opened.slice(1)) {
      await open()
      await old.close()
      await beat(5)
      await expectEven(sql, 4, 100)
    }
    await expectOnce(client, ran)
  })

  it("that a client brings one by one are claimed by one process each, and the others do nothing for them", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const work = pipeline().andThen(() => Step.Output("done"))
    for (let at = 0; at < 3; at++) await durableOf(store, { work })
    await outliveLeases(sql)
    const claims = vi.spyOn(Membership.prototype as unknown as { claim(): Promise<void> }, "claim")
    onTestFinished(() => claims.mockRestore())
    const client = await openDurableExecutor({ store, runner: false })
    onTestFinished(() => client.close())
    for (const agentId of agentIds.slice(0, 12)) {
      await client.enqueue([{ callId: agentId, agentId, name: "work" }])
      await expect.poll(() => client.result(agentId)).toBeDefined()
    }
    expect(claims).toHaveBeenCalledTimes(12)
  })

  it("stay where a handler runs, or where their host enqueued their calls", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const ends = deferred()
    const slow = pipeline()
      .andThen(async () => {
        await ends.promise
        return Step.Output("slow")
      })
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const one = await durableOf(store, { slow })
    const calls = agentIds.slice(0, 10).map((agentId) => ({ callId: agentId, agentId, name: "slow" }))
    one.executor.enqueue(calls.slice(0, 5))
    await one.enqueue(calls.slice(5))
    const states = () => one.executor.inspect().map(({ state }) => state)
    await expect.poll(states).toEqual(Array(10).fill("running"))
    await durableOf(store, { slow })
    await beat(3)
    expect(await countsIn(sql)).toEqual([10, 0])
    ends.resolve()
    await expect.poll(() => one.inbox()).toHaveLength(10)
    await beat(3)
    await expect.poll(() => countsIn(sql)).toEqual([5, 5])
    const left = one.executor.inspect().map(({ callId }) => callId)
    expect(left).toEqual(calls.slice(0, 5).map(({ callId }) => callId))
  })
})
