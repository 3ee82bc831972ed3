/** The same tests for each database that a store may be in. */
import { beforeEach, describe } from "vitest"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"

/** Whether several processes may run the calls of a store. */
export const isShared = (store: string): boolean => store.startsWith("postgres:")

/** The leases of killed processes are over: in a file, there are none. */
export const leasesEnd = async (store: string): Promise<void> => {
  if (!isShared(store)) return
  const sql = await connectSql(store, 1)
  await sql`UPDATE stepline_runners SET expires_at = now()`
  await sql.end()
}

type Tests = (path: (name?: string) => string, store: () => string) => void

/** `path` is a folder of each test's own, and `store` the address of its store. */
export const describeStores = (name: string, tests: Tests): void => {
  describe(`${name}, in a file:`, () => {
    const path = useTempFolder()
    tests(path, () => path("calls.db"))
  })
  describeWith("postgres")(`${name}, in Postgres:`, () => {
    const path = useTempFolder()
    const server = usePostgres()
    let store = ""
    beforeEach(async () => {
      store = await server.database()
    })
    tests(path, () => store)
  })
}
