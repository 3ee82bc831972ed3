/** The address of a store: `sqlite:./calls.db`, a path, or `postgres://…`. */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { messageOf } from "../text/message-of.ts"
import { StoreError } from "./store-error.ts"

/** Whether an address names a Postgres database. */
export const isPostgres = (store: unknown): store is string =>
  typeof store === "string" && /^postgres(ql)?:/i.test(store)

const filePath = (url: string): string => {
  try {
    return fileURLToPath(url)
  } catch (error) {
    throw new StoreError(`The store ${url} is no file of this machine: ${messageOf(error)}`, { cause: error })
  }
}

/** The absolute path of a database file. Throws a StoreError for an address without a path. */
export const storePath = (store: string, cwd = process.cwd()): string => {
  if (typeof store !== "string" || store === "") {
    throw new StoreError("Expected `store` to name a database file, such as sqlite:./calls.db")
  }
  if (/^file:/i.test(store)) return filePath(store)
  const path = store.replace(/^sqlite:/i, "")
  const [, scheme] = path === store ? (/^([a-z][a-z\d+.-]*):\/\//i.exec(store) ?? []) : []
  if (scheme !== undefined) {
    throw new StoreError(
      `There are no stores of ${scheme}:// here. Expected a file, such as sqlite:./calls.db, or postgres://user:password@host:5432/database`,
    )
  }
  if (path === "" || path === ":memory:") {
    throw new StoreError(`A store is a file, and \`${store}\` is none: use sqlite:./calls.db, say`)
  }
  return resolve(cwd, path)
}
