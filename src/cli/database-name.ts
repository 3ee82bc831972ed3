import { isPostgres } from "../durable/store-url.ts"

/** Names a database store by its location, without its password. Undefined for a file. */
export const databaseName = (store: string): string | undefined => {
  if (!isPostgres(store)) return undefined
  if (!URL.canParse(store)) return "a database"
  const { host, pathname } = new URL(store)
  return `${host}${pathname}`
}
