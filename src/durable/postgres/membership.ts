/** A process as a runner of a Postgres store: it sends heartbeats, and claims the agents that no runner has. */
import type { OpenRequest } from "../requests.ts"
import type { Runner } from "../runner.ts"
import type { StoredCall, StoredState } from "../store.ts"
import { storedCall } from "../stored-rows.ts"
import { column } from "./connection.ts"
import { Elsewhere } from "./elsewhere.ts"
import { claimFree, freeAgents, lease, roomOf, type Signs, showLife, stateOf, workOf } from "./runner-rows.ts"
import { beat } from "./schema.ts"
import type { Sql } from "./sql.ts"

/** The milliseconds between two heartbeats. Each one also finds work that no notice announced. */
const beatEvery = 1000

/** With how many heartbeats one is announced: more often than processes prove that notices arrive. */
const announceEvery = 4

/** How many agents are claimed at once: few, so that several processes share them. */
const claimSize = 200

/** For how many heartbeats a runner with too many agents tries to give some up. */
const evenFor = 60

/** The options of a runner. */
export interface MembershipOptions {
  /** The milliseconds for which ended calls are kept. */
  readonly retention: number
  /** The milliseconds that a call which was run before, or which a client queued, waits for a runner with its tool. */
  readonly unknownToolTimeout: number
  /** The names of the tools that the runner has, in order. */
  readonly tools: () => Array<string>
  /** Called after each heartbeat. */
  readonly beaten: (signs: Signs) => Promise<void>
}

/** The pending work of a runner. */
export interface Work {
  /** The stored state of the agents that it has claimed. */
  readonly state: StoredState | undefined
  /** Calls that no runner has taken in. */
  readonly fresh: ReadonlyArray<StoredCall>
  readonly requests: ReadonlyArray<OpenRequest>
}

/** The runner of this process, until other processes end it. */
export class Membership {
  readonly id: number
  /** The agents whose calls it runs, by their column values, each with the last `seq` that the runner has taken in. */
  readonly agents = new Map<string, number>()
  private readonly sql: Sql
  private seenAt: number
  /** Agents that were claimed, but whose state was not read yet. */
  private adopted: Array<string> = []
  private hasMissed = false
  private readonly maybeIdle = new Set<string>()
  /** The agents of the current commit. */
  private writing: ReadonlySet<string> = new Set()
  /** Agents that are being released: the store may or may not have done so. */
  private readonly releasing = new Set<string>()
  /** Resolves once the release of idle agents has succeeded or failed. */
  private forgetting: Promise<void> = Promise.resolve()
  /** Whether agents may have been claimed by a statement whose answer was lost. */
  private isUnsure = false
  /** Which free agents the next look claims: an equal share of them, or all. */
  private claims: "none" | "share" | "all" = "share"
  /** How many agents the next look claims because a client left one to this runner, whatever its share. */
  private owed = 0
  private beats = 0
  /** Whether some agents had no runner at the last heartbeat. */
  private hadFree = false
  /** The runners with the same tools, and the number of its agents, at the last heartbeat. */
  private before = ""
  private evening = 0
  /** How many agents the next look gives up. */
  private surplus = 0
  private isFirstClaim = true
  /** The time since which no runner could claim an agent, in milliseconds of this process's clock. */
  private readonly freeSince = new Map<string, number>()
  readonly elsewhere = new Elsewhere()
  private readonly options: MembershipOptions
  private readonly timer: NodeJS.Timeout
  /** The current heartbeat. */
  private beating: Promise<void> | undefined
  private leaving: Promise<void> | undefined

  private constructor(sql: Sql, id: number, seenAt: number, options: MembershipOptions) {
    this.sql = sql
    this.id = id
    this.seenAt = seenAt
    this.options = options
    this.timer = setInterval(() => {
      this.beating ??= this.beat()
    }, beatEvery)
  }

  static async join(sql: Sql, options: MembershipOptions): Promise<Membership> {
    const seenAt = performance.now()
    const kept = Math.trunc(Math.min(options.retention, Number.MAX_SAFE_INTEGER))
    const [row] = await sql<[{ id: number }]>`
      WITH joined AS (
        INSERT INTO stepline_runners (expires_at, tools)
        VALUES (now() + ${lease} * interval '1 millisecond', ${options.tools()}::text[]) RETURNING id
      ), kept AS (INSERT INTO stepline_meta SELECT 'retention ' || id, ${kept}::bigint FROM joined),
      last AS (
        SELECT value, greatest(value, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS next FROM stepline_meta
        WHERE key = 'events' AND value > 0 FOR UPDATE SKIP LOCKED
      ), ended AS (INSERT INTO stepline_meta SELECT 'events before ' || next, value FROM last ON CONFLICT DO NOTHING),
      begun AS (UPDATE stepline_meta SET value = next FROM last WHERE key = 'events')
      SELECT id FROM joined`
    return new Membership(sql, row.id, seenAt, options)
  }

