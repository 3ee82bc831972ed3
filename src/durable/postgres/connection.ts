/** Connections to a Postgres store, opened on demand, and reopened when they are lost. */
import { createHash } from "node:crypto"
import { messageOf } from "../../text/message-of.ts"
import { StoreError } from "../store-error.ts"
import { toWellFormed } from "../well-formed.ts"
import { newTables, schema, storeVersion } from "./schema.ts"
import { connectSql, type Queries, type Query, type Sql } from "./sql.ts"

/** The number of connections that a process uses for queries. */
const connections = 4

/** The address without its secrets, for errors. */
export const shown = (url: string): string => {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return "the address"
  }
}

/** Throws a StoreError for an address that is not a URL. The error of `URL` itself would contain the password. */
const checkAddress = (url: string): void => {
  try {
    // If the address lists several servers, the first is checked.
    const { username, password, pathname } = new URL(url.replace(/,[^/?]*/, ""))
    for (const part of [username, password, pathname]) decodeURIComponent(part)
  } catch {
    throw new StoreError(
      "The address of the store is no URL. Expected postgres://user:password@host:5432/database, where characters such as / # % of the password are written as %2F %23 %25",
    )
  }
}

/**
 * Opens a store. Throws a StoreError if the store cannot be reached, or if a newer version wrote it. `makes`: whether missing tables
 * are created.
 */
export const openConnection = (url: string, makes: boolean): Promise<Sql> =>
  opened(url, connections, (sql, name) => prepare(sql, name, makes))

/**
 * Opens a store for reading only: a store of an older version is left unchanged. Throws a StoreError as `openConnection`
 * does.
 */
export const openToRead = (url: string): Promise<Sql> =>
  opened(url, 1, async (sql, name) => void expectReadable(await versionOf(sql), name))

const opened = async (
  url: string,
  most: number,
  check: (sql: Sql, name: string) => Promise<void>,
): Promise<Sql> => {
  checkAddress(url)
  const sql = await connectSql(url, most)
  try {
    await check(sql, shown(url))
    return sql
  } catch (error) {
    await sql.end()
    if (error instanceof StoreError) throw error
    throw new StoreError(`Cannot open the store ${shown(url)}: ${messageOf(error)}`, { cause: error })
  }
}

const prepare = async (sql: Sql, name: string, makes: boolean): Promise<void> => {
  const found = makes ? await sql.begin((queries) => makeTables(queries, name)) : await versionOf(sql)
  const version = expectReadable(found, name)
  // The process that runs the calls could not read a call that this version adds.
  if (version < storeVersion) {
    throw new StoreError(
      `${name} was written by an older stepline: its version is ${version}, and ${storeVersion} is written. Update what runs its calls first.`,
    )
  }
}

/** Throws a StoreError if there is no store, or if a newer version wrote it. */
const expectReadable = (version: number | undefined, name: string): number => {
  if (version === undefined)
    throw new StoreError(`There is no store at ${name} yet: start what runs its calls first.`)
  if (version <= storeVersion) return version
  throw new StoreError(
    `${name} was written by a newer stepline: its version is ${version}, and ${storeVersion} is read. Update stepline, or use another database.`,
  )
}

/** Undefined if there is no store. */
const versionOf = async (sql: Query): Promise<number | undefined> => {
  const [found] = await sql<[{ there: boolean }]>`SELECT to_regclass('stepline_meta') IS NOT NULL AS there`
  if (!found.there) return undefined
  const [row] = await sql<Array<{ value: number }>>`SELECT value FROM stepline_meta WHERE key = 'version'`
  return row?.value
}

/**
 * Creates missing tables, or migrates older ones; returns their version. Only one of several processes that start together does
 * so.
 */
const makeTables = async (sql: Queries, name: string): Promise<number> => {
  await sql`SELECT pg_advisory_xact_lock(hashtext('stepline'))`
  const version = await versionOf(sql)
  if (version !== undefined && version >= storeVersion) return version
  if (version === undefined) await sql.run(schema)
  else {
    const [runner] = await sql`SELECT id FROM stepline_runners WHERE expires_at > now() LIMIT 1`
    if (runner !== undefined) {
      throw new StoreError(
        `Processes of an older stepline run the calls of ${name}, and could not read what this one writes: stop them first.`,
      )
    }
    await sql`UPDATE stepline_meta SET value = ${storeVersion} WHERE key = 'version'`
  }
  await sql.run(newTables)
  return storeVersion
}

/** The maximum characters that an index stores unchanged: its rows have at most 2,704 bytes. */
const longest = 600

/**
 * A text as a column stores it: without NUL and unpaired surrogates, which JSON texts escape anyway. A text that is too long for
 * an index ends in a hash of the full text.
 */
export const column = (text: string): string => {
  const clean = toWellFormed(text).replaceAll("\0", "\ufffd")
  if (clean.length <= longest) return clean
  const hash = createHash("sha256").update(clean).digest("hex")
  return `${toWellFormed(clean.slice(0, longest - hash.length))}${hash}`
}
