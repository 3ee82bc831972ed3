/**
 * Writes the rows of calls. A new call may have the id of an ended one. If an id belongs to another open call, or to a task whose
 * result is kept, that row is left unchanged and the id is returned.
 */
import type { CallRow, EndedRow } from "../store.ts"
import { column } from "./connection.ts"
import { inParts } from "./in-parts.ts"
import type { Query } from "./sql.ts"

type AnyCallRow = Pick<CallRow, "callId" | "agentId" | "name" | "isNew" | "mayBeThere">

interface WrittenRow {
  readonly call_id: string
}

const head = ({ callId, agentId, name }: AnyCallRow) => ({
  call_id: column(callId),
  agent_id: column(agentId),
  name: column(name),
})

/** A time as a column stores it. */
const epoch = (at: number): number => Math.trunc(Math.min(at, Number.MAX_SAFE_INTEGER))

/** The ids of calls that must have no open row yet. */
const newIds = (rows: ReadonlyArray<AnyCallRow>): Array<string> =>
  rows.flatMap((row) => (row.isNew && !row.mayBeThere ? [column(row.callId)] : []))

/** The ids whose rows were not written. */
const takenIds = (rows: ReadonlyArray<AnyCallRow>, written: ReadonlyArray<WrittenRow>): Array<string> => {
  if (written.length === rows.length) return []
  const ids = new Set(written.map((row) => row.call_id))
  return rows.flatMap(({ callId }) => (ids.has(column(callId)) ? [] : [callId]))
}

/**
 * Writes calls that have not ended; a call with the id of an ended one is ordered after all others. Returns the ids that belong
 * to other calls.
 */
export const writeCalls = async (sql: Query, calls: ReadonlyArray<CallRow>): Promise<Array<string>> => {
  const rows = calls.map((row) => ({
    ...head(row),
    asks: row.asks,
    background: row.background,
    snapshot: row.snapshot,
    deadline: row.deadline === undefined ? undefined : epoch(row.deadline),
  }))
  const fresh = newIds(calls)
  const written = await inParts(
    rows,
    ({ json }) => sql<Array<WrittenRow>>`
      INSERT INTO stepline_calls AS c (call_id, agent_id, name, asks, background, snapshot, deadline)
      SELECT call_id, agent_id, name, asks, background, snapshot, deadline
      FROM json_to_recordset(${json}::text::json) AS rows(
        call_id text, agent_id text, name text, asks boolean, background boolean, snapshot text, deadline bigint)
      ON CONFLICT (call_id) DO UPDATE SET
        seq = CASE WHEN c.ended_at IS NULL THEN c.seq ELSE EXCLUDED.seq END,
        agent_id = EXCLUDED.agent_id, name = EXCLUDED.name, fresh = false, asks = EXCLUDED.asks,
        background = EXCLUDED.background, snapshot = EXCLUDED.snapshot, deadline = EXCLUDED.deadline,
        result = NULL, ended_at = NULL
      WHERE (c.agent_id = EXCLUDED.agent_id AND c.call_id <> ALL(${fresh}::text[]))
        OR (c.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = c.call_id))
      RETURNING call_id`,
  )
  return takenIds(calls, written)
}

/** The first row of each id, and the later ones. */
const firstOfEach = (ended: ReadonlyArray<EndedRow>): readonly [Array<EndedRow>, Array<EndedRow>] => {
  const ids = new Set<string>()
  const later: Array<EndedRow> = []
  const first = ended.filter((row) => {
    const isFirst = !ids.has(row.callId)
    if (isFirst) ids.add(row.callId)
    else later.push(row)
    return isFirst
  })
  return [first, later]
}

/** Writes ended calls, with or without a row, dated by the server's clock. Returns the ids that belong to other calls. */
export const endCalls = async (sql: Query, ended: ReadonlyArray<EndedRow>): Promise<Array<string>> => {
  if (ended.length === 0) return []
  const [first, later] = firstOfEach(ended)
  const rows = first.map((row) => ({ ...head(row), snapshot: row.whole, result: row.result }))
  const fresh = newIds(first)
  const isCut = first.some(({ whole }) => whole !== undefined)
  const noting = isCut && sql`INSERT INTO stepline_meta VALUES ('results', 1) ON CONFLICT DO NOTHING`
  const writing = inParts(
    rows,
    ({ json }) => sql<Array<WrittenRow>>`
      INSERT INTO stepline_calls AS c (call_id, agent_id, name, snapshot, result, ended_at)
      SELECT call_id, agent_id, name, snapshot, result, (extract(epoch FROM now()) * 1000)::bigint
      FROM json_to_recordset(${json}::text::json) AS rows(
        call_id text, agent_id text, name text, snapshot text, result text)
      ON CONFLICT (call_id) DO UPDATE SET
        agent_id = EXCLUDED.agent_id, name = EXCLUDED.name, fresh = false, asks = false, snapshot = EXCLUDED.snapshot, deadline = NULL,
        result = EXCLUDED.result, ended_at = EXCLUDED.ended_at
      WHERE (c.agent_id = EXCLUDED.agent_id AND c.call_id <> ALL(${fresh}::text[]))
        OR (c.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = c.call_id))
      RETURNING call_id`,
  )
  const [written, rest] = await Promise.all([writing, endCalls(sql, later), noting])
  return [...takenIds(first, written), ...rest]
}