  /** Whether its last heartbeat is recent, so that it keeps its agents. */
  isCurrent(): boolean {
    return performance.now() - this.seenAt < lease
  }

  /** Called with agents that it has claimed, and that may have stored calls, tasks or actions. */
  onAdopted(agentIds: ReadonlyArray<string>): void {
    this.adopted.push(...agentIds)
  }

  /** Called when other processes have queued calls that it has not taken in. */
  onBehind(): void {
    this.hasMissed = true
  }

  /** Whether other processes may have queued calls that the last look did not find. */
  get isBehind(): boolean {
    return this.hasMissed || this.adopted.length > 0
  }

  /** Called with agents that belong to it. */
  got(agentIds: Iterable<string>): void {
    for (const agentId of agentIds) if (!this.releasing.has(agentId)) this.tookIn(agentId, 0)
  }

  /** Records that the calls of an agent are taken in, up to a `seq`. */
  tookIn(agentId: string, seq: number): void {
    this.agents.set(agentId, Math.max(this.agents.get(agentId) ?? 0, seq))
  }

  /** Whether it has too many agents. */
  get hasSurplus(): boolean {
    return this.surplus > 0
  }

  /** Resolves once the current release of idle agents has ended: then `agents` is as accurate as possible. */
  settled(): Promise<void> {
    return this.forgetting
  }

  /** Called with the agents of a commit, and with none when the commit ends. */
  onWriting(agentIds: ReadonlySet<string>): void {
    this.writing = agentIds
  }

  /** Called with agents that may have nothing left in the store. */
  onMaybeIdle(agentIds: Iterable<string>): void {
    for (const agentId of agentIds) this.maybeIdle.add(agentId)
  }

  /** After a failure, the next heartbeat tries again. */
  private async beat(): Promise<void> {
    try {
      await this.options.beaten(await this.showLife())
    } catch {
      // The store fails, which its next write reports.
    } finally {
      this.beating = undefined
    }
  }

  /** Sends a heartbeat of this runner. */
  async showLife(): Promise<Signs> {
    const at = performance.now()
    this.beats += 1
    const notices = this.beats % announceEvery === 0 ? [beat] : []
    const signs = await showLife(this.sql, this.id, this.options.tools(), notices)
    if (!signs.isAlive) return signs
    this.seenAt = at
    if (signs.hasFree) this.claims = this.hadFree ? "all" : "share"
    this.hadFree = signs.hasFree
    await this.compare(signs)
    const forgetting = this.forgetIdle()
    this.forgetting = forgetting.catch(() => undefined)
    await forgetting
    return signs
  }

  /** Finds out whether it has too many agents, once the runners or the number of its agents have changed. */
  private async compare({ peers }: Signs): Promise<void> {
    const now = `${peers}: ${this.agents.size}`
    if (now !== this.before) this.evening = evenFor
    this.before = now
    if (this.evening === 0) return
    this.surplus = Math.max(0, -(await roomOf(this.sql, this.id, this.options.tools())))
    this.evening = this.surplus === 0 ? 0 : this.evening - 1
  }

  /**
   * Called when some agents may have no runner: the next look claims this runner's share of them. The next heartbeat claims those
   * that all runners leave.
   */
  onFree(): void {
    if (this.claims === "none") this.claims = "share"
  }

  /** Called when a client left one agent to this runner: no other one claims it before the next heartbeat. */
  onOwed(): void {
    this.owed += 1
  }

  /** Claims agents that no runner has, and returns the pending work. After a failure, the next look claims them. */
  async look(): Promise<Work> {
    const { sql, claims, owed, elsewhere } = this
    const adopted = this.adopted
    this.adopted = []
    this.hasMissed = false
    this.claims = "none"
    this.owed = 0
    try {
      if (this.isUnsure) adopted.push(...(await this.lost(adopted)))
      if (claims !== "none" || owed > 0) await this.claim(adopted, claims, owed)
      const tools = this.tools()
      const state = adopted.length === 0 ? undefined : await stateOf(sql, adopted, tools)
      const rows = await workOf(sql, this.id, tools)
      const requests: Array<OpenRequest> = []
      this.got(adopted)
      elsewhere.forgetFresh()
      const kept = state && { ...state, calls: state.calls.filter((call) => !elsewhere.leaves(call)) }
      const fresh: Array<StoredCall> = []
      for (const row of rows) {
        if (row.request !== null) continue
        const call = storedCall(row)
        if (elsewhere.leaves(call)) continue
        fresh.push(call)
        if (this.agents.has(call.agentId)) this.tookIn(call.agentId, row.place)
      }
      // Only now, when all calls that are left to others are known: requests and calls are numbered independently.
      for (const { request: id, agent_id: agentId, call_id: callId, snapshot: text } of rows) {
        if (id !== null && !elsewhere.has(agentId, callId)) requests.push({ id, text })
      }
      this.isUnsure = false
      return { state: kept, fresh, requests }
    } catch (error) {
      this.adopted.unshift(...adopted)
      this.hasMissed = true
      this.isUnsure = true
      this.claims = "all"
      throw error
    }
  }

