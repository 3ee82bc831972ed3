/** Deletes old rows of a Postgres store. */
import type { Query, Sql } from "./sql.ts"

/** Deletes old rows. After a failure, the next run tries again. */
export const prune = (sql: Sql): Promise<void> => sql.begin(pruneIn).catch(() => undefined)

/** Uses the server's clock, which all processes share, and the longest retention of the live runners. */
const pruneIn = async (sql: Query): Promise<void> => {
  const [{ before }] = await sql<[{ before: number | null }]>`
    SELECT (extract(epoch FROM now()) * 1000)::bigint - max(value) AS before
    FROM stepline_meta JOIN stepline_runners ON key = 'retention ' || id`
  if (before === null) return
  await Promise.all([
    sql`
      DELETE FROM stepline_meta WHERE key LIKE 'retention %'
      AND NOT EXISTS (SELECT FROM stepline_runners WHERE key = 'retention ' || id)`,
    // The end of a nested call answers the handler of its outer call, which may run again.
    sql`
      DELETE FROM stepline_calls c WHERE ended_at < ${before} AND NOT EXISTS (
        SELECT FROM stepline_calls o
        WHERE o.call_id = regexp_replace(c.call_id, '/[0-9]+$', '') AND o.ended_at IS NULL)`,
    sql`DELETE FROM stepline_events WHERE at < ${before}`,
    sql`
      DELETE FROM stepline_meta
      WHERE CASE WHEN key LIKE 'events before %' THEN substr(key, 15)::bigint < ${before}::bigint * 1000 END`,
    // Claimed by a process that died before it stored the call, and not claimed again since.
    sql`
      DELETE FROM stepline_keys k WHERE at < ${before} AND output IS NULL
      AND NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = k.call_id AND ended_at IS NULL)`,
    sql`
      DELETE FROM stepline_uses u WHERE until <= (extract(epoch FROM now()) * 1000)::bigint OR until IS NULL AND at < ${before}
      AND NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = u.slot AND ended_at IS NULL)`,
    // An unanswered request is kept while its call is open or its task is kept, because it may still be answered.
    sql`
      DELETE FROM stepline_requests r WHERE at < ${before} AND (
        answer IS NOT NULL
        OR NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = r.call_id AND ended_at IS NULL)
        AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = r.call_id)
      )`,
  ])
}
