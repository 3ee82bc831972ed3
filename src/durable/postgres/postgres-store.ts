/** A store in a Postgres database, for every process that has it open. */

import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { ToolCall } from "../../model/call.ts"
import { type CallSnapshot, queuedSnapshot } from "../../snapshots/snapshot.ts"
import { pageSize } from "../event-log.ts"
import { type InboxItem, type InboxOptions, type InboxRow, inboxItem, pageOf, waitingCall } from "../inbox.ts"
import { PendingReads } from "../pending-reads.ts"
import { type PoisonedCall, type PoisonedRow, poisonedCall, poisonedMark, retryEnd } from "../poisoned.ts"
import type { Request, RequestAnswer } from "../requests.ts"
import type { CallStore, StoredTaskTexts, TaskQuery } from "../store.ts"
import { closedError, StoreError, unansweredError } from "../store-error.ts"
import { readEvent, type StoredEvent } from "../stored-event.ts"
import { storedTaskTexts, type TaskOrCallColumns } from "../stored-rows.ts"
import { column, openConnection, shown } from "./connection.ts"
import { inParts } from "./in-parts.ts"
import type { Membership } from "./membership.ts"
import { Notices } from "./notices.ts"
import { channel, type Notice, workNotice } from "./schema.ts"
import { isAway, type Query, type Sql } from "./sql.ts"

/** A call that was not known before. */
interface Added {
  readonly callId: string
  readonly seq: number
  /** Whether other processes queued earlier calls of the agent that its runner has not taken in. */
  readonly isBehind: boolean
}

/** The outcome of queueing calls. */
export interface Enqueued {
  readonly added: ReadonlyArray<Added>
  /** The agents that were new and belong to the runner. */
  readonly agents: ReadonlyArray<string>
  /** What tells the runners of the agents. */
  readonly notices: ReadonlyArray<Notice>
}

/** The runner of an agent. */
export interface AgentOwner {
  readonly agentId: string
  /** Null until a runner claims the agent. */
  readonly runner: number | null
  /** When the lease of the runner expires. */
  readonly until: string | null
}

const columnOf = (text: string | undefined): string | null => (text === undefined ? null : column(text))

/** A page of the events after a cursor. */
export const eventPage = async (
  sql: Query,
  after: number,
  agentId: string | undefined,
): Promise<Array<StoredEvent>> => {
  const agent = columnOf(agentId)
  const rows = await sql<Array<{ seq: number; event: string }>>`
    SELECT seq, event FROM stepline_events
    WHERE seq > ${after} AND (${agent}::text IS NULL OR agent_id = ${agent})
    ORDER BY seq LIMIT ${pageSize}`
  // `seq` counts the events of all runners, unlike the number in the event.
  return rows.map(({ seq, event }) => ({
    ...readEvent(event, `Row ${seq} of the table stepline_events`),
    seq,
  }))
}

/** Milliseconds until a query is tried again while the database cannot be reached. */
const awayRetry = 250

/**
 * The error codes of a transaction that was aborted because of a conflict with another: a deadlock, or a serialization
 * failure.
 */
const hindered: ReadonlySet<unknown> = new Set(["40P01", "40001"])

/** Reads a store, and sends requests to the processes that run its calls. */
export class PostgresStore implements CallStore {
  readonly sql: Sql
  isClosed = false
  private readonly notices: Notices
  private readonly answers = new PendingReads(this, (ids: ReadonlyArray<number>) => this.answersTo(ids))

  private constructor(sql: Sql, notices: Notices) {
    this.sql = sql
    this.notices = notices
  }

  /** `makes`: whether missing tables are created. */
  static async open(url: string, makes: boolean, heard?: (notice: Notice) => void): Promise<PostgresStore> {
    const sql = await openConnection(url, makes)
    const notices = new Notices(url, heard)
    await notices.listen().catch(() => undefined)
    if (await notices.hears((message) => sql`SELECT pg_notify(${channel}, ${message})`))
      return new PostgresStore(sql, notices)
    notices.close()
    await sql.end()
    throw new StoreError(
      `Notices of ${shown(url)} do not arrive: a pooler in front of it does not keep sessions. Set that to keep them (pgbouncer: pool_mode = session), or use the address of the server itself`,
    )
  }

