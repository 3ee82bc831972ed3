/** A process as a runner of a Postgres store: it shows that it lives, and claims the agents that no runner has. */
import type { StoredCall, StoredState } from "../store.ts"
import {
  type ActionColumns,
  type CallColumns,
  storedCall,
  storedState,
  type TaskColumns,
} from "../stored-rows.ts"
import type { RunnerIdentity } from "./journal-store.ts"
import type { Sql } from "./sql.ts"

/** Milliseconds for which a runner counts as alive after a sign of life. */
const lease = 3000

/** Milliseconds between two signs of life, and between two looks for work that no notice told of. */
const beatEvery = 750

/** How many agents are claimed at once: few, so that several processes share them. */
const claimSize = 200

/** A request of another process about a call of this one. */
export interface OpenRequest {
  readonly id: number
  readonly text: string
}

/** What a runner has to do. */
export interface Work {
  /** The state of the agents that it has claimed. */
  readonly state: StoredState | undefined
  /** Calls that no runner has taken in. */
  readonly fresh: ReadonlyArray<StoredCall>
  readonly requests: ReadonlyArray<OpenRequest>
}

/** Ends the runners whose lease has expired, which frees their agents; not the caller's own, however late it renews its lease. */
const endDead = (sql: Sql, but: number | null): Promise<unknown> => sql`
  DELETE FROM stepline_runners WHERE expires_at < now() AND id IS DISTINCT FROM ${but}::bigint`

/** The open calls, the tasks and the actions of agents. */
const stateOf = async (sql: Sql, agentIds: Array<string>): Promise<StoredState> => {
  const [tasks, actions, calls] = await Promise.all([
    sql<Array<TaskColumns>>`
      SELECT task FROM stepline_tasks WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY ended_at`,
    sql<Array<ActionColumns>>`
      SELECT * FROM stepline_actions WHERE agent_id = ANY(${agentIds}::text[]) ORDER BY agent_id, place`,
    sql<Array<CallColumns>>`
      SELECT call_id, agent_id, name, snapshot, asks, deadline, fresh FROM stepline_calls
      WHERE agent_id = ANY(${agentIds}::text[]) AND ended_at IS NULL ORDER BY seq`,
  ])
  return storedState(tasks, actions, calls)
}

/** A call that no runner has taken in, or a request, with its number and text. */
interface WorkRow extends CallColumns {
  readonly place: number
  readonly request: number | null
}

/** In one statement: between two, a call may be queued and answered, and its request be found without the call. */
const workOf = (sql: Sql, runner: number): Promise<Array<WorkRow>> => sql<Array<WorkRow>>`
  SELECT agent_id, c.call_id, name, c.snapshot, asks, deadline, fresh, NULL::bigint AS request, c.seq AS place
  FROM stepline_calls c JOIN stepline_agents a USING (agent_id) WHERE c.fresh AND a.runner = ${runner}
  UNION ALL
  SELECT agent_id, r.call_id, '', r.request, false, NULL, false, r.id, r.id
  FROM stepline_requests r JOIN stepline_agents a USING (agent_id) WHERE r.answer IS NULL AND a.runner = ${runner}
  ORDER BY place`

/** The runner of this process, until other processes end it. */
export class Membership implements RunnerIdentity {
  readonly id: number
  readonly agents = new Map<string, number>()
  private readonly sql: Sql
  private seenAt: number
  /** Agents that were claimed, and whose state was not read yet. */
  private adopted: Array<string> = []
  private hasMissed = false
  private readonly maybeIdle = new Set<string>()
  /** Agents of the commit under way. */
  private writing: ReadonlySet<string> = new Set()
  /** Agents that are being released: whether the store has done so is not known. */
  private readonly releasing = new Set<string>()
  /** Resolves once the release of idle agents has succeeded or failed. */
  private forgetting: Promise<void> = Promise.resolve()
  /** Whether agents may have been claimed by a statement whose answer was lost. */
  private isUnsure = false
  private readonly beaten: (isAlive: boolean) => Promise<void>
  private readonly timer: NodeJS.Timeout
  /** The sign of life under way. */
  private beating: Promise<void> | undefined
  private leaving: Promise<void> | undefined

