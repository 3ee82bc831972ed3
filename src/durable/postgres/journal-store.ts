/** What a process that runs calls of a Postgres store writes. */

import type { ActionRow, CallRow, Changes, EndedRow, EventRow, JournalStore } from "../store.ts"
import { FencedError, ForeignAgentsError, TakenIdsError } from "../store-error.ts"
import { column } from "./connection.ts"
import { channel } from "./schema.ts"
import type { Query, Sql } from "./sql.ts"

const json = (rows: unknown): string => JSON.stringify(rows)

const head = ({ callId, agentId, name }: Pick<CallRow, "callId" | "agentId" | "name">) => ({
  call_id: column(callId),
  agent_id: column(agentId),
  name: column(name),
})

/** A time as a column holds it. */
const epoch = (at: number): number => Math.trunc(Math.min(at, Number.MAX_SAFE_INTEGER))

/** The agents of changes, by what their columns hold of them. */
const agentsOf = ({ calls, ended, actions, tasks }: Changes): Map<string, string> => {
  const agentIds = [
    ...calls.map((row) => row.agentId),
    ...ended.map((row) => row.agentId),
    ...actions.keys(),
    ...[...tasks.values()].flatMap((row) => row?.agentId ?? []),
  ]
  return new Map(agentIds.map((agentId) => [column(agentId), agentId]))
}

/** Who a runner is to its store. */
export interface RunnerIdentity {
  readonly id: number
  /** Whose calls it runs, as their columns hold them. */
  readonly agents: ReadonlySet<string>
  /** Whether it has shown that it lives lately enough to hold what it has. */
  readonly isCurrent: () => boolean
  /** Told the agents that it got, and that had something already. */
  readonly onAdopted: (agentIds: ReadonlyArray<string>) => void
  /** Told agents that are its own now. */
  readonly got: (agentIds: Iterable<string>) => void
  /** Told the agents of which something is being stored, until it is. */
  readonly onWriting: (agentIds: ReadonlySet<string>) => void
  /** Told the agents that may have nothing any more. */
  readonly onMaybeIdle: (agentIds: Iterable<string>) => void
}

/** The database, for one of its runners. */
export class PostgresJournalStore implements JournalStore {
  readonly firstSequence = 0
  private readonly sql: Sql
  private readonly runner: RunnerIdentity

  constructor(sql: Sql, runner: RunnerIdentity) {
    this.sql = sql
    this.runner = runner
  }

  get isCurrent(): boolean {
    return this.runner.isCurrent()
  }

  /** Rejects with a FencedError where others were given its calls, with a ForeignAgentsError, and with a TakenIdsError. */
  async commit(changes: Changes): Promise<void> {
    const { runner } = this
    const agents = agentsOf(changes)
    const unknown = [...agents.keys()].filter((agentId) => !runner.agents.has(agentId)).sort()
    runner.onWriting(new Set(agents.keys()))
    const adopted = await this.sql.begin(async (sql) => {
      const fence = sql`SELECT FROM stepline_runners WHERE id = ${runner.id} FOR KEY SHARE`
      const claims = unknown.length === 0 ? undefined : this.claim(sql, unknown, agents)
      const forgets = forgetTasks(sql, changes.tasks)
      // Before calls: an id that was in use may be again.
      const rows = [end(sql, changes.ended), write(sql, changes.calls)]
      const [alive] = await Promise.all([fence, claims, forgets, ...rows, ...this.writes(sql, changes)])
      if (alive.length === 0) throw new FencedError()
      const taken = (await Promise.all(rows)).flat()
      if (taken.length > 0) throw new TakenIdsError(taken)
      return (await claims) ?? []
    })
    runner.got(unknown)
    runner.onWriting(new Set())
    if (adopted.length > 0) runner.onAdopted(adopted)
    if (changes.ended.length + changes.actions.size + changes.tasks.size > 0)
      runner.onMaybeIdle(agents.keys())
  }

  close(): void {}

  /** Gets agents that nobody runs; gives those that had something. */
  private async claim(
    sql: Query,
    ids: Array<string>,
    agents: ReadonlyMap<string, string>,
  ): Promise<Array<string>> {
    const [adopted, , owners] = await Promise.all([
      sql<Array<{ agent_id: string }>>`
        UPDATE stepline_agents SET runner = ${this.runner.id}
        WHERE agent_id = ANY(${ids}::text[]) AND runner IS NULL RETURNING agent_id`,
      // Those that are there are locked: whoever forgets one that is idle looks afterwards whether it is.
      sql`INSERT INTO stepline_agents (agent_id, runner) SELECT unnest(${ids}::text[]), ${this.runner.id}
        ON CONFLICT (agent_id) DO UPDATE SET runner = stepline_agents.runner`,
      sql<Array<{ agent_id: string; runner: number | null }>>`
        SELECT agent_id, runner FROM stepline_agents WHERE agent_id = ANY(${ids}::text[])`,
    ])
    const foreign = owners.filter((row) => row.runner !== this.runner.id)
    if (foreign.length > 0) throw new ForeignAgentsError(foreign.map((row) => agents.get(row.agent_id)!))
    return adopted.map((row) => row.agent_id)
  }

