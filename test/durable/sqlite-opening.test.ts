/** A client that opens the file of a store while its owner makes it. */
import { copyFileSync, writeFileSync } from "node:fs"
import Libsql from "libsql"
import { expect, it, onTestFinished, vi } from "vitest"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

it.each([1, 2, 3])("sees it, or that there is none yet, where it is made ahead of read %i", async (at) => {
  const [store, made] = [path("calls.db"), path("made.db")]
  ;(await StoreDatabase.open(made, true)).close()
  // All of it into the one file.
  const whole = new Libsql(made)
  whole.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  whole.close()
  writeFileSync(store, "")
  let reads = 0
  const { prepare } = Libsql.prototype
  const prepared = vi.spyOn(Libsql.prototype, "prepare")
  onTestFinished(() => prepared.mockRestore())
  prepared.mockImplementation(function (this: Libsql.Database, text: string) {
    reads += 1
    if (reads === at) copyFileSync(made, store)
    return prepare.call(this, text)
  })
  const opened = await StoreDatabase.open(store, false).catch((error: unknown) => error)
  expect(reads).toBeGreaterThanOrEqual(3)
  if (opened instanceof StoreDatabase) opened.close()
  else expect(opened).toMatchObject({ message: expect.stringContaining("There is no store at") })
})
