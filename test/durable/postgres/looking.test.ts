// @module-tag waits
/** What a runner finds in its store, while others and it itself write there: each call is run once, and each answer finds its call. */
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { Membership } from "../../../src/durable/postgres/membership.ts"
import { PostgresStore } from "../../../src/durable/postgres/postgres-store.ts"
import type { Sql } from "../../../src/durable/postgres/sql.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { queuedSnapshot } from "../../../src/snapshots/snapshot.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { deferred } from "../../support/deferred.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"
import { adminOf } from "./admin.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

/** Holds a look at the store where it reads what is asked; `work` is done in the transaction that lets it go on. */
const heldLook = async (sql: Sql) => {
  const go = deferred()
  const held = deferred()
  let atLast: (queries: Sql) => Promise<unknown>
  const over = sql.begin(async (queries) => {
    await queries.run("LOCK TABLE stepline_requests IN ACCESS EXCLUSIVE MODE")
    held.resolve()
    await go.promise
    await atLast(queries as Sql)
  })
  await held.promise
  const waiting = () => sql`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%stepline_requests r JOIN%'`
  await expect.poll(waiting).toHaveLength(1)
  return (work: typeof atLast): Promise<void> => {
    atLast = work
    go.resolve()
    return over
  }
}

describeWith("postgres")("a look at a Postgres store", () => {
  const server = usePostgres()

  it("finds with what is asked the call that it is asked of, though that was queued meanwhile", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { gated: gated() })
    await durable.enqueue([{ callId: "first", name: "gated" }])
    await untilTag(durable, "AwaitingApproval")
    await using client = await openDurableExecutor({ store, runner: false })
    const letGo = await heldLook(sql)
    await client.enqueue([{ callId: "a", name: "gated" }])
    const request = JSON.stringify({ _tag: "Cancel", callId: "a" })
    await letGo((queries) => {
      return queries`INSERT INTO stepline_requests (key, agent_id, call_id, request, at)
        VALUES (gen_random_uuid(), 'main', 'a', ${request}, ${Date.now()})`
    })
    const answer = async () => {
      const [row] = await sql<Array<{ answer: string | null }>>`SELECT answer FROM stepline_requests`
      return row?.answer
    }
    await expect.poll(answer).toBe('{"took":true}')
  })

  it("notes how far it has taken in an agent's calls, whatever the numbers of requests are", async () => {
    const url = await server.database()
    const store = await PostgresStore.open(url, true)
    onTestFinished(() => store.close())
    const sql = await adminOf(url)
    const options = { retention: 60_000, unknownToolTimeout: 0, tools: () => ["gated"] }
    const membership = await Membership.join(sql, { ...options, beaten: async () => {} })
    onTestFinished(() => membership.leave())
    const call = { agentId: "main", callId: "a", name: "gated", params: {}, decision: "pending" } as const
    await store.enqueue([{ ...call, background: false }])
    await sql`INSERT INTO stepline_requests (id, key, agent_id, call_id, request, at)
      VALUES (1000, gen_random_uuid(), 'main', 'a', '{}', 0)`
    const { state, fresh, requests } = await membership.look()
    expect([state?.calls, fresh].map((calls) => calls?.map(({ callId }) => callId))).toEqual([["a"], ["a"]])
    expect(requests).toEqual([{ id: 1000, text: "{}" }])
    const [{ seq }] = await sql<[{ seq: number }]>`SELECT seq FROM stepline_calls`
    expect(membership.agents.get("main")).toBe(seq)
  })

  it("and who queued a call run it once, however late that is heard of", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const ran: Array<string> = []
    const tool = pipeline().andThen(({ call }) => {
      ran.push(call.callId)
      return Step.Output("done")
    })
    const durable = await durableOf(store, { tool, gated: gated() })
    // It has the agent already.
    await durable.enqueue([{ callId: "open", name: "gated", background: true }])
    const heard = deferred()
    const { submit } = PostgresStore.prototype
    const submitted = vi.spyOn(PostgresStore.prototype, "submit")
    const look = vi.spyOn(Membership.prototype, "look")
    onTestFinished(() => {
      submitted.mockRestore()
      look.mockRestore()
    })
    submitted.mockImplementationOnce(async function (this: PostgresStore, ...given) {
      const queued = await submit.apply(this, given)
      await heard.promise
      return queued
    })
    const queued = durable.enqueue([{ callId: "a", name: "tool" }])
    await expect.poll(() => durable.result("a")).toMatchObject({ _tag: "Completed" })
    // The end of the call is known of only until the store was looked at again.
    const looks = look.mock.calls.length
    const looked = async () => {
      await sql`SELECT pg_notify('stepline', 'work')`
      return look.mock.calls.length
    }
    await expect.poll(looked).toBeGreaterThan(looks + 1)
    heard.resolve()
    await queued
    await durable.enqueue([{ callId: "b", name: "tool" }])
    await expect.poll(() => durable.result("b")).toMatchObject({ _tag: "Completed" })
    expect(ran).toEqual(["a", "b"])
  })

  it("is not needed for a call that its host queues, whose agent was idle and on its way back to nobody", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { gated: gated() })
    const [released, heard, looked] = [deferred(), deferred(), deferred()]
    const hidden = Membership.prototype as unknown as { release(ids: Array<string>): Promise<Array<string>> }
    const { release } = hidden
    const releases = vi.spyOn(hidden, "release")
    releases.mockImplementationOnce(async function (this: typeof hidden, ids) {
      const kept = await release.call(this, ids)
      released.resolve()
      await heard.promise
      return kept
    })
    await durable.executor.run({ name: "gated", decision: "deny" }, () => {})
    await released.promise
    const look = vi.spyOn(Membership.prototype, "look").mockImplementation(async () => {
      await looked.promise
      return { state: undefined, fresh: [], requests: [] }
    })
    onTestFinished(() => {
      looked.resolve()
      releases.mockRestore()
      look.mockRestore()
    })
    const queued = durable.enqueue([{ callId: "a", name: "gated" }])
    await expect.poll(() => sql`SELECT FROM stepline_calls WHERE call_id = 'a'`).toHaveLength(1)
    heard.resolve()
    await queued
    expect(durable.executor.inspect()).toMatchObject([{ callId: "a" }])
    looked.resolve()
  })

  it.for(["durable", "executor"] as const)(
    "gives the turns of a lane in the order of its calls, queued by a client and by the owner's %s in turn",
    async (by) => {
      const store = await server.database()
      const ran = new Map<string, Array<string>>()
      const tool = pipeline().andThen(({ call }) => {
        const lane = call.callId.split(" ")[0]!
        ran.set(lane, [...(ran.get(lane) ?? []), call.callId])
        return Step.Output("x")
      })
      const owner = await durableOf(store, { tool, gated: gated() })
      await using client = await openDurableExecutor({ store, runner: false })
      const lanes = Array.from({ length: 25 }, (_, index) => `lane-${index}`)
      // A lane of its own for each agent, and one of two agents.
      const callOf = (lane: string, index: number) => {
        const agentId = lane === "lane-0" && index % 2 === 0 ? "other" : lane
        return {
          callId: `${lane} ${index}`,
          agentId,
          name: "tool",
          ...(lane === "lane-0" && { lane: "shared" }),
        }
      }
      const agentIds = [...lanes, "other"]
      await owner.enqueue(
        agentIds.map((agentId) => ({ callId: agentId, agentId, name: "gated", background: true })),
      )
      await expect.poll(() => owner.inbox()).toHaveLength(agentIds.length)
      const queue = async (lane: string) => {
        for (let index = 0; index < 40; index += 2) {
          await client.enqueue([callOf(lane, index)])
          if (by === "durable") await owner.enqueue([callOf(lane, index + 1)])
          else await owner.executor.run(callOf(lane, index + 1), () => {})
        }
      }
      await Promise.all(lanes.map(queue))
      const expected = lanes.map((lane) => Array.from({ length: 40 }, (_, index) => `${lane} ${index}`))
      await expect.poll(() => [...ran.values()].flat().length, { timeout: 60_000 }).toBe(1000)
      expect(lanes.map((lane) => ran.get(lane))).toEqual(expected)
    },
  )

  it("keeps the order of what the owner gives its executor and then the store", async () => {
    const store = await server.database()
    const ran: Array<string> = []
    const tool = pipeline().andThen(({ call }) => {
      ran.push(call.callId)
      return Step.Output("x")
    })
    const owner = await durableOf(store, { tool })
    const callIds = Array.from({ length: 40 }, (_, index) => `c${index}`)
    for (const [index, callId] of callIds.entries()) {
      if (index % 2 === 0) owner.executor.enqueue([{ callId, name: "tool" }])
      else await owner.enqueue([{ callId, name: "tool" }])
    }
    await expect.poll(() => ran).toEqual(callIds)
  })

  it("counts no attempt of a call that others' calls turn out to be ahead of", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { gated: gated() })
    // It has the agent already.
    await durable.enqueue([{ callId: "open", name: "gated", background: true }])
    const other = await PostgresStore.open(store, false)
    onTestFinished(() => other.close())
    const call = { agentId: "main", callId: "ahead", name: "gated", params: {}, decision: "pending" } as const
    // Without a word to its runner.
    await other.submit([queuedSnapshot({ ...call, background: false }, Date.now())], undefined)
    durable.executor.enqueue([{ callId: "behind", name: "gated" }])
    await expect.poll(async () => (await other.inbox()).map(({ callId }) => callId)).toContain("ahead")
    const attempts = async () => {
      const [row] = await sql<[{ snapshot: string }]>`
        SELECT snapshot FROM stepline_calls WHERE call_id = 'behind'`
      return (JSON.parse(row.snapshot) as { readonly attempts?: number }).attempts ?? 0
    }
    await expect.poll(attempts).toBe(0)
  })

  it("does not wait with what its host queues for what its executor is given later", async () => {
    const store = await server.database()
    const tool = pipeline().andThen(() => Step.Output("x"))
    const durable = await durableOf(store, { tool })
    const looked = deferred()
    const look = vi.spyOn(Membership.prototype, "look").mockImplementation(async () => {
      await looked.promise
      return { state: undefined, fresh: [], requests: [] }
    })
    onTestFinished(() => {
      looked.resolve()
      look.mockRestore()
    })
    durable.executor.enqueue([{ callId: "before", name: "tool" }])
    const queued = durable.enqueue([{ callId: "a", name: "tool" }])
    // This one has its place only after a look.
    durable.executor.enqueue([{ callId: "later", agentId: "other", lane: "shared", name: "tool" }])
    await queued
    expect(await durable.result("later")).toBeUndefined()
    looked.resolve()
    await expect.poll(() => durable.result("later")).toMatchObject({ _tag: "Completed" })
  })
})
