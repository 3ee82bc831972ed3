/** A process among those that run the calls of a Postgres store: it shows that it lives, and gets the agents that nobody runs. */
import type { ActionRow, StoredCall, StoredState } from "../store.ts"
import type { Sql } from "./connection.ts"
import type { RunnerIdentity } from "./journal-store.ts"

/** Milliseconds for which it is held to live, after it has shown it. */
const lease = 3000

/** Agents that are got at once: so that several processes share them. */
const claimSize = 200

/** What others ask of the calls of this one. */
export interface OpenRequest {
  readonly id: number
  readonly text: string
}

/** What is there to be done. */
export interface Work {
  /** What is put back of agents that it got. */
  readonly state: StoredState | undefined
  /** Calls that nobody has taken in: JSON of their snapshots. */
  readonly fresh: ReadonlyArray<{ readonly callId: string; readonly snapshot: string }>
  readonly requests: ReadonlyArray<OpenRequest>
}

interface CallRow {
  readonly call_id: string
  readonly agent_id: string
  readonly name: string
  readonly snapshot: string
  readonly fresh: boolean
}

interface StoredActionRow {
  readonly action_id: string
  readonly agent_id: string
  readonly place: number
  readonly dropping: boolean
  readonly label: string
  readonly source: string
  readonly snapshot: string | null
}

/** What the dead ones had is free by that. */
const endDead = (sql: Sql): PromiseLike<unknown> => sql`DELETE FROM stepline_runners WHERE expires_at < now()`

/** The runner that a process is, until others hold it to be dead. */
export class Membership implements RunnerIdentity {
  readonly id: number
  readonly agents = new Set<string>()
  private readonly sql: Sql
  private seenAt: number
  private adopted: Array<string> = []
  private readonly maybeIdle = new Set<string>()

  private constructor(sql: Sql, id: number, seenAt: number) {
    this.sql = sql
    this.id = id
    this.seenAt = seenAt
  }

  static async join(sql: Sql): Promise<Membership> {
    const seenAt = performance.now()
    await endDead(sql)
    const [row] = await sql<[{ id: number }]>`
      INSERT INTO stepline_runners (expires_at) VALUES (now() + ${lease} * interval '1 millisecond') RETURNING id`
    return new Membership(sql, row.id, seenAt)
  }

  readonly isCurrent = (): boolean => performance.now() - this.seenAt < lease

  readonly onAdopted = (agentIds: ReadonlyArray<string>): void => {
    this.adopted.push(...agentIds)
  }

  readonly onMaybeIdle = (agentIds: Iterable<string>): void => {
    for (const agentId of agentIds) this.maybeIdle.add(agentId)
  }

  /** Shows that it lives, and ends those that do not. False where others have ended this one. */
  async beat(): Promise<boolean> {
    const { sql } = this
    const at = performance.now()
    const alive = await sql`
      UPDATE stepline_runners SET expires_at = now() + ${lease} * interval '1 millisecond'
      WHERE id = ${this.id} RETURNING id`
    if (alive.length === 0) return false
    this.seenAt = at
    await endDead(sql)
    await this.forgetIdle()
    return true
  }

  /** Gets agents that nobody runs; gives what there is to do. */
  async look(): Promise<Work> {
    const { sql } = this
    const adopted = [...this.adopted.splice(0), ...(await this.claim())]
    const state = adopted.length === 0 ? undefined : await this.stateOf(adopted)
    const [fresh, requests] = await Promise.all([
      sql<Array<{ call_id: string; snapshot: string }>>`
        SELECT c.call_id, c.snapshot FROM stepline_calls c JOIN stepline_agents a USING (agent_id)
        WHERE c.fresh AND a.runner = ${this.id} ORDER BY c.seq`,
      sql<Array<OpenRequest>>`
        SELECT r.id, r.request AS text FROM stepline_requests r JOIN stepline_agents a USING (agent_id)
        WHERE r.answer IS NULL AND a.runner = ${this.id} ORDER BY r.id`,
    ])
    return {
      state,
      fresh: fresh.map((row) => ({ callId: row.call_id, snapshot: row.snapshot })),
      requests,
    }
  }

  /** Others may have what it had. */
  async leave(): Promise<void> {
    await this.sql`DELETE FROM stepline_runners WHERE id = ${this.id}`
  }

  private async claim(): Promise<Array<string>> {
    const { sql } = this
    const all: Array<string> = []
    for (;;) {
      const rows = await sql<Array<{ agent_id: string }>>`
        UPDATE stepline_agents SET runner = ${this.id} WHERE agent_id IN (
          SELECT agent_id FROM stepline_agents WHERE runner IS NULL
          ORDER BY agent_id LIMIT ${claimSize} FOR UPDATE SKIP LOCKED
        ) RETURNING agent_id`
      for (const { agent_id } of rows) {
        this.agents.add(agent_id)
        all.push(agent_id)
      }
      if (rows.length < claimSize) return all
    }
  }

  private async stateOf(agentIds: Array<string>): Promise<StoredState> {
    const { sql } = this
    for (const agentId of agentIds) this.agents.add(agentId)
    const [tasks, actions, calls] = await Promise.all([
      sql<Array<{ task: string }>>`
        SELECT task FROM stepline_tasks WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY ended_at`,
      sql<Array<StoredActionRow>>`
        SELECT * FROM stepline_actions WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY agent_id, place`,
      sql<Array<CallRow>>`
        SELECT call_id, agent_id, name, snapshot, fresh FROM stepline_calls
        WHERE agent_id = ANY(${agentIds}::text[]) AND ended_at IS NULL ORDER BY seq`,
    ])
    return {
      tasks: tasks.map((row) => row.task),
      actions: actions.map(
        (row): ActionRow => ({
          actionId: row.action_id,
          agentId: row.agent_id,
          place: row.place,
          isDropping: row.dropping,
          label: row.label,
          sourceToolName: row.source,
          snapshot: row.snapshot ?? undefined,
        }),
      ),
      calls: calls.map(
        (row): StoredCall => ({
          callId: row.call_id,
          agentId: row.agent_id,
          name: row.name,
          snapshot: row.snapshot,
          isFresh: row.fresh,
        }),
      ),
    }
  }

  /** Agents of which nothing is left are nobody's, so that their number does not grow. */
  private async forgetIdle(): Promise<void> {
    const ids = [...this.maybeIdle].filter((agentId) => this.agents.has(agentId))
    this.maybeIdle.clear()
    if (ids.length === 0) return
    // First: what is stored of them from now on gets them again.
    for (const agentId of ids) this.agents.delete(agentId)
    const kept = await this.sql.begin(async (sql) => {
      // Locked before it is looked whether they have anything: whoever queues a call locks them, too.
      await sql`SELECT FROM stepline_agents WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id} FOR UPDATE`
      await sql`
        DELETE FROM stepline_agents a WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}
        AND NOT EXISTS (SELECT FROM stepline_calls c WHERE c.agent_id = a.agent_id AND ended_at IS NULL)
        AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.agent_id = a.agent_id)
        AND NOT EXISTS (SELECT FROM stepline_actions s WHERE s.agent_id = a.agent_id)`
      return sql<Array<{ agent_id: string }>>`
        SELECT agent_id FROM stepline_agents WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}`
    })
    for (const { agent_id } of kept) this.agents.add(agent_id)
  }
}
