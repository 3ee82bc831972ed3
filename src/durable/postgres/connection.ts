/** Connections to a Postgres store, made when they are needed and again when they are lost. */
import { createHash } from "node:crypto"
import type postgres from "postgres"
import { isMissingModule } from "../../io/missing-module.ts"
import { messageOf } from "../../pipeline/model/failure.ts"
import { StoreError } from "../store-error.ts"
import { schema, storeVersion } from "./schema.ts"

/** What runs SQL. */
export type Sql = postgres.Sql<{ bigint: number }>

/** The same in a transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>

/** Seconds that a connection may take to be made. */
const connectTimeout = 10

/** Numbers of a store stay far below what a number holds exactly. */
const bigint = { to: 20, from: [20], parse: Number, serialize: String }

const load = async (): Promise<typeof postgres> => {
  try {
    return (await import("postgres")).default
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new StoreError("The package postgres is not installed. Install it: npm install postgres@3.4", {
      cause,
    })
  }
}

/** The address without what nobody should read in an error. */
const shown = (url: string): string => {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return "the address"
  }
}

/** Throws a StoreError for an address that is none. What a URL says of it would show its password. */
const checkAddress = (url: string): void => {
  try {
    // Of several servers, the first.
    const { username, password, pathname } = new URL(url.replace(/,[^/?]*/, ""))
    for (const part of [username, password, pathname]) decodeURIComponent(part)
  } catch {
    throw new StoreError(
      "The address of the store is no URL. Expected postgres://user:password@host:5432/database, where characters such as / # % of the password are written as %2F %23 %25",
    )
  }
}

/** An open store: a few connections for what is asked, and more, each for something of its own. */
export interface Connection {
  readonly sql: Sql
  readonly connect: () => Sql
}

/**
 * Opens a store. Throws a StoreError where it cannot be reached, and for one of a newer version. `makes`: whether its tables are
 * made where there are none.
 */
export const openConnection = async (url: string, makes: boolean): Promise<Connection> => {
  const postgres = await load()
  const connect = (max = 1) =>
    postgres(url, {
      types: { bigint },
      max,
      connect_timeout: connectTimeout,
      onnotice: () => undefined,
      connection: { application_name: "stepline" },
      backoff: (attempt) => Math.min(0.1 * 2 ** attempt, 1),
    }) as unknown as Sql
  checkAddress(url)
  const sql = connect(4)
  try {
    await prepare(sql, shown(url), makes)
    return { sql, connect }
  } catch (error) {
    await sql.end({ timeout: 1 }).catch(() => undefined)
    if (error instanceof StoreError) throw error
    throw new StoreError(`Cannot open the store ${shown(url)}: ${messageOf(error)}`, { cause: error })
  }
}

const prepare = async (sql: Sql, name: string, makes: boolean): Promise<void> => {
  const version = makes ? await sql.begin((transaction) => makeTables(transaction)) : await versionOf(sql)
  if (version === undefined)
    throw new StoreError(`There is no store at ${name} yet: start what runs its calls first.`)
  if (version > storeVersion) {
    throw new StoreError(
      `${name} was written by a newer stepline: its version is ${version}, and ${storeVersion} is read. Update stepline, or use another database.`,
    )
  }
}

/** Undefined where there is no store. */
const versionOf = async (sql: Sql | Transaction): Promise<number | undefined> => {
  const [found] = await sql<[{ there: boolean }]>`SELECT to_regclass('stepline_meta') IS NOT NULL AS there`
  if (!found.there) return undefined
  const [row] = await sql<Array<{ value: number }>>`SELECT value FROM stepline_meta WHERE key = 'version'`
  return row?.value
}

/** Gives their version. Of processes that start together, one makes them. */
const makeTables = async (sql: Transaction): Promise<number> => {
  await sql`SELECT pg_advisory_xact_lock(hashtext('stepline'))`
  const version = await versionOf(sql)
  if (version !== undefined) return version
  await sql.unsafe(schema)
  return storeVersion
}

/** Characters of a text that an index holds as they are: a row of one has 2,704 bytes. */
const longest = 600

/**
 * A text as a column holds it: without NUL, and without half a surrogate pair. JSON has neither: they are escapes there. One that is
 * too long for an index ends in a hash of all of it.
 */
export const column = (text: string): string => {
  const clean = toWellFormed(text).replaceAll("\0", "\ufffd")
  if (clean.length <= longest) return clean
  const hash = createHash("sha256").update(clean).digest("hex")
  return `${toWellFormed(clean.slice(0, longest - hash.length))}${hash}`
}

/** `isWellFormed` and its like are in Node 20, and not in its types. */
const toWellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8")
