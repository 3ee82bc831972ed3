/** A process among those that run the calls of a Postgres store: it shows that it lives, and gets the agents that nobody runs. */
import type { StoredState } from "../store.ts"
import { type ActionColumns, type CallColumns, storedState, type TaskColumns } from "../stored-rows.ts"
import type { RunnerIdentity } from "./journal-store.ts"
import type { Sql } from "./sql.ts"

/** Milliseconds for which it is held to live, after it has shown it. */
const lease = 3000

/** Milliseconds between the signs of life of a process, and between looks for what nobody told of. */
const beatEvery = 750

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

/** What the dead ones had is free by that. Who does so is not among them, however long it was held up since it has shown that. */
const endDead = (sql: Sql, but: number | null): Promise<unknown> => sql`
  DELETE FROM stepline_runners WHERE expires_at < now() AND id IS DISTINCT FROM ${but}::bigint`

/** What is stored of agents, and has not ended. */
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

/** A call that nobody has taken in, or, with its number, what is asked of one. */
interface WorkRow {
  readonly call_id: string
  readonly text: string
  readonly request: number | null
}

/** In one statement: between two, a call may be queued and answered, and the answer be found without the call. */
const workOf = (sql: Sql, runner: number): Promise<Array<WorkRow>> => sql<Array<WorkRow>>`
  SELECT c.call_id, c.snapshot AS text, NULL::bigint AS request, c.seq AS place
  FROM stepline_calls c JOIN stepline_agents a USING (agent_id) WHERE c.fresh AND a.runner = ${runner}
  UNION ALL
  SELECT r.call_id, r.request, r.id, r.id
  FROM stepline_requests r JOIN stepline_agents a USING (agent_id) WHERE r.answer IS NULL AND a.runner = ${runner}
  ORDER BY place`

/** The runner that a process is, until others hold it to be dead. */
export class Membership implements RunnerIdentity {
  readonly id: number
  readonly agents = new Set<string>()
  private readonly sql: Sql
  private seenAt: number
  /** Agents that it got, and of which it has not read what they had. */
  private adopted: Array<string> = []
  private readonly maybeIdle = new Set<string>()
  /** Agents of which something is on its way to the store. */
  private writing: ReadonlySet<string> = new Set()
  /** Agents that it may have given back, and has not heard whether. */
  private readonly releasing = new Set<string>()
  /** Resolves once it has heard so, or cannot. */
  private forgetting: Promise<void> = Promise.resolve()
  /** Whether it may have got agents without having heard of it. */
  private isUnsure = false
  private readonly beaten: (isAlive: boolean) => Promise<void>
  private readonly timer: NodeJS.Timeout
  /** The sign of life that is on its way. */
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

  /** `beaten`: told each time that it has shown that it lives, and, with false, that others have ended it. */
  static async join(sql: Sql, beaten: (isAlive: boolean) => Promise<void>): Promise<Membership> {
    const seenAt = performance.now()
    await endDead(sql, null)
    const [row] = await sql<[{ id: number }]>`
      INSERT INTO stepline_runners (expires_at) VALUES (now() + ${lease} * interval '1 millisecond') RETURNING id`
    return new Membership(sql, row.id, seenAt, beaten)
  }

  readonly isCurrent = (): boolean => performance.now() - this.seenAt < lease

  readonly onAdopted = (agentIds: ReadonlyArray<string>): void => {
    this.adopted.push(...agentIds)
  }

  readonly got = (agentIds: Iterable<string>): void => {
    for (const agentId of agentIds) if (!this.releasing.has(agentId)) this.agents.add(agentId)
  }

  /** Resolves once it is known of all agents whether it has them, as far as that can be known. */
  settled(): Promise<void> {
    return this.forgetting
  }

  readonly onWriting = (agentIds: ReadonlySet<string>): void => {
    this.writing = agentIds
  }

  readonly onMaybeIdle = (agentIds: Iterable<string>): void => {
    for (const agentId of agentIds) this.maybeIdle.add(agentId)
  }

  /** What fails is tried again with the next one. */
  private async beat(): Promise<void> {
    try {
      await this.beaten(await this.showLife())
    } catch {
      // The store is away: its next writer is told.
    } finally {
      this.beating = undefined
    }
  }

  /** Shows that it lives, and ends those that do not. False where others have ended this one. */
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

  /** Gets agents that nobody runs; gives what there is to do. What fails is done by the next look. */
  async look(): Promise<Work> {
    const { sql } = this
    const adopted = this.adopted
    this.adopted = []
    try {
      if (this.isUnsure) adopted.push(...(await this.lost(adopted)))
      await this.claim(adopted)
      const state = adopted.length === 0 ? undefined : await stateOf(sql, adopted)
      const rows = await workOf(sql, this.id)
      const fresh: Array<Work["fresh"][number]> = []
      const requests: Array<OpenRequest> = []
      for (const { call_id: callId, request: id, text } of rows) {
        if (id === null) fresh.push({ callId, snapshot: text })
        else requests.push({ id, text })
      }
      this.got(adopted)
      this.isUnsure = false
      return { state, fresh, requests }
    } catch (error) {
      this.adopted.unshift(...adopted)
      this.isUnsure = true
      throw error
    }
  }

  /** Others may have what it had. Done once, however often it is asked for. */
  leave(): Promise<void> {
    this.leaving ??= this.end()
    return this.leaving
  }

  private async end(): Promise<void> {
    clearInterval(this.timer)
    await this.beating
    await this.sql`DELETE FROM stepline_runners WHERE id = ${this.id}`
  }

  /** Agents that it got, and was cut off before it heard so. */
  private async lost(adopted: ReadonlyArray<string>): Promise<Array<string>> {
    const rows = await this.sql<Array<{ agent_id: string }>>`
      SELECT agent_id FROM stepline_agents WHERE runner = ${this.id}`
    const known = new Set([...this.agents, ...this.releasing, ...this.writing, ...adopted])
    return rows.flatMap(({ agent_id }) => (known.has(agent_id) ? [] : [agent_id]))
  }

  /** Adds those that it gets. */
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

  /** Agents of which nothing is left are nobody's, so that their number does not grow. */
  private async forgetIdle(): Promise<void> {
    // What is on its way to the store may be the next call of one.
    const ids = [...this.maybeIdle].filter((agentId) => !this.writing.has(agentId))
    if (ids.length === 0) return
    for (const agentId of ids) {
      this.maybeIdle.delete(agentId)
      // First: what is stored of it from now on gets it again.
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

  /** Gives those that have something. */
  private async release(ids: Array<string>): Promise<Array<string>> {
    const kept = await this.sql.begin(async (sql) => {
      // Locked before it is looked whether they have anything: whoever queues a call locks them, too.
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