  private constructor(sql: Sql, id: number, seenAt: number, beaten: (isAlive: boolean) => Promise<void>) {
    this.sql = sql
    this.id = id
    this.seenAt = seenAt
    this.beaten = beaten
    this.timer = setInterval(() => {
      this.beating ??= this.beat()
    }, beatEvery)
  }

  /** `retention`: milliseconds for which ended calls are kept. `beaten` is called after each sign of life, and with false if other processes have ended this runner. */
  static async join(
    sql: Sql,
    retention: number,
    beaten: (isAlive: boolean) => Promise<void>,
  ): Promise<Membership> {
    const seenAt = performance.now()
    await endDead(sql, null)
    const kept = Math.trunc(Math.min(retention, Number.MAX_SAFE_INTEGER))
    const [row] = await sql<[{ id: number }]>`
      WITH joined AS (
        INSERT INTO stepline_runners (expires_at) VALUES (now() + ${lease} * interval '1 millisecond') RETURNING id
      ), kept AS (INSERT INTO stepline_meta SELECT 'retention ' || id, ${kept}::bigint FROM joined)
      SELECT id FROM joined`
    return new Membership(sql, row.id, seenAt, beaten)
  }

  readonly isCurrent = (): boolean => performance.now() - this.seenAt < lease

  readonly onAdopted = (agentIds: ReadonlyArray<string>): void => {
    this.adopted.push(...agentIds)
  }

  readonly onBehind = (): void => {
    this.hasMissed = true
  }

  /** Whether other processes may have queued calls that the last look has not found. */
  get isBehind(): boolean {
    return this.hasMissed || this.adopted.length > 0
  }

  readonly got = (agentIds: Iterable<string>): void => {
    for (const agentId of agentIds) if (!this.releasing.has(agentId)) this.tookIn(agentId, 0)
  }

  /** Notes that the calls of an agent are taken in, up to a `seq`. */
  tookIn(agentId: string, seq: number): void {
    this.agents.set(agentId, Math.max(this.agents.get(agentId) ?? 0, seq))
  }

  /** Resolves once the release of idle agents is over: then `agents` is right, as far as that can be known. */
  settled(): Promise<void> {
    return this.forgetting
  }

  readonly onWriting = (agentIds: ReadonlySet<string>): void => {
    this.writing = agentIds
  }

  readonly onMaybeIdle = (agentIds: Iterable<string>): void => {
    for (const agentId of agentIds) this.maybeIdle.add(agentId)
  }

  /** Shows that this runner lives. After a failure the next beat tries again. */
  private async beat(): Promise<void> {
    try {
      await this.beaten(await this.showLife())
    } catch {
      // The store fails, which its next write reports.
    } finally {
      this.beating = undefined
    }
  }

  /** Renews the lease, and ends the runners whose lease has expired. False if other processes have ended this one. */
  private async showLife(): Promise<boolean> {
    const { sql } = this
    const at = performance.now()
    const alive = await sql`
      UPDATE stepline_runners SET expires_at = now() + ${lease} * interval '1 millisecond'
      WHERE id = ${this.id} RETURNING id`
    if (alive.length === 0) return false
    this.seenAt = at
    await endDead(sql, this.id)
    const forgetting = this.forgetIdle()
    this.forgetting = forgetting.catch(() => undefined)
    await forgetting
    return true
  }

