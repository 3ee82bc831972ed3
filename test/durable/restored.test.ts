// @module-tag waits
/** A store that was restored from a backup: who read on after it is told, and everybody else reads all that comes. */
import { execFile } from "node:child_process"
import { copyFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import Libsql from "libsql"
import { expect, it } from "vitest"
import { type DurableCalls, openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { postgresPrograms } from "../servers/postgres-folders.ts"
import { registryOf } from "../support/executor-of.ts"
import { describeStores, isShared } from "./stores.ts"

const path = useTempFolder()

const run = promisify(execFile)

const backUp = (store: string, file: string): Promise<unknown> =>
  isShared(store)
    ? run(join(postgresPrograms!, "pg_dump"), ["--clean", "--if-exists", `--file=${file}`, store])
    : copyFile(store, file)

const restore = async (store: string, file: string): Promise<void> => {
  if (isShared(store)) await run(join(postgresPrograms!, "psql"), ["--quiet", `--file=${file}`, store])
  else {
    for (const end of ["", "-wal", "-shm"]) await rm(`${store}${end}`, { force: true })
    await copyFile(file, store)
  }
}

/** Runs these calls in a process of their own, and gives the cursor behind them. */
const ranIn = async (store: string, ...callIds: ReadonlyArray<string>): Promise<number> => {
  const says = pipeline().andThen(() => Step.Output("said"))
  await using durable = await openDurableExecutor({ store, registry: registryOf({ says }) })
  await durable.enqueue(callIds.map((callId) => ({ callId, name: "says" })))
  return (await readTo(durable, callIds.at(-1)!, 0)).cursor
}

/** Reads the events after a cursor, until a call has ended. */
const readTo = async (durable: Pick<DurableCalls, "events">, callId: string, after: number) => {
  const ended: Array<string> = []
  for await (const event of durable.events({ after })) {
    if (event._tag === "Completed") ended.push(event.callId)
    if (ended.at(-1) === callId) return { ended, cursor: event.seq }
  }
  throw new Error(`${callId} has not ended`)
}

it("a cursor of an event is refused that a file lost within the opening of its backup", async () => {
  const store = path("calls.db")
  const says = pipeline().andThen(() => Step.Output("said"))
  const durable = await openDurableExecutor({ store, registry: registryOf({ says }) })
  await durable.enqueue([{ callId: "a", name: "says" }])
  const kept = (await readTo(durable, "a", 0)).cursor
  await copyFile(store, path("killed.db"))
  await copyFile(`${store}-wal`, path("killed.db-wal"))
  const file = new Libsql(store)
  file.exec(`VACUUM INTO '${path("backup")}'`)
  file.close()
  await durable.enqueue([{ callId: "b", name: "says" }])
  const lost = (await readTo(durable, "b", kept)).cursor
  await durable.close()
  await restore(store, path("backup"))
  // A client may be the first that opens it.
  await using client = await openDurableExecutor({ store, runner: false })
  await ranIn(store, "c")
  await expect(client.events({ after: lost }).next()).rejects.toThrow(
    `The store has no event ${lost}: its events end at ${kept}`,
  )
  expect((await readTo(client, "c", kept)).ended).toEqual(["c"])
  // A process that was killed may have given away the next numbers for deltas, which are not stored.
  await ranIn(path("killed.db"), "c")
  await using next = await openDurableExecutor({ store: path("killed.db"), runner: false })
  expect((await readTo(next, "c", lost)).ended).toEqual(["c"])
})

describeStores("a cursor of a store that was restored", (path, storeOf) => {
  it("goes on where it is of an event that the backup has, and is refused where that is lost", async () => {
    const store = storeOf()
    const before = await ranIn(store, "a", "b")
    await backUp(store, path("backup"))
    const lost = await ranIn(store, "c", "d", "e")
    await restore(store, path("backup"))
    await ranIn(store, ...Array.from({ length: 20 }, (_, index) => `f${index}`))
    await using client = await openDurableExecutor({ store, runner: false })
    await expect(client.events({ after: lost }).next()).rejects.toThrow(
      `The store has no event ${lost}: its events end at `,
    )
    const { ended } = await readTo(client, "f19", before)
    expect(ended).toEqual(Array.from({ length: 20 }, (_, index) => `f${index}`))
    // The same backup once more: nothing of the first restore is taken for what comes after the second.
    const again = (await readTo(client, "f19", 0)).cursor
    await client.close()
    await restore(store, path("backup"))
    const last = await ranIn(store, "g")
    await using later = await openDurableExecutor({ store, runner: false })
    for (const after of [lost, again]) {
      await expect(later.events({ after }).next()).rejects.toThrow(`The store has no event ${after}`)
    }
    expect((await readTo(later, "g", before)).ended).toEqual(["g"])
    expect((await readTo(later, "g", last - 1)).cursor).toBe(last)
  })
})