  /** One statement a table. What all runners wait for each other at comes last. */
  private writes(sql: Query, changes: Changes): Array<Promise<unknown>> {
    const { actions, cleaned, tasks, rules, answers, events } = changes
    const writes: Array<Promise<unknown>> = []
    if (actions.size > 0) writes.push(...writeActions(sql, actions))
    if (cleaned.length > 0) {
      writes.push(sql`DELETE FROM stepline_actions WHERE action_id = ANY(${cleaned.map(column)}::text[])`)
    }
    if (tasks.size > 0) writes.push(keepTasks(sql, tasks))
    if (rules.length > 0) {
      writes.push(sql`
        INSERT INTO stepline_rules (cwd, tool, params, choice)
        SELECT cwd, tool, params, choice FROM json_to_recordset(${json(rules)}::text::json)
          AS rows(cwd text, tool text, params text, choice text)`)
    }
    if (answers.size > 0) {
      const rows = [...answers].map(([id, answer]) => ({ id, answer }))
      writes.push(sql`
        UPDATE stepline_requests r SET answer = rows.answer
        FROM json_to_recordset(${json(rows)}::text::json) AS rows(id bigint, answer text) WHERE r.id = rows.id`)
    }
    if (events.length > 0) writes.push(tell(sql, this.runner.id, events))
    if (events.length + answers.size > 0) writes.push(sql`SELECT pg_notify(${channel}, 'news')`)
    return writes
  }
}

type StoredCallRow = Pick<CallRow, "callId" | "agentId" | "name" | "isNew" | "mayBeThere">

/** The ids of calls of which no row may be there that is open. */
const newIds = (rows: ReadonlyArray<StoredCallRow>): Array<string> =>
  rows.flatMap((row) => (row.isNew && !row.mayBeThere ? [column(row.callId)] : []))

/** The ids whose rows were left as they are: they are those of other calls. */
const takenIds = (
  rows: ReadonlyArray<StoredCallRow>,
  written: ReadonlyArray<{ readonly call_id: string }>,
): Array<string> => {
  if (written.length === rows.length) return []
  const ids = new Set(written.map((row) => row.call_id))
  return rows.flatMap(({ callId }) => (ids.has(column(callId)) ? [] : [callId]))
}

/**
 * An id that was in use is another call now, and comes behind all others; one that is in use is left as it is, and given. So is
 * one under which the result of a task is kept.
 */
const write = async (sql: Query, calls: ReadonlyArray<CallRow>): Promise<Array<string>> => {
  if (calls.length === 0) return []
  const rows = calls.map((row) => ({
    ...head(row),
    asks: row.asks,
    background: row.background,
    snapshot: row.snapshot,
    deadline: row.deadline === undefined ? undefined : epoch(row.deadline),
  }))
  const written = await sql<Array<{ call_id: string }>>`
    INSERT INTO stepline_calls AS c (call_id, agent_id, name, asks, background, snapshot, deadline)
    SELECT call_id, agent_id, name, asks, background, snapshot, deadline
    FROM json_to_recordset(${json(rows)}::text::json) AS rows(
      call_id text, agent_id text, name text, asks boolean, background boolean, snapshot text, deadline bigint)
    ON CONFLICT (call_id) DO UPDATE SET
      seq = CASE WHEN c.ended_at IS NULL THEN c.seq ELSE EXCLUDED.seq END,
      agent_id = EXCLUDED.agent_id, name = EXCLUDED.name, fresh = false, asks = EXCLUDED.asks,
      background = EXCLUDED.background, snapshot = EXCLUDED.snapshot, deadline = EXCLUDED.deadline,
      result = NULL, ended_at = NULL
    WHERE (c.agent_id = EXCLUDED.agent_id AND c.call_id <> ALL(${newIds(calls)}::text[]))
      OR (c.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = c.call_id))
    RETURNING call_id`
  return takenIds(calls, written)
}

