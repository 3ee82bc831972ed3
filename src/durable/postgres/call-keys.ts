/** The idempotency keys of the calls of all runners: a row for each call that has a key, or whose output answers other calls. */

import type { Changes } from "../store.ts"
import { toWellFormed } from "../well-formed.ts"
import { column } from "./connection.ts"
import { inParts } from "./in-parts.ts"
import type { Query } from "./sql.ts"

/** The maximum number of keys that one commit deletes; later commits delete the rest. */
const forgotten = 1000

/** The output that answers calls with this key. */
export const outputOf = async (sql: Query, key: string): Promise<string | undefined> => {
  const [row] = await sql<Array<{ output: string }>>`
    SELECT output FROM stepline_keys
    WHERE key = ${key} AND output IS NOT NULL AND expires_at > (extract(epoch FROM now()) * 1000)::bigint`
  return row?.output
}

/**
 * Takes a key for a call if the key is free, its output is too old, or its call will not end it any more. A call without a stored
 * row belongs to a live runner.
 */
export const takeKey = async (sql: Query, runner: number, key: string, callId: string): Promise<boolean> => {
  const taken = await sql`
    INSERT INTO stepline_keys AS k (key, call_id, runner, at)
    VALUES (${key}, ${column(callId)}, ${runner}, (extract(epoch FROM now()) * 1000)::bigint)
    ON CONFLICT (key) DO UPDATE SET
      call_id = EXCLUDED.call_id, runner = EXCLUDED.runner, at = EXCLUDED.at, output = NULL, expires_at = NULL
    WHERE CASE WHEN k.output IS NOT NULL THEN k.expires_at <= EXCLUDED.at
      ELSE k.call_id = EXCLUDED.call_id
        OR NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = k.call_id AND c.ended_at IS NULL)
        AND (NOT EXISTS (SELECT FROM stepline_runners r WHERE r.id = k.runner)
          OR EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = k.call_id AND c.ended_at >= k.at))
      END
    RETURNING key`
  return taken.length > 0
}

/** Writes the keys of calls that have ended. */
export const endKeys = async (sql: Query, keys: Changes["keys"]): Promise<void> => {
  if (keys.length === 0) return
  // For each key, the last call with an output.
  const known = new Map(keys.flatMap((row) => (row.output === undefined ? [] : [[row.key, row] as const])))
  const free = keys.filter((row) => row.output === undefined)
  const rows = [...known.values()].map(({ key, callId, output, ttl }) => ({
    key,
    call_id: column(callId),
    output: toWellFormed(output!),
    // An upper limit that is longer than any process runs, in place of `Infinity`.
    ttl: Math.min(ttl, 1e15),
  }))
  await Promise.all([
    sql`
      DELETE FROM stepline_keys WHERE key IN (
        SELECT key FROM stepline_keys WHERE expires_at <= (extract(epoch FROM now()) * 1000)::bigint
        LIMIT ${forgotten} FOR UPDATE SKIP LOCKED)`,
    sql`
      DELETE FROM stepline_keys k
      USING unnest(${free.map((row) => row.key)}::text[], ${free.map((row) => column(row.callId))}::text[]) AS free (key, call_id)
      WHERE k.key = free.key AND k.call_id = free.call_id AND output IS NULL`,
    inParts(
      rows,
      ({ json }) => sql`
        INSERT INTO stepline_keys (key, call_id, at, output, expires_at)
        SELECT key, call_id, now, output, now + ttl
        FROM json_to_recordset(${json}::text::json) AS rows(key text, call_id text, output text, ttl bigint),
          LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now) AS clock
        ON CONFLICT (key) DO UPDATE SET
          call_id = EXCLUDED.call_id, at = EXCLUDED.at, output = EXCLUDED.output, expires_at = EXCLUDED.expires_at`,
    ),
  ])
}