  async enqueue(calls: ReadonlyArray<ToolCall>): Promise<void> {
    const createdAt = Date.now()
    const snapshots = calls.map((call) => queuedSnapshot(call, createdAt))
    await this.tellWork((await this.submit(snapshots, undefined)).notices)
  }

  /** Queues calls: those of a client if there is no `runner`. New agents belong to `runner`. The returned ids are column values. */
  async submit(
    snapshots: ReadonlyArray<CallSnapshot>,
    runner: Pick<Membership, "id" | "agents"> | undefined,
  ): Promise<Enqueued> {
    if (this.isClosed) throw closedError()
    const rows = snapshots.map((snapshot) => ({
      call_id: column(snapshot.call.callId),
      agent_id: column(snapshot.call.agentId),
      name: column(snapshot.call.name),
      asks: snapshot.call.decision === "requested",
      background: snapshot.call.background,
      snapshot: JSON.stringify(snapshot),
    }))
    const agentIds = [...new Set(rows.map((row) => row.agent_id))].sort()
    // For an agent that is being released, it is unknown which calls were taken in.
    const known = runner === undefined ? [] : agentIds
    const seen = known.map((agentId) => runner?.agents.get(agentId) ?? 0)
    const [agents, added] = await this.patiently(() =>
      this.sql.begin((sql) =>
        Promise.all([
          // The update locks existing rows: `release` locks an agent before it checks whether the agent has calls.
          // One agent without a runner is left to any runner with its tool: to wake all of them would cost each some statements.
          sql<Array<{ agent_id: string; runner: number | null; is_new: boolean; chosen: number | null }>>`
        INSERT INTO stepline_agents (agent_id, runner)
        SELECT unnest(${agentIds}::text[]), (SELECT id FROM stepline_runners WHERE id = ${runner?.id ?? null}::bigint FOR KEY SHARE)
        ON CONFLICT (agent_id) DO UPDATE SET runner = stepline_agents.runner
        RETURNING agent_id, runner, xmax = 0 AND runner IS NOT NULL AS is_new, CASE WHEN runner IS NULL AND ${agentIds.length === 1} THEN (
          SELECT id FROM stepline_runners WHERE expires_at > now() AND ${rows[0]?.name ?? ""} = ANY(tools) ORDER BY random() LIMIT 1
        ) END AS chosen`,
          inParts(
            rows,
            ({ json }) => sql<Array<Added>>`
        WITH behind AS (
          SELECT DISTINCT agent_id
          FROM unnest(${known}::text[], ${seen}::bigint[]) AS known (agent_id, seq) JOIN stepline_calls c USING (agent_id)
          WHERE fresh AND ended_at IS NULL AND c.seq > known.seq
        ), added AS (
        INSERT INTO stepline_calls (call_id, agent_id, name, asks, background, snapshot, fresh, queued_at)
        SELECT call_id, agent_id, name, asks, background, snapshot, true,
          CASE WHEN ${runner === undefined} THEN (extract(epoch FROM now()) * 1000)::bigint END
        FROM json_to_recordset(${json}::text::json)
          AS rows(call_id text, agent_id text, name text, asks boolean, background boolean, snapshot text)
        ON CONFLICT (call_id) DO NOTHING
        RETURNING call_id, agent_id, seq)
        SELECT call_id AS "callId", seq, behind.agent_id IS NOT NULL AS "isBehind" FROM added LEFT JOIN behind USING (agent_id)`,
          ),
        ]),
      ),
    )
    return {
      added,
      agents: agents.filter((row) => row.is_new).map((row) => row.agent_id),
      notices: agents.map(
        ({ runner, chosen }): Notice => (chosen === null ? workNotice(runner) : `free ${chosen}`),
      ),
    }
  }

