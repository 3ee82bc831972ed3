/** The reads and claims of a runner in its store. */
import type { ActionRow, StoredState } from "../store.ts"
import { type CallColumns, storedState } from "../stored-rows.ts"
import { channel } from "./schema.ts"
import type { Sql } from "./sql.ts"

/** The milliseconds for which a runner counts as alive after a heartbeat. */
export const lease = 3000

/** The result of a heartbeat. */
export interface Signs {
  /** False if other processes have ended the runner. */
  readonly isAlive: boolean
  /** Whether some agents have no runner. */
  readonly hasFree: boolean
  /** Whether this heartbeat has ended a runner. */
  readonly hasEnded: boolean
  /** The live runners with the same tools. */
  readonly peers: string | null
  /** Whether its agents have calls that it has not taken in, or requests that it has not answered. */
  readonly hasWork: boolean
  /** The number of rules in the store. */
  readonly rules: number
  /** Whether any result was ever cut. */
  readonly hasResults: boolean
}

/**
 * Renews the lease of a runner and its list of tools, and ends the runners whose lease has expired, which frees their agents. A
 * single statement, because an idle process runs it each second: it sends the notices too. A runner that is storing something is
 * ended later.
 */
export const showLife = async (
  sql: Sql,
  id: number,
  tools: Array<string>,
  notices: ReadonlyArray<string>,
): Promise<Signs> => {
  const [signs] = await sql<[Signs]>`
    WITH alive AS (
      UPDATE stepline_runners SET expires_at = now() + ${lease} * interval '1 millisecond', tools = ${tools}::text[]
      WHERE id = ${id} RETURNING id
    ), dead AS (
      DELETE FROM stepline_runners WHERE id IN (
        SELECT id FROM stepline_runners WHERE expires_at < now() AND id <> ${id} FOR UPDATE SKIP LOCKED) RETURNING id
    )
    SELECT (SELECT count(pg_notify(${channel}, notice)) FROM unnest(${notices}::text[]) AS notice),
      EXISTS (SELECT FROM alive) AS "isAlive",
      EXISTS (SELECT FROM dead) OR EXISTS (SELECT FROM stepline_agents WHERE runner IS NULL) AS "hasFree",
      EXISTS (SELECT FROM dead) AS "hasEnded",
      (SELECT string_agg(id::text, ' ' ORDER BY id) FROM stepline_runners
        WHERE tools = ${tools}::text[] AND expires_at > now()) AS peers,
      EXISTS (SELECT FROM stepline_calls c JOIN stepline_agents a USING (agent_id) WHERE c.fresh AND a.runner = ${id})
        OR EXISTS (SELECT FROM stepline_requests r JOIN stepline_agents a USING (agent_id)
          WHERE r.answer IS NULL AND a.runner = ${id}) AS "hasWork",
      (SELECT count(*) FROM stepline_rules) AS rules,
      EXISTS (SELECT FROM stepline_meta WHERE key = 'results') AS "hasResults"`
  return signs
}

/** A runner's tools, and the milliseconds that a call waits for a runner with its tool. */
interface Tools {
  readonly tools: Array<string>
  readonly timeout: number
}

/** The open calls, the tasks and the actions of agents. */
export const stateOf = async (
  sql: Sql,
  agentIds: Array<string>,
  { tools, timeout }: Tools,
): Promise<StoredState> => {
  const [tasks, actions, calls] = await Promise.all([
    sql<Array<{ task: string }>>`
      SELECT task FROM stepline_tasks WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY ended_at`,
    sql<Array<ActionRow>>`
      SELECT action_id AS "actionId", agent_id AS "agentId", place, dropping AS "isDropping", label, source AS "sourceToolName", snapshot
      FROM stepline_actions WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY agent_id, place`,
    sql<Array<CallColumns>>`
      SELECT call_id, agent_id, name, snapshot, asks, deadline, fresh,
        name <> ALL(${tools}::text[]) AND (EXISTS (SELECT FROM stepline_runners WHERE name = ANY(tools))
          OR fresh AND queued_at > (extract(epoch FROM now()) * 1000)::bigint - ${timeout}::bigint) AS elsewhere
      FROM stepline_calls WHERE agent_id = ANY(${agentIds}::text[]) AND ended_at IS NULL ORDER BY seq`,
  ])
  return storedState(tasks, actions, calls)
}

