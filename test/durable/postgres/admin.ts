/** What somebody else does to a Postgres store, on connections of its own. */
import { onTestFinished } from "vitest"
import { connectSql, type Sql } from "../../../src/durable/postgres/sql.ts"
import { deferred } from "../../support/deferred.ts"

/** Connections to a store, which end with the test. */
export const adminOf = async (store: string): Promise<Sql> => {
  const sql = await connectSql(`${store}?application_name=admin`, 2)
  onTestFinished(() => sql.end())
  return sql
}

/** Holds a table; gives a function that lets it go. */
export const hold = async (sql: Sql, table: string, mode: string): Promise<() => Promise<void>> => {
  const held = deferred()
  const letGo = deferred()
  const over = sql.begin(async (queries) => {
    await queries.run(`LOCK TABLE ${table} IN ${mode} MODE`)
    held.resolve()
    await letGo.promise
  })
  await held.promise
  return () => {
    letGo.resolve()
    return over
  }
}

/** How many statements of a store wait for a lock. */
export const waitingForLocks = async (sql: Sql): Promise<number> => {
  const rows = await sql`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'stepline' AND wait_event_type = 'Lock'`
  return rows.length
}

/** How many connections stepline has to the database of a store. */
export const connectionsTo = async (sql: Sql): Promise<number> => {
  const rows = await sql`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'stepline'`
  return rows.length
}