  async ask(request: Request): Promise<unknown> {
    if (this.isClosed) throw closedError()
    if (request._tag === "Enqueue") throw new TypeError("Calls are queued by `enqueue`")
    const { sql } = this
    const callId = column(request.callId)
    const key = randomUUID()
    const insert = () => sql<Array<{ id: number; owner: number | null }>>`
      INSERT INTO stepline_requests (key, agent_id, call_id, request, at)
      SELECT ${key}, agent_id, ${callId}, ${JSON.stringify(request)}, (extract(epoch FROM now()) * 1000)::bigint
      FROM (
        SELECT agent_id FROM stepline_calls WHERE call_id = ${callId} AND ended_at IS NULL
        UNION SELECT agent_id FROM stepline_tasks WHERE task_id = ${callId}
        UNION SELECT agent_id FROM stepline_requests WHERE key = ${key}
      ) AS known LIMIT 1
      ON CONFLICT (key) DO UPDATE SET key = EXCLUDED.key
      RETURNING id, (SELECT runner FROM stepline_agents a WHERE a.agent_id = stepline_requests.agent_id) AS owner`
    const [made] = await this.patiently(insert)
    if (made === undefined) return false
    await this.tellWork([workNotice(made.owner)])
    const answer = await this.answers.of(made.id)
    if (answer === undefined) throw unansweredError()
    if ("error" in answer) throw new Error(answer.error)
    return answer.took
  }

  /** The owners of those agents that the store knows. */
  owners(agentIds: ReadonlyArray<string>): Promise<Array<AgentOwner>> {
    const ids = agentIds.map((agentId) => column(agentId))
    return this.patiently(
      () => this.sql<Array<AgentOwner>>`
        SELECT agent_id AS "agentId", runner, expires_at::text AS until
        FROM stepline_agents a LEFT JOIN stepline_runners r ON r.id = a.runner
        WHERE agent_id = ANY(${ids}::text[])`,
    )
  }

  inbox({ agentId, ...options }: InboxOptions = {}): Promise<Array<InboxItem>> {
    const { sql } = this
    const agent = columnOf(agentId)
    const read = (after: number, limit: number) =>
      this.patiently(
        () => sql<Array<InboxRow>>`
          SELECT seq, snapshot, deadline, (
            SELECT bool_and(name <> ALL(tools)) FROM stepline_runners WHERE expires_at > now()
          ) AS lacking FROM stepline_calls
          WHERE asks AND seq > ${after} AND (${agent}::text IS NULL OR agent_id = ${agent})
          ORDER BY seq LIMIT ${limit}`,
      )
    return pageOf(read, inboxItem, options)
  }

  awaitingTool({ agentId, ...options }: InboxOptions) {
    const { sql } = this
    const agent = columnOf(agentId)
    const read = (after: number, limit: number) =>
      this.patiently(
        () => sql<Array<InboxRow>>`
          SELECT seq, snapshot FROM stepline_calls
          WHERE ended_at IS NULL AND seq > ${after} AND (${agent}::text IS NULL OR agent_id = ${agent})
          AND (SELECT bool_and(name <> ALL(tools)) FROM stepline_runners WHERE expires_at > now())
          ORDER BY seq LIMIT ${limit}`,
      )
    return pageOf(read, waitingCall, options)
  }

  poisoned({ agentId, ...options }: InboxOptions): Promise<Array<PoisonedCall>> {
    const { sql } = this
    const agent = columnOf(agentId)
    const read = (after: number, limit: number) =>
      this.patiently(
        () => sql<Array<PoisonedRow>>`
          SELECT seq, result FROM stepline_calls c
          WHERE ended_at IS NOT NULL AND seq > ${after} AND (${agent}::text IS NULL OR agent_id = ${agent})
          AND strpos(result, ${poisonedMark}) > 0
          AND NOT EXISTS (SELECT FROM stepline_calls WHERE call_id = c.call_id || ${retryEnd})
          ORDER BY seq LIMIT ${limit}`,
      )
    return pageOf(read, poisonedCall, options)
  }

  events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>> {
    return this.patiently(() => eventPage(this.sql, after, agentId))
  }

  async lastSequence(after: number): Promise<number> {
    const read = () => this.sql<[{ last: number }]>`
      SELECT min(value) AS last FROM stepline_meta
      WHERE key = 'events' OR CASE WHEN key LIKE 'events before %' THEN substr(key, 15)::bigint >= ${after} END`
    const [{ last }] = await this.patiently(read)
    return last
  }

