/** Where a store is, as its host names it: `sqlite:./calls.db`, a path, or `postgres://…`. */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { StoreError } from "./store-error.ts"

/** Whether it names a Postgres database. */
export const isPostgres = (store: unknown): store is string =>
  typeof store === "string" && /^postgres(ql)?:/.test(store)

/** The absolute path of the database. Throws a StoreError for what is no store. */
export const storePath = (store: string, cwd = process.cwd()): string => {
  if (typeof store !== "string" || store === "") {
    throw new StoreError("Expected `store` to name a database file, such as sqlite:./calls.db")
  }
  if (store.startsWith("file:")) return fileURLToPath(store)
  const path = store.startsWith("sqlite:") ? store.slice("sqlite:".length) : store
  if (path === "" || path === ":memory:") {
    throw new StoreError(`A store is a file, and \`${store}\` is none: use sqlite:./calls.db, say`)
  }
  return resolve(cwd, path)
}
