// @module-tag waits
/** A Postgres store on whose network nothing comes through any more, and no connection ends. */
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { connectSql } from "../../../src/durable/postgres/sql.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { proxied } from "../../servers/proxied.ts"
import { turn } from "../../support/deferred.ts"
import { registryOf } from "../../support/executor-of.ts"
import { describeWith } from "../../support/needs.ts"
import { untilTag } from "../durable-of.ts"
import { adminOf, connectionsTo, hold, waitingForLocks } from "./admin.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

/** The same store by another way, and what makes that silent. */
const silenced = async (url: string) => {
  let isSilent = false
  const store = await proxied(url, {
    pass: (bytes, to) => !isSilent && to.write(bytes),
    ends: () => !isSilent,
  })
  const silence = () => {
    isSilent = true
  }
  return { store, silence }
}

/** Waits for what takes its time, and lets that pass. */
const inTime = async (over: () => Promise<void>): Promise<void> => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  let isOver = false
  const waited = over().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(1000)
    await turn()
  }
  vi.useRealTimers()
  await waited
}

describeWith("postgres")("a Postgres store that says nothing any more", () => {
  const server = usePostgres()

  it("is left all the same, and its calls are there for the next one", async () => {
    const store = await server.database()
    const { store: silent, silence } = await silenced(store)
    const registry = registryOf({ gated: gated() })
    const durable = await openDurableExecutor({ store: silent, registry })
    await durable.enqueue([{ callId: "a", name: "gated" }])
    await untilTag(durable, "AwaitingApproval")
    silence()
    await inTime(() => durable.close())
    const next = await openDurableExecutor({ store, registry })
    // The first one is held to be dead after a while.
    await expect.poll(() => next.executor.inspect()).toMatchObject([{ callId: "a" }])
    await next.close()
  })

  it("is closed by who reads it, whose reading fails", async () => {
    const { store: silent, silence } = await silenced(await server.database())
    const sql = await connectSql(silent, 1)
    await sql`SELECT 1`
    silence()
    const reads = [sql`SELECT 2`, sql`SELECT 3`].map((read) =>
      expect(read).rejects.toThrow("Connection terminated"),
    )
    await inTime(() => sql.end())
    await Promise.all(reads)
  })
})

describeWith("postgres")("a Postgres store that is slow", () => {
  const server = usePostgres()

  it("is waited for, also by what gets no connection in time", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    await (await openDurableExecutor({ store, registry: registryOf({ gated: gated() }) })).close()
    await using client = await openDurableExecutor({ store, runner: false })
    const letGo = await hold(sql, "stepline_calls", "ACCESS EXCLUSIVE")
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const reads = Promise.all(Array.from({ length: 5 }, () => client.inbox()))
    await expect.poll(() => waitingForLocks(sql)).toBe(4)
    await vi.advanceTimersByTimeAsync(11_000)
    vi.useRealTimers()
    await letGo()
    expect(await reads).toEqual([[], [], [], [], []])
  })

  it("gives what it was asked before it is closed, also to who waits for a connection", async () => {
    const store = await server.database()
    const admin = await adminOf(store)
    await admin.run("CREATE TABLE slow (id int)")
    const sql = await connectSql(`${store}?application_name=stepline`, 1)
    const letGo = await hold(admin, "slow", "ACCESS EXCLUSIVE")
    const reads = [sql`SELECT id FROM slow`, sql`SELECT 2 AS id`]
    await expect.poll(() => waitingForLocks(admin)).toBe(1)
    const ended = sql.end()
    await letGo()
    expect(await Promise.all(reads)).toEqual([[], [{ id: 2 }]])
    await ended
    await expect.poll(() => connectionsTo(admin)).toBe(0)
  })
})