  async result(callId: string): Promise<string | undefined> {
    const read = () => this.sql<Array<{ result: string | null }>>`
      SELECT result FROM stepline_calls WHERE call_id = ${column(callId)}`
    const [row] = await this.patiently(read)
    return row?.result ?? undefined
  }

  async tasks({ taskId, agentId }: TaskQuery): Promise<StoredTaskTexts> {
    const { sql } = this
    const [task, agent] = [columnOf(taskId), columnOf(agentId)]
    const read = () => sql<Array<TaskOrCallColumns>>`
      SELECT task AS text, false AS open, ended_at AS place FROM stepline_tasks
      WHERE (${task}::text IS NULL OR task_id = ${task}) AND (${agent}::text IS NULL OR agent_id = ${agent})
      UNION ALL
      SELECT snapshot, true, seq FROM stepline_calls
      WHERE background AND ended_at IS NULL AND (${task}::text IS NULL OR call_id = ${task})
        AND (${agent}::text IS NULL OR agent_id = ${agent})
      ORDER BY open, place`
    return storedTaskTexts(await this.patiently(read))
  }

  async endedTasks(taskIds: ReadonlyArray<string>): Promise<ReadonlyMap<string, string | undefined>> {
    const { sql } = this
    const ids = taskIds.map(column)
    const read = () => sql<Array<{ place: number; task: string | null }>>`
      SELECT place, task FROM unnest(${ids}::text[]) WITH ORDINALITY AS ids (id, place)
      LEFT JOIN stepline_tasks ON task_id = id
      WHERE task IS NOT NULL OR NOT EXISTS (
        SELECT FROM stepline_calls WHERE call_id = id AND background AND ended_at IS NULL)`
    const rows = await this.patiently(read)
    // By place, because several ids may have the same column value.
    return new Map(rows.map(({ place, task }) => [taskIds[place - 1]!, task ?? undefined]))
  }

  mark(): number {
    return this.notices.mark()
  }

  changed(mark: number, signal?: AbortSignal): Promise<void> {
    return this.notices.changed(mark, signal)
  }

  /** Notifies the runners that have work. After a failure they look by themselves. */
  async tellWork(notices: ReadonlyArray<Notice>): Promise<void> {
    const telling = this.sql`
      SELECT pg_notify(${channel}, notice) FROM unnest(${[...new Set(notices)]}::text[]) AS notice`
    await telling.catch(() => undefined)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.notices.close()
    await this.sql.end()
  }

  /** Reads the answers to requests; false for a request whose call has ended. A failed read is repeated with the next look. */
  private async answersTo(ids: ReadonlyArray<number>): Promise<ReadonlyMap<number, RequestAnswer>> {
    const { sql } = this
    const reading = sql<Array<{ id: number; answer: string | null }>>`
      SELECT ids.id, answer FROM unnest(${[...ids]}::bigint[]) AS ids (id) LEFT JOIN stepline_requests r ON r.id = ids.id
      WHERE answer IS NOT NULL
        OR NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = r.call_id AND ended_at IS NULL)
        AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = r.call_id)`
    const rows = await reading.catch(() => [])
    const over = rows.flatMap(({ id, answer }) => (answer === null ? [id] : []))
    if (over.length > 0) this.withdraw(over)
    const answerOf = (answer: string | null) =>
      answer === null ? { took: false } : (JSON.parse(answer) as RequestAnswer)
    return new Map(rows.map(({ id, answer }) => [id, answerOf(answer)]))
  }

  /** Deletes requests, so that none is applied to a later call with the same id. */
  private withdraw(requests: Array<number>): void {
    this.sql`DELETE FROM stepline_requests WHERE id = ANY(${requests}::bigint[]) AND answer IS NULL`.catch(
      () => undefined,
    )
  }

  /**
   * Does `work`, and repeats it while the database cannot be reached, or after it aborted `work` in favour of another
   * transaction.
   */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      if (this.isClosed) throw closedError()
      try {
        return await work()
      } catch (error) {
        if (this.isClosed) throw closedError()
        if (isAway(error)) await sleep(awayRetry)
        else if (!hindered.has((error as { readonly code?: unknown }).code)) throw error
      }
    }
  }
}