/** A call that no runner has taken in, or a request, with its number and text. */
interface WorkRow extends CallColumns {
  readonly place: number
  readonly request: number | null
}

/** A single statement: between two, a call could be queued and answered, and its request be found without the call. */
export const workOf = (sql: Sql, runner: number, { tools, timeout }: Tools): Promise<Array<WorkRow>> => sql<
  Array<WorkRow>
>`
  SELECT agent_id, c.call_id, name, c.snapshot, asks, deadline, fresh, NULL::bigint AS request, c.seq AS place,
    name <> ALL(${tools}::text[]) AND (EXISTS (SELECT FROM stepline_runners WHERE name = ANY(tools))
      OR queued_at > (extract(epoch FROM now()) * 1000)::bigint - ${timeout}::bigint) AS elsewhere
  FROM stepline_calls c JOIN stepline_agents a USING (agent_id) WHERE c.fresh AND a.runner = ${runner}
  UNION ALL
  SELECT agent_id, r.call_id, '', r.request, false, NULL, false, r.id, r.id, false
  FROM stepline_requests r JOIN stepline_agents a USING (agent_id) WHERE r.answer IS NULL AND a.runner = ${runner}
  ORDER BY place`

/** Which free agents a runner claims. */
export interface Claim extends Tools {
  readonly id: number
  readonly limit: number
  /** Agents that have been free for so long that their next call is claimed even if no runner has its tool. */
  readonly overdue: Array<string>
  /** Whether the runner has just joined: if no other runner is alive, it does not wait for one. */
  readonly isFirst: boolean
}

/**
 * Claims agents whose next call uses a tool of this runner, or a tool that no runner has. A call that was run before, or that a client
 * queued, waits for a runner that has its tool.
 */
export const claimFree = async (
  sql: Sql,
  { id, tools, timeout, limit, overdue, isFirst }: Claim,
): Promise<Array<string>> => {
  const rows = await sql<Array<{ agent_id: string }>>`
    UPDATE stepline_agents SET runner = ${id} WHERE agent_id IN (
      SELECT agent_id FROM stepline_agents a WHERE runner IS NULL AND COALESCE((
        SELECT name = ANY(${tools}::text[]) OR NOT EXISTS (SELECT FROM stepline_runners WHERE name = ANY(tools)) AND (
          CASE WHEN fresh THEN (queued_at > (extract(epoch FROM now()) * 1000)::bigint - ${timeout}::bigint) IS NOT TRUE
          ELSE a.agent_id = ANY(${overdue}::text[])
            OR ${isFirst} AND NOT EXISTS (SELECT FROM stepline_runners WHERE id <> ${id} AND expires_at > now()) END)
        FROM stepline_calls c WHERE c.agent_id = a.agent_id AND ended_at IS NULL ORDER BY seq LIMIT 1
      ), true)
      ORDER BY agent_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING agent_id`
  return rows.map((row) => row.agent_id)
}

/**
 * How many agents a runner lacks to have as many as the other live runners with the same tools; negative for agents that it has too
 * many. While one of them has too few by a fifth, the others take no more than the even share, and give the rest to it.
 */
export const roomOf = async (sql: Sql, id: number, tools: Array<string>): Promise<number> => {
  const [row] = await sql<Array<{ room: number }>>`
    WITH peers AS (
      SELECT id, (SELECT count(*) FROM stepline_agents WHERE runner = id) AS own FROM stepline_runners
      WHERE expires_at > now() AND tools = ${tools}::text[]
    ), even AS (
      SELECT (sum(own) + (SELECT count(*) FROM stepline_agents WHERE runner IS NULL)) / count(*) AS share, min(own) AS least
      FROM peers
    )
    SELECT (CASE WHEN least < floor(share) * 0.8 AND own >= floor(share) THEN floor(share) ELSE ceil(share) END - own)::bigint AS room
    FROM peers, even WHERE id = ${id}`
  return row?.room ?? 0
}

/** Agents that no runner has. */
export const freeAgents = async (sql: Sql): Promise<Array<string>> => {
  const rows = await sql<Array<{ agent_id: string }>>`
    SELECT agent_id FROM stepline_agents WHERE runner IS NULL ORDER BY agent_id LIMIT 1000`
  return rows.map((row) => row.agent_id)
}
