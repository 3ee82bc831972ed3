/** Writes the changes of one commit, in a transaction of its runner. */
import type { Changes, EventRow } from "../store.ts"
import { endKeys } from "./call-keys.ts"
import { endCalls, writeCalls } from "./call-rows.ts"
import { column } from "./connection.ts"
import { inParts } from "./in-parts.ts"
import { channel } from "./schema.ts"
import type { Query } from "./sql.ts"

/**
 * Writes the changes. Returns the ids that belong to other calls: if there are any, the transaction must not be committed. Ids
 * can be reused, so tasks are removed and calls ended before calls are written. The counter of events, at which runners wait for
 * each other, is last.
 */
export const writeChanges = async (
  sql: Query,
  runner: number,
  changes: Changes,
): Promise<ReadonlyArray<string>> => {
  const { ended, calls, actions, cleaned, tasks, rules, keys, answers, events } = changes
  const [, endedTaken, taken] = await Promise.all([
    forgetTasks(sql, tasks),
    endCalls(sql, ended),
    writeCalls(sql, calls),
    writeActions(sql, actions),
    forgetActions(sql, cleaned),
    keepTasks(sql, tasks),
    addRules(sql, rules),
    endKeys(sql, keys),
    answer(sql, answers),
    tell(sql, runner, events),
  ])
  return [...endedTaken, ...taken]
}

const forgetTasks = async (sql: Query, tasks: Changes["tasks"]): Promise<void> => {
  const ids = [...tasks].flatMap(([id, row]) => (row === undefined ? [column(id)] : []))
  if (ids.length > 0) await sql`DELETE FROM stepline_tasks WHERE task_id = ANY(${ids}::text[])`
}

const keepTasks = (sql: Query, tasks: Changes["tasks"]): Promise<unknown> => {
  const kept = [...tasks.values()].filter((row) => row !== undefined)
  const rows = kept.map((row) => ({
    task_id: column(row.taskId),
    agent_id: column(row.agentId),
    ended_at: row.endedAt,
    task: row.task,
  }))
  return inParts(
    rows,
    ({ json }) => sql`
      INSERT INTO stepline_tasks (task_id, agent_id, ended_at, task)
      SELECT task_id, agent_id, ended_at, task FROM json_to_recordset(${json}::text::json)
        AS rows(task_id text, agent_id text, ended_at bigint, task text)
      ON CONFLICT (task_id) DO UPDATE SET
        agent_id = EXCLUDED.agent_id, ended_at = EXCLUDED.ended_at, task = EXCLUDED.task`,
  )
}

const writeActions = async (sql: Query, actions: Changes["actions"]): Promise<void> => {
  if (actions.size === 0) return
  const rows = [...actions.values()].flat().map((row) => ({
    action_id: column(row.actionId),
    agent_id: column(row.agentId),
    place: row.place,
    dropping: row.isDropping,
    label: column(row.label),
    source: column(row.sourceToolName),
    snapshot: row.snapshot,
  }))
  await Promise.all([
    sql`DELETE FROM stepline_actions WHERE agent_id = ANY(${[...actions.keys()].map(column)}::text[])`,
    inParts(
      rows,
      ({ json }) => sql`
        INSERT INTO stepline_actions (action_id, agent_id, place, dropping, label, source, snapshot)
        SELECT action_id, agent_id, place, dropping, label, source, snapshot
        FROM json_to_recordset(${json}::text::json) AS rows(
          action_id text, agent_id text, place integer, dropping boolean, label text, source text, snapshot text)`,
    ),
  ])
}

const forgetActions = async (sql: Query, ids: Changes["cleaned"]): Promise<void> => {
  if (ids.length > 0)
    await sql`DELETE FROM stepline_actions WHERE action_id = ANY(${ids.map(column)}::text[])`
}

const addRules = (sql: Query, rules: Changes["rules"]): Promise<unknown> =>
  inParts(
    rules,
    ({ json }) => sql`
      INSERT INTO stepline_rules (cwd, tool, params, choice)
      SELECT cwd, tool, params, choice FROM json_to_recordset(${json}::text::json)
        AS rows(cwd text, tool text, params text, choice text)`,
  )

const answer = (sql: Query, answers: Changes["answers"]): Promise<unknown> =>
  inParts(
    [...answers].map(([id, answer]) => ({ id, answer })),
    ({ json }) => sql`
      WITH answered AS (
        UPDATE stepline_requests r SET answer = rows.answer
        FROM json_to_recordset(${json}::text::json) AS rows(id bigint, answer text) WHERE r.id = rows.id
      ) SELECT pg_notify(${channel}, 'news')`,
  )

/**
 * Numbers events in the order in which they are stored: a runner keeps the counter locked until it has committed, so that a
 * reader of later numbers misses none. An event that was already stored by a commit whose answer was lost is left out.
 */
const tell = (sql: Query, runner: number, events: ReadonlyArray<EventRow>): Promise<unknown> => {
  const rows = events.map(({ seq, agentId, event }, index) => ({
    place: index + 1,
    source: `${runner}:${seq}`,
    agent_id: column(agentId),
    event,
  }))
  return inParts(
    rows,
    ({ json, before, count }) => sql`
      WITH counter AS (
        UPDATE stepline_meta SET value = value + ${count} WHERE key = 'events'
        RETURNING value - ${count + before} AS base
      ), told AS (
        INSERT INTO stepline_events (seq, source, agent_id, at, event)
        SELECT base + place, source, agent_id, (extract(epoch FROM now()) * 1000)::bigint, event
        FROM counter, json_to_recordset(${json}::text::json)
          AS rows(place bigint, source text, agent_id text, event text)
        ON CONFLICT (source) DO NOTHING
      ) SELECT pg_notify(${channel}, 'news')`,
  )
}
