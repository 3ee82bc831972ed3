import { isPostgres } from "../durable/store-url.ts"

/** Names a store that is a database: where it is, for its password is nobody's. Undefined for a file. */
export const databaseName = (store: string): string | undefined => {
  if (!isPostgres(store)) return undefined
  if (!URL.canParse(store)) return "a database"
  const { host, pathname } = new URL(store)
  return `${host}${pathname}`
}