  /** Claims agents that no runner has; returns what there is to do. After a failure the next look does so. */
  async look(): Promise<Work> {
    const { sql } = this
    const adopted = this.adopted
    this.adopted = []
    this.hasMissed = false
    try {
      if (this.isUnsure) adopted.push(...(await this.lost(adopted)))
      await this.claim(adopted)
      const state = adopted.length === 0 ? undefined : await stateOf(sql, adopted)
      const rows = await workOf(sql, this.id)
      const fresh: Array<StoredCall> = []
      const requests: Array<OpenRequest> = []
      this.got(adopted)
      for (const row of rows) {
        const { agent_id: agentId, request: id, snapshot, place } = row
        if (id !== null) requests.push({ id, text: snapshot })
        else {
          fresh.push(storedCall(row))
          if (this.agents.has(agentId)) this.tookIn(agentId, place)
        }
      }
      this.isUnsure = false
      return { state, fresh, requests }
    } catch (error) {
      this.adopted.unshift(...adopted)
      this.hasMissed = true
      this.isUnsure = true
      throw error
    }
  }

  /** Frees the agents of this runner. Done once, however often it is called. */
  leave(): Promise<void> {
    this.leaving ??= this.end()
    return this.leaving
  }

  private async end(): Promise<void> {
    clearInterval(this.timer)
    await this.beating
    await this.sql`DELETE FROM stepline_runners WHERE id = ${this.id}`
  }

  /** Agents that were claimed by a statement whose answer was lost. */
  private async lost(adopted: ReadonlyArray<string>): Promise<Array<string>> {
    const rows = await this.sql<Array<{ agent_id: string }>>`
      SELECT agent_id FROM stepline_agents WHERE runner = ${this.id}`
    const known = new Set([...this.agents.keys(), ...this.releasing, ...this.writing, ...adopted])
    return rows.flatMap(({ agent_id }) => (known.has(agent_id) ? [] : [agent_id]))
  }

  /** Adds the agents that it claims to `adopted`. */
  private async claim(adopted: Array<string>): Promise<void> {
    for (;;) {
      const rows = await this.sql<Array<{ agent_id: string }>>`
        UPDATE stepline_agents SET runner = ${this.id} WHERE agent_id IN (
          SELECT agent_id FROM stepline_agents WHERE runner IS NULL
          ORDER BY agent_id LIMIT ${claimSize} FOR UPDATE SKIP LOCKED
        ) RETURNING agent_id`
      adopted.push(...rows.map((row) => row.agent_id))
      if (rows.length < claimSize) return
    }
  }

  /** Forgets agents that have nothing left, so that their number does not grow. */
  private async forgetIdle(): Promise<void> {
    // A commit under way may store the next call of an agent.
    const ids = [...this.maybeIdle].filter((agentId) => !this.writing.has(agentId))
    if (ids.length === 0) return
    for (const agentId of ids) {
      this.maybeIdle.delete(agentId)
      // Before the release: a later commit then claims the agent again.
      this.agents.delete(agentId)
      this.releasing.add(agentId)
    }
    try {
      const kept = await this.release(ids)
      for (const agentId of ids) this.releasing.delete(agentId)
      this.got(kept)
    } catch (error) {
      this.onMaybeIdle(ids)
      throw error
    }
  }

  /** Releases agents; returns those that are not idle and stay. */
  private async release(ids: Array<string>): Promise<Array<string>> {
    const kept = await this.sql.begin(async (sql) => {
      // Locked before the check: a process that queues a call locks the agent, too.
      await sql`SELECT FROM stepline_agents WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}
        ORDER BY agent_id COLLATE "C" FOR UPDATE`
      await sql`
        DELETE FROM stepline_agents a WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}
        AND NOT EXISTS (SELECT FROM stepline_calls c WHERE c.agent_id = a.agent_id AND ended_at IS NULL)
        AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.agent_id = a.agent_id)
        AND NOT EXISTS (SELECT FROM stepline_actions s WHERE s.agent_id = a.agent_id)`
      return sql<Array<{ agent_id: string }>>`
        SELECT agent_id FROM stepline_agents WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}`
    })
    return kept.map((row) => row.agent_id)
  }
}