/** Gives the ids that are in use, as `write` does. */
const end = async (sql: Query, ended: ReadonlyArray<EndedRow>): Promise<Array<string>> => {
  if (ended.length === 0) return []
  // Of an id that was used twice meanwhile, the last comes after the first.
  const first = new Map<string, EndedRow>()
  const later = ended.filter((row) => {
    const isLater = first.has(row.callId)
    if (!isLater) first.set(row.callId, row)
    return isLater
  })
  const ends = [...first.values()]
  const rows = ends.map((row) => ({ ...head(row), result: row.result, ended_at: row.endedAt }))
  const writing = sql<Array<{ call_id: string }>>`
    INSERT INTO stepline_calls AS c (call_id, agent_id, name, result, ended_at)
    SELECT call_id, agent_id, name, result, ended_at FROM json_to_recordset(${json(rows)}::text::json)
      AS rows(call_id text, agent_id text, name text, result text, ended_at bigint)
    ON CONFLICT (call_id) DO UPDATE SET
      agent_id = EXCLUDED.agent_id, name = EXCLUDED.name, fresh = false, asks = false, snapshot = NULL, deadline = NULL,
      result = EXCLUDED.result, ended_at = EXCLUDED.ended_at
    WHERE (c.agent_id = EXCLUDED.agent_id AND c.call_id <> ALL(${newIds(ends)}::text[]))
      OR (c.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = c.call_id))
    RETURNING call_id`
  const [written, rest] = await Promise.all([writing, end(sql, later)])
  return [...takenIds(ends, written), ...rest]
}

const writeActions = (
  sql: Query,
  actions: ReadonlyMap<string, ReadonlyArray<ActionRow>>,
): Array<Promise<unknown>> => {
  const rows = [...actions.values()].flat().map((row) => ({
    action_id: column(row.actionId),
    agent_id: column(row.agentId),
    place: row.place,
    dropping: row.isDropping,
    label: column(row.label),
    source: column(row.sourceToolName),
    snapshot: row.snapshot,
  }))
  return [
    sql`DELETE FROM stepline_actions WHERE agent_id = ANY(${[...actions.keys()].map(column)}::text[])`,
    sql`
      INSERT INTO stepline_actions (action_id, agent_id, place, dropping, label, source, snapshot)
      SELECT action_id, agent_id, place, dropping, label, source, snapshot
      FROM json_to_recordset(${json(rows)}::text::json) AS rows(
        action_id text, agent_id text, place integer, dropping boolean, label text, source text, snapshot text)`,
  ]
}

const forgetTasks = async (sql: Query, tasks: Changes["tasks"]): Promise<void> => {
  const ids = [...tasks].flatMap(([id, row]) => (row === undefined ? [column(id)] : []))
  if (ids.length > 0) await sql`DELETE FROM stepline_tasks WHERE task_id = ANY(${ids}::text[])`
}

const keepTasks = async (sql: Query, tasks: Changes["tasks"]): Promise<void> => {
  const kept = [...tasks.values()].flatMap((row) =>
    row === undefined
      ? []
      : [
          {
            task_id: column(row.taskId),
            agent_id: column(row.agentId),
            ended_at: row.endedAt,
            task: row.task,
          },
        ],
  )
  if (kept.length === 0) return
  await sql`
    INSERT INTO stepline_tasks (task_id, agent_id, ended_at, task)
    SELECT task_id, agent_id, ended_at, task FROM json_to_recordset(${json(kept)}::text::json)
      AS rows(task_id text, agent_id text, ended_at bigint, task text)
    ON CONFLICT (task_id) DO UPDATE SET
      agent_id = EXCLUDED.agent_id, ended_at = EXCLUDED.ended_at, task = EXCLUDED.task`
}

/**
 * Events are numbered in the order in which they are stored: runners take turns at the counter until they have committed, so that
 * who reads from a number on misses none. One that is stored again, for its first answer was lost, is left out.
 */
const tell = (sql: Query, runner: number, events: ReadonlyArray<EventRow>): Promise<unknown> => {
  const rows = events.map(({ seq, agentId, at, event }, place) => ({
    place: place + 1,
    source: `${runner}:${seq}`,
    agent_id: column(agentId),
    at,
    event,
  }))
  return sql`
    WITH counter AS (
      UPDATE stepline_meta SET value = value + ${events.length} WHERE key = 'events'
      RETURNING value - ${events.length} AS base
    )
    INSERT INTO stepline_events (seq, source, agent_id, at, event)
    SELECT base + place, source, agent_id, at, event
    FROM counter, json_to_recordset(${json(rows)}::text::json)
      AS rows(place bigint, source text, agent_id text, at bigint, event text)
    ON CONFLICT (source) DO NOTHING`
}
