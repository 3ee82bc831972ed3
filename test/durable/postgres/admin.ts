/** What somebody else does to a Postgres store, on connections of its own. */
import { expect, onTestFinished } from "vitest"
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

/** The time of runners that were killed is over at once. */
export const expireRunners = async (store: string): Promise<void> => {
  const sql = await connectSql(`${store}?application_name=admin`, 1)
  // The last that they sent may have been that they live, and be carried out yet.
  await expect.poll(() => connectionsTo(sql)).toBe(0)
  await sql`UPDATE stepline_runners SET expires_at = now() - interval '1 second'`
  await sql.end()
}

/**
 * From now on the runners of a store, but for one, are held to live however long this machine holds them up: what a test says of
 * several that live is not about their leases. They show that they live all the same.
 */
export const outliveLeases = async (sql: Sql, but = 0): Promise<void> => {
  // One at a time: two that make the same function at once fail.
  await sql.run(`
    SELECT pg_advisory_xact_lock(hashtext('outlive_lease'));
    CREATE OR REPLACE FUNCTION outlive_lease() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.expires_at = NEW.expires_at + interval '1 day'; RETURN NEW; END $$;
    CREATE OR REPLACE TRIGGER outlive_lease BEFORE INSERT OR UPDATE ON stepline_runners
      FOR EACH ROW WHEN (NEW.id <> ${but}) EXECUTE FUNCTION outlive_lease();
    UPDATE stepline_runners SET expires_at = now() WHERE id <> ${but}`)
}
