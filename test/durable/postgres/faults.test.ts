// @module-tag waits
/** What goes wrong between a runner and its store in the middle of things: no call is lost by it, and none blocks the others. */
import { randomBytes } from "node:crypto"
import { inspect } from "node:util"
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { pipeline, Step, ToolRegistry } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { registryOf } from "../../support/executor-of.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"
import { adminOf, connectionsTo, hold, waitingForLocks } from "./admin.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

const quick = () => pipeline().andThen(() => Step.Output("done"))

describeWith("postgres")("a Postgres store that fails in the middle", () => {
  const server = usePostgres()

  it("gives the calls of agents that a runner got while its store failed", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const one = await durableOf(store, { gated: gated() })
    await one.enqueue([{ callId: "a", name: "gated" }])
    await expect.poll(() => one.inbox()).toHaveLength(1)
    const other = await durableOf(store, { gated: gated() })
    const letGo = await hold(sql, "stepline_actions", "ACCESS EXCLUSIVE")
    await one.close()
    await expect
      .poll(
        () => sql`SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'stepline' AND wait_event_type = 'Lock'`,
      )
      .toContainEqual({ done: true })
    await letGo()
    await expect.poll(() => other.executor.inspect()).toMatchObject([{ callId: "a" }])
    expect(await other.approve("a")).toBe(true)
  })

  it("keeps an agent whose next call is being stored while it is looked whether it is idle", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { quick: quick(), gated: gated() })
    durable.executor.enqueue([{ callId: "a", name: "quick" }])
    await untilTag(durable, "Completed")
    const letGo = await hold(sql, "stepline_calls", "SHARE")
    durable.executor.enqueue([{ callId: "b", name: "gated" }])
    const shown = async () => JSON.stringify(await sql`SELECT expires_at::text AS at FROM stepline_runners`)
    for (let beats = 0; beats < 3; beats += 1) {
      const before = await shown()
      await expect.poll(shown).not.toBe(before)
    }
    await letGo()
    await untilTag(durable, "AwaitingApproval")
    expect(await sql`SELECT agent_id FROM stepline_agents WHERE runner IS NOT NULL`).toMatchObject([
      { agent_id: "main" },
    ])
  })

  it("loses no call when connections are cut in the middle of its transactions", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { quick: quick() })
    const cut = () => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'stepline'`
    const callIds = Array.from({ length: 200 }, (_, index) => `c${index}`)
    for (const [index, callId] of callIds.entries()) {
      durable.executor.enqueue([{ callId, agentId: `a${index % 5}`, name: "quick" }])
      if (index % 20 === 10) {
        const letGo = await hold(sql, "stepline_calls", "ACCESS EXCLUSIVE")
        await expect.poll(() => waitingForLocks(sql)).toBeGreaterThan(0)
        await cut()
        await letGo()
      }
    }
    const ends = async () => {
      const events = await sql<Array<{ event: string }>>`SELECT event FROM stepline_events`
      const told = events.map(({ event }) => JSON.parse(event) as { _tag: string; callId: string })
      return told.filter(({ _tag }) => _tag === "Completed").map(({ callId }) => callId)
    }
    await expect.poll(() => ends().then((ids) => ids.sort())).toEqual([...callIds].sort())
  })

  it("stores what has odd numbers, and ids of any length", async () => {
    const store = await server.database()
    const long = randomBytes(6000).toString("base64")
    const durable = await durableOf(
      store,
      { gated: gated(), quick: quick() },
      { approvalTimeout: 3_600_000.5 },
    )
    durable.executor.enqueue([
      { callId: "a", name: "gated" },
      { callId: long, agentId: long, name: "quick" },
    ])
    await untilTag(durable, "AwaitingApproval")
    expect(await untilTag(durable, "Completed")).toMatchObject({ callId: long, agentId: long })
    expect(await durable.result(long)).toMatchObject({ callId: long, agentId: long })
    expect(await durable.enqueue([{ callId: long, agentId: long, name: "quick" }])).toEqual([long])
  })

  it("is closed once, however often that is asked", async () => {
    const store = await server.database()
    const registry = registryOf({ quick: quick() })
    const durable = await openDurableExecutor({ store, registry })
    const sql = await adminOf(store)
    void durable.close()
    await durable.close()
    expect(await sql`SELECT FROM stepline_runners`).toHaveLength(0)
    await expect(durable.enqueue([{ callId: "late", name: "quick" }])).rejects.toThrow(
      "The store was closed: open it again",
    )
  })

  it("is left, and nothing is kept of it, where its executor fails to end", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await openDurableExecutor({ store, registry: registryOf({ quick: quick() }) })
    vi.spyOn(durable.executor, "shutdown").mockRejectedValue(new Error("It does not end"))
    const set = vi.spyOn(globalThis, "setInterval")
    const clear = vi.spyOn(globalThis, "clearInterval")
    onTestFinished(() => void vi.restoreAllMocks())
    const closed = durable.close()
    const late = set.mock.results[0]?.value
    await expect(closed).rejects.toThrow("It does not end")
    expect(late).toBeDefined()
    expect(clear.mock.calls.map(([timer]) => timer)).toContain(late)
    expect(await sql`SELECT FROM stepline_runners`).toHaveLength(0)
    await expect.poll(() => connectionsTo(sql)).toBe(0)
  })

  it("is left to the others with its executor", async () => {
    const store = await server.database()
    const one = await durableOf(store, { gated: gated() })
    await one.enqueue([{ callId: "a", name: "gated" }])
    await untilTag(one, "AwaitingApproval")
    const other = await durableOf(store, { gated: gated() })
    await one.executor.shutdown()
    expect(await untilTag(other, "AwaitingApproval")).toMatchObject({ callId: "a" })
    expect(await one.approve("a")).toBe(true)
    expect(await untilTag(other, "Completed")).toMatchObject({ callId: "a" })
  })

  it("is run where `runner` is undefined", async () => {
    const store = await server.database()
    const durable = await durableOf(store, { quick: quick() }, { runner: undefined } as object)
    await durable.enqueue([{ callId: "a", name: "quick" }])
    await untilTag(durable, "Completed")
  })

  it("does not tell its password, whatever is wrong with its address", async () => {
    const registry = new ToolRegistry([])
    const addresses = [
      "postgres://u:s3/cret@127.0.0.1:1/x",
      "postgres://u:s3%cret@127.0.0.1:1/x",
      "postgres://u:s3cret@127.0.0.1:99999/x",
      "postgres://u:s3cret@127.0.0.1:1/x?password=s3cret",
    ]
    for (const store of addresses) {
      const error = await openDurableExecutor({ store, registry }).catch((error: unknown) => error)
      expect(error).toMatchObject({ name: "StoreError" })
      expect(inspect(error)).not.toMatch(/s3|cret/)
    }
  })

  it("takes no conflict for a failure where a database defaults to serializable transactions", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const [{ name }] = await sql<[{ name: string }]>`SELECT current_database() AS name`
    await sql.run(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`)
    const failures: Array<unknown> = []
    const onStoreError = (error: unknown) => failures.push(error)
    const runners = [
      await durableOf(store, { quick: quick() }, { onStoreError }),
      await durableOf(store, { quick: quick() }, { onStoreError }),
    ]
    const runs = Array.from({ length: 60 }, (_, index) => {
      const callId = `c${index}`
      return runners[index % 2]!.executor.run({ callId, agentId: callId, name: "quick" })
    })
    const results = await Promise.all(runs)
    expect(results.map(({ status }) => status)).toEqual(runs.map(() => "complete"))
    expect(failures).toEqual([])
  })

  it("lets what is asked wait while its connections are cut, and while it may only be read", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const cut = () => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'stepline'`
    const [{ name }] = await sql<[{ name: string }]>`SELECT current_database() AS name`
    const makeReadOnly = async (isSo: boolean) => {
      await sql.run(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isSo ? "on" : "off"}`)
    }
    const durable = await durableOf(store, { quick: quick() })
    await using client = await openDurableExecutor({ store, runner: false })
    const callIds: Array<string> = []
    const ask = async (by: typeof durable | typeof client, rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        const callId = `c${callIds.length}`
        callIds.push(callId)
        await by.enqueue([{ callId, agentId: callId, name: "quick" }])
        await by.inbox()
        await by.tasks.list()
      }
    }
    const storm = async () => {
      for (let cuts = 0; cuts < 100; cuts += 1) {
        await cut()
        // The server's pause: what is asked gets through to it in part.
        await sql`SELECT pg_sleep(0.02)`
      }
    }
    const asking = [durable, client, durable, client].map((by) => ask(by, 20))
    const [asked] = await Promise.all([Promise.allSettled(asking), storm()])
    expect(asked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))).toEqual([])
    await makeReadOnly(true)
    await cut()
    // Connections that see the server as one that may only be read.
    await durable.inbox()
    await client.inbox()
    const waiting = Promise.all([ask(durable, 1), ask(client, 1)])
    await makeReadOnly(false)
    await waiting
    await expect
      .poll(async () => Promise.all(callIds.map((id) => client.result(id))))
      .not.toContain(undefined)
  })
})
