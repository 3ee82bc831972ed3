// @module-tag waits
/** How long a store keeps what has ended. */
import { statSync } from "node:fs"
import Libsql from "libsql"
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { registryOf } from "../support/executor-of.ts"
import { describeWith } from "../support/needs.ts"
import { durableOf } from "./durable-of.ts"
import { adminOf } from "./postgres/admin.ts"
import { describeStores } from "./stores.ts"

const path = useTempFolder()

const day = 86_400_000
const tools = { quick: pipeline().andThen(() => Step.Output("done")) }
const call = { callId: "a", name: "quick" }

/** From here on this process's clock is ahead by so many days. */
const setAhead = (days: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * day })
  onTestFinished(() => void vi.useRealTimers())
}

/** Opens a store, which forgets what is old, and closes it again. */
const openOnce = async (store: string, retention?: string): Promise<void> => {
  const options = retention === undefined ? {} : { retention: retention as "7 days" }
  const durable = await openDurableExecutor({ store, registry: registryOf(tools), ...options })
  await durable.close()
}

describeStores("what has ended", (_path, store) => {
  it("is kept though the clock of who opens the store is eight days ahead", async () => {
    const first = await durableOf(store(), tools)
    await first.executor.run(call)
    await first.close()
    setAhead(8)
    await openOnce(store())
    await using client = await openDurableExecutor({ store: store(), runner: false })
    expect(await client.result("a")).toMatchObject({ content: "done" })
    expect((await client.events().next()).value).toMatchObject({ callId: "a" })
  })
})

it("what has ended leaves its room in a file with it", async () => {
  const store = path("calls.db")
  const long = pipeline().andThen(() => Step.Output("x".repeat(10_000)))
  const first = await durableOf(store, { ...tools, long })
  for (let at = 0; at < 500; at += 1) await first.executor.run({ callId: `l${at}`, name: "long" })
  await first.close()
  const full = statSync(store).size
  setAhead(8)
  const second = await durableOf(store, tools)
  await second.executor.run(call)
  await second.close()
  const gaveBack = vi.spyOn(StoreDatabase.prototype, "all")
  onTestFinished(() => gaveBack.mockRestore())
  const third = await durableOf(store, tools)
  const file = new Libsql(store)
  onTestFinished(() => void file.close())
  await expect.poll(() => file.prepare("PRAGMA freelist_count").get()).toMatchObject({ freelist_count: 0 })
  await third.close()
  expect(statSync(store).size).toBeLessThan(full / 10)
  // In steps, between which other work is done.
  const steps = gaveBack.mock.calls.filter(([sql]) => sql.includes("incremental_vacuum"))
  expect(steps.length).toBeGreaterThan(1)
})

describeWith("postgres")("what has ended in Postgres", () => {
  const server = usePostgres()

  it("is kept for the longest retention of the processes that run, whatever their clocks say", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const patient = await durableOf(store, tools, { retention: "30 days" })
    // Its clock is behind: by that, its results are old at once.
    setAhead(-8)
    await patient.executor.run(call)
    await openOnce(store)
    expect(await patient.result("a")).toMatchObject({ content: "done" })
    await sql`UPDATE stepline_calls SET ended_at = ended_at - ${10 * day}::bigint`
    await openOnce(store)
    expect(await patient.result("a")).toMatchObject({ content: "done" })
    await patient.close()
    await openOnce(store, "20 days")
    await using client = await openDurableExecutor({ store, runner: false })
    expect(await client.result("a")).toMatchObject({ content: "done" })
    // One that is closed before it has pruned leaves that to the next.
    const resultLater = async () => {
      await openOnce(store)
      return client.result("a")
    }
    await expect.poll(resultLater).toBeUndefined()
  })
})
