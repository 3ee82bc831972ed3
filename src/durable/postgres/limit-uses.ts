/**
 * The uses that the calls of all runners count at limits: a row for each agent, turn, part of a rate's time, and running
 * call.
 */

import type { LimitUse } from "../../limits/stored-counts.ts"
import { column } from "./connection.ts"
import type { Query } from "./sql.ts"

/** The key of the rows of calls that have counted at all but `concurrency`, and have not ended. */
export const countedKey = "counted"

/** A limit that is full. `wait`: null if a call has to end first. */
interface Full {
  readonly index: number
  readonly wait: number | null
}

/** Counts a call at all of its limits or at none, in its own transaction. Only one process at a time counts at a limit. */
export const countUses = async (
  sql: Query,
  callId: string,
  uses: ReadonlyArray<LimitUse>,
): Promise<Full | undefined> => {
  const rows = uses.map(({ key, kind, cost, max, rate }, index) => ({
    index,
    kind,
    key: column(key),
    slot: kind === "concurrency" ? column(callId) : "",
    cost,
    max,
    per: rate?.per,
    part: rate?.part,
  }))
  const keys = [...new Set(rows.map(({ key }) => key))].sort()
  // Each statement sees the rows that were stored before it: the locks come first, always in the same order.
  const [, , [full]] = await Promise.all([
    sql`SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest(${keys}::text[]) AS key`,
    sql`
      DELETE FROM stepline_uses u WHERE key = ANY(${keys}::text[]) AND (
        until <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        OR until IS NULL AND slot <> ''
        AND NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = u.slot AND ended_at IS NULL))`,
    sql<Array<Full>>`
      WITH clock AS (
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
      ), asked AS (
        SELECT *, ceil(now / part) AS at_part
        FROM clock, json_to_recordset(${JSON.stringify(rows)}::text::json)
          AS rows(index int, kind text, key text, slot text, cost float8, max float8, per float8, part float8)
        -- Counted by a process that died before the call began.
        WHERE kind = 'concurrency' OR NOT EXISTS (SELECT FROM stepline_uses WHERE key = ${countedKey} AND slot = ${column(callId)})
      ), reached AS (
        SELECT index, (min(until) - min(now))::float8 AS wait
        FROM asked LEFT JOIN stepline_uses u ON u.key = asked.key AND (asked.slot = '' OR u.slot <> asked.slot)
        GROUP BY index HAVING coalesce(sum(used), 0) + min(cost) > min(max)
      ), counted AS (
        INSERT INTO stepline_uses AS u (key, slot, used, until, at)
        SELECT key, coalesce(at_part::bigint::text, slot), cost, ceil(at_part * part + per)::bigint, now::bigint
        FROM asked WHERE NOT EXISTS (SELECT FROM reached)
        UNION ALL SELECT ${countedKey}, ${column(callId)}, 0, NULL, now::bigint FROM clock
        WHERE NOT EXISTS (SELECT FROM reached) AND EXISTS (SELECT FROM asked WHERE kind <> 'concurrency')
        ON CONFLICT (key, slot) DO UPDATE SET at = EXCLUDED.at,
          used = CASE WHEN u.until IS NULL AND u.slot <> '' THEN EXCLUDED.used ELSE u.used + EXCLUDED.used END
      )
      SELECT index, wait FROM reached ORDER BY index LIMIT 1`,
  ])
  return full
}
