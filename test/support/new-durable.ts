/** Durable executors for the suites of the engine, each over a store of its own in a temporary file. */
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DurableExecutor, DurableOptions } from "../../src/durable/index.ts"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { SqliteExecutor } from "../../src/durable/sqlite/sqlite-executor.ts"
import type { ToolRegistry } from "../../src/index.ts"

/** Stores that are open before a test begins: its executors are made without waiting, as those in memory are. */
const storesATest = 16

/** Where there is one, a folder in memory: what is tested is not the disk. */
const folders = ["/dev/shm", tmpdir()]

const stores: Array<StoreDatabase> = []
let folder: string | undefined
let count = 0

/** Opens as many stores as a test may need. */
export const openStores = async (): Promise<void> => {
  folder ??= await mkdtemp(join(folders.find(existsSync)!, "stepline-durable-"))
  while (stores.length < storesATest) {
    count += 1
    stores.push(await StoreDatabase.open(join(folder, `${count}.db`), true))
  }
}

/** Closes those that no test has taken. */
export const closeStores = async (): Promise<void> => {
  for (const store of stores.splice(0)) store.close()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  folder = undefined
}

const take = (registry: ToolRegistry<never>, options: DurableOptions = {}): DurableExecutor => {
  const store = stores.shift()
  if (store === undefined) throw new Error(`This test makes more than ${storesATest} executors`)
  return SqliteExecutor.over(store, registry, options)
}

/** Undefined where the suites run in memory. */
export const newDurable = process.env.STEPLINE_TEST_EXECUTOR === "durable" ? take : undefined