  /**
   * Frees agents whose next call only other runners can run, and those that other runners are to have. `giveUp` takes agents out of
   * this runner, up to a number, and returns the ids of their calls; `busy` returns the agents that have work in this runner. Returns
   * true if any are freed, so that the other runners have to be notified.
   */
  async handOn(runner: Pick<Runner, "giveUp" | "busy">): Promise<boolean> {
    const { elsewhere, surplus } = this
    this.surplus = 0
    const isHeld = (agentId: string) => this.agents.has(agentId)
    const given = surplus > 0 ? runner.giveUp(surplus, (agentId) => isHeld(column(agentId))) : []
    for (const [agentId, callIds] of given) elsewhere.leave(column(agentId), callIds)
    if (elsewhere.agents.length === 0) return false
    const kept = new Set([...runner.busy()].map(column))
    const ids = elsewhere.agents.filter(
      (agentId) => isHeld(agentId) && !kept.has(agentId) && !this.writing.has(agentId),
    )
    if (ids.length === 0) return false
    for (const agentId of ids) {
      elsewhere.forget(agentId)
      this.agents.delete(agentId)
    }
    // If the answer is lost, the next look restores those that were not freed.
    this.isUnsure = true
    await this.sql`
      UPDATE stepline_agents SET runner = NULL WHERE agent_id = ANY(${ids}::text[]) AND runner = ${this.id}`
    this.isUnsure = false
    return true
  }

  /** Frees the agents of this runner. Runs once, however often it is called. */
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

  /** Adds the agents that it claims to `adopted`: all that it can run, or its share and at least those that it is owed. */
  private async claim(adopted: Array<string>, claims: Membership["claims"], owed: number): Promise<void> {
    const { sql, id, freeSince, isFirstClaim: isFirst } = this
    const { tools, timeout } = this.tools()
    const overdueAt = performance.now() - timeout
    const overdue = [...freeSince].flatMap(([agentId, since]) => (since <= overdueAt ? [agentId] : []))
    let room = claims === "all" ? Number.POSITIVE_INFINITY : owed
    if (claims === "share") room = Math.max(owed, await roomOf(sql, id, tools))
    while (room > 0) {
      const limit = Math.min(claimSize, room)
      const claimed = await claimFree(sql, { id, tools, timeout, limit, overdue, isFirst })
      adopted.push(...claimed)
      room = claimed.length < limit ? 0 : room - limit
    }
    this.isFirstClaim = false
    if (claims === "all") this.noteFree(await freeAgents(sql))
  }

  private tools() {
    const { tools, unknownToolTimeout } = this.options
    return { tools: tools(), timeout: Math.trunc(Math.min(unknownToolTimeout, Number.MAX_SAFE_INTEGER)) }
  }

  private noteFree(free: ReadonlyArray<string>): void {
    const still = new Set(free)
    for (const agentId of this.freeSince.keys()) if (!still.has(agentId)) this.freeSince.delete(agentId)
    for (const agentId of free) {
      if (!this.freeSince.has(agentId)) this.freeSince.set(agentId, performance.now())
    }
  }

  /** Releases agents without any rows left, so that their number does not grow. */
  private async forgetIdle(): Promise<void> {
    // The current commit may store the next call of an agent.
    const isHeld = (agentId: string) => this.agents.has(agentId) || this.releasing.has(agentId)
    for (const agentId of this.maybeIdle) if (!isHeld(agentId)) this.maybeIdle.delete(agentId)
    const ids = [...this.maybeIdle].filter((agentId) => !this.writing.has(agentId))
    if (ids.length === 0) return
    for (const agentId of ids) {
      this.maybeIdle.delete(agentId)
      // Before the release, so that a later commit claims the agent again.
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

  /** Releases agents. Returns those that are not idle and stay. */
  private async release(ids: Array<string>): Promise<Array<string>> {
    const kept = await this.sql.begin(async (sql) => {
      // Locked before the check, because a process that queues a call also locks the agent.
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
