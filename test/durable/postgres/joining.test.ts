// @module-tag waits
/** How a process becomes one of the runners of a Postgres store, shows that it lives, and leaves, while the store is slow or fails. */
import pg from "pg"
import { expect, it, type Mock, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { listen } from "../../../src/durable/postgres/sql.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { deferred } from "../../support/deferred.ts"
import { registryOf } from "../../support/executor-of.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"
import { adminOf, connectionsTo, hold } from "./admin.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

/** How many of the statements that were sent are answered. */
const answersTo = async (sent: Mock): Promise<number> => {
  const settled = await Promise.all(sent.mock.results.map(({ value }) => value as Promise<unknown>))
  // What follows from the answers is sent in the next turn.
  await new Promise(setImmediate)
  return settled.length
}

describeWith("postgres")("a runner of a Postgres store", () => {
  const server = usePostgres()

  it("shows that it lives once at a time, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await server.database()
    const sql = await adminOf(store)
    await durableOf(store, { gated: gated() })
    const letGo = await hold(sql, "stepline_runners", "SHARE")
    const sent = vi.spyOn(pg.Pool.prototype, "query")
    onTestFinished(() => sent.mockRestore())
    vi.advanceTimersByTime(10_000)
    expect(sent.mock.calls.filter(([text]) => String(text).includes("UPDATE stepline_runners"))).toHaveLength(
      1,
    )
    await letGo()
  })

  it("tells all processes of free agents once another one has died, and not again while they stay free", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await server.database()
    const sql = await adminOf(store)
    await durableOf(store, { gated: gated() })
    await using client = await openDurableExecutor({ store, runner: false })
    // Nobody has the tool, so that its agent stays free.
    await client.enqueue([{ name: "rare" }])
    const sent = vi.spyOn(pg.Pool.prototype, "query")
    onTestFinished(() => sent.mockRestore())
    const heard: Array<string> = []
    const listener = await listen(
      store,
      "stepline",
      (notice) => heard.push(notice),
      () => undefined,
    )
    onTestFinished(() => listener.end())
    /** The notices of a heartbeat, and of all that follows from it. */
    const beat = async () => {
      const from = heard.length
      vi.advanceTimersByTime(1000)
      await expect.poll(async () => (await answersTo(sent)) - sent.mock.calls.length).toBe(0)
      const last = `over ${from}`
      await sql`SELECT pg_notify('stepline', ${last})`
      await expect.poll(() => heard).toContain(last)
      return heard.slice(from, heard.indexOf(last))
    }
    await beat()
    for (let second = 1; second <= 3; second++) expect(await beat()).not.toContain("work")
    await sql`INSERT INTO stepline_runners (expires_at) VALUES (now() - interval '1 day')`
    expect(await beat()).toContain("work")
    expect(await beat()).not.toContain("work")
    expect(await sql`SELECT runner FROM stepline_agents`).toEqual([{ runner: null }])
  })

  it("sends one statement a second while it has nothing to do", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const durable = await durableOf(await server.database(), { gated: gated() })
    await durable.enqueue([{ name: "gated" }])
    await untilTag(durable, "AwaitingApproval")
    const sent = vi.spyOn(pg.Pool.prototype, "query")
    onTestFinished(() => sent.mockRestore())
    // The number of its agents has changed: once, it compares that with the others'.
    vi.advanceTimersByTime(1000)
    await expect.poll(async () => (await answersTo(sent)) - sent.mock.calls.length).toBe(0)
    const before = sent.mock.calls.length
    for (let second = 1; second <= 3; second++) {
      vi.advanceTimersByTime(1000)
      expect(await answersTo(sent)).toBe(before + second)
    }
  })

  it("sends nine statements for a call: its row, its events and its end in two transactions", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const { executor } = await durableOf(await server.database(), {
      quick: pipeline().andThen(() => Step.Output("done")),
    })
    await executor.run({ name: "quick" })
    const sent = vi.spyOn(pg.Client.prototype, "query")
    onTestFinished(() => sent.mockRestore())
    await executor.run({ name: "quick" })
    expect(sent.mock.calls.filter(([text]) => String(text).startsWith("BEGIN"))).toHaveLength(2)
    expect(sent).toHaveBeenCalledTimes(9)
  })

  it("waits at its end until it has joined again, and leaves then, too", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const durable = await durableOf(store, { gated: gated() })
    await durable.enqueue([{ name: "gated" }])
    // A commit that began before would wait for the table, and whoever deletes its runner for the commit.
    await untilTag(durable, "AwaitingApproval")
    const letGo = await hold(sql, "stepline_tasks", "ACCESS EXCLUSIVE")
    await sql`DELETE FROM stepline_runners`
    durable.executor.enqueue([{ name: "gated" }])
    await expect.poll(() => sql`SELECT id FROM stepline_runners`).toHaveLength(1)
    const closed = durable.close()
    await letGo()
    await closed
    expect(await sql`SELECT id FROM stepline_runners`).toEqual([])
    await expect.poll(() => connectionsTo(sql)).toBe(0)
  })

  it("joins beside one that died while it stored something", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    await (await openDurableExecutor({ store, registry: registryOf({}) })).close()
    await sql`INSERT INTO stepline_runners (expires_at) VALUES (now() - interval '2 days')`
    const held = deferred()
    const letGo = deferred()
    const storing = sql.begin(async (queries) => {
      // As the server keeps the commit of a process that is frozen, or whose machine is gone.
      await queries`SELECT FROM stepline_runners FOR KEY SHARE`
      held.resolve()
      await letGo.promise
    })
    await held.promise
    await using _ = await openDurableExecutor({ store, registry: registryOf({}) })
    letGo.resolve()
    await storing
    await expect.poll(() => sql`SELECT id FROM stepline_runners`).toHaveLength(1)
  })

  it("leaves nothing of it where it cannot be opened", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    await (await openDurableExecutor({ store, registry: registryOf({}) })).close()
    const wrong = { store, registry: registryOf({}), taskTtl: "soon" as never }
    await expect(openDurableExecutor(wrong)).rejects.toThrow("Expected `taskTtl`")
    expect(await sql`SELECT id FROM stepline_runners`).toEqual([])
    await sql`ALTER TABLE stepline_rules RENAME TO elsewhere`
    await expect(openDurableExecutor({ store, registry: registryOf({}) })).rejects.toThrow("stepline_rules")
    expect(await sql`SELECT id FROM stepline_runners`).toEqual([])
    await expect.poll(() => connectionsTo(sql)).toBe(0)
  })

  it("joins again until it can, and is one runner then", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const told: Array<unknown> = []
    const failed = deferred()
    const onStoreError = (error: unknown) => {
      told.push(error)
      if (told.length === 3) failed.resolve()
    }
    const durable = await durableOf(store, { gated: gated() }, { onStoreError })
    await durable.enqueue([{ callId: "a", name: "gated" }])
    await untilTag(durable, "AwaitingApproval")
    await sql`ALTER TABLE stepline_tasks RENAME TO elsewhere`
    await sql`DELETE FROM stepline_runners`
    await failed.promise
    await sql`ALTER TABLE elsewhere RENAME TO stepline_tasks`
    await expect.poll(() => told.at(-1)).toBeUndefined()
    expect(await sql`SELECT id FROM stepline_runners`).toHaveLength(1)
    expect(durable.executor.inspect()).toMatchObject([{ callId: "a" }])
    expect(await durable.approve("a")).toBe(true)
  })
})
