/** The writes of a process that runs calls of a Postgres store. */

import type { FullLimit, LimitUse } from "../../limits/stored-counts.ts"
import { maxReceiptCalls } from "../poisoned.ts"
import { type Changes, type JournalStore, untilStored } from "../store.ts"
import { FencedError, RefusedError } from "../store-error.ts"
import { outputOf, takeKey } from "./call-keys.ts"
import { column } from "./connection.ts"
import { countedKey, countUses } from "./limit-uses.ts"
import type { Membership } from "./membership.ts"
import type { PostgresStore } from "./postgres-store.ts"
import type { Query, Sql } from "./sql.ts"
import { writeChanges } from "./write-changes.ts"

/** The agents of changes, by their column values. */
const agentsOf = ({ calls, ended, actions, tasks }: Changes): Map<string, string> => {
  const agentIds = [
    ...calls.map((row) => row.agentId),
    ...ended.map((row) => row.agentId),
    ...actions.keys(),
    ...[...tasks.values()].flatMap((row) => row?.agentId ?? []),
  ]
  return new Map(agentIds.map((agentId) => [column(agentId), agentId]))
}

interface Fence {
  readonly behind: boolean
}

/** Writes to the database for one of its runners. */
export class PostgresJournalStore implements JournalStore {
  readonly firstSequence = 0
  readonly isShared = true
  private readonly sql: Sql
  private readonly runner: Membership
  private readonly shared: PostgresStore
  /** Whether calls count at limits here. */
  private hasUses = false
  /** The pending releases of places. */
  private leaving: Promise<void> = Promise.resolve()

  constructor(runner: Membership, shared: PostgresStore) {
    this.sql = shared.sql
    this.runner = runner
    this.shared = shared
  }

  get isCurrent(): boolean {
    return this.runner.isCurrent()
  }

  /** Rejects with a FencedError if other processes ended this runner, or with a RefusedError. */
  async commit(changes: Changes): Promise<void> {
    const { runner } = this
    const agents = agentsOf(changes)
    const unknown = [...agents.keys()].filter((agentId) => !runner.agents.has(agentId)).sort()
    runner.onWriting(new Set(agents.keys()))
    const joining = changes.calls.filter((row) => row.isNew && !row.background)
    const lanes = [...new Set(joining.map((row) => column(row.agentId)))]
    const { adopted, isBehind } = await this.sql.begin(async (sql) => {
      const fence = lanes.length === 0 ? this.alive(sql) : this.behind(sql, lanes)
      const claims = unknown.length === 0 ? undefined : this.claim(sql, unknown, agents)
      const writes = writeChanges(sql, runner.id, changes)
      const [alive, , taken] = await Promise.all([fence, claims, writes, this.uncount(sql, changes)])
      if (alive.length === 0) throw new FencedError()
      if (taken.length > 0) throw new RefusedError([], taken)
      return { adopted: (await claims) ?? [], isBehind: alive[0]!.behind }
    })
    runner.got(unknown)
    runner.onWriting(new Set())
    if (adopted.length > 0) runner.onAdopted(adopted)
    if (isBehind) runner.onBehind()
    if (changes.ended.length + changes.actions.size + changes.tasks.size > 0)
      runner.onMaybeIdle(agents.keys())
  }

  async wholeResult(agentId: string, callId: string): Promise<string | undefined> {
    const [row] = await this.sql<Array<{ snapshot: string }>>`
      SELECT snapshot FROM stepline_calls
      WHERE call_id = ${column(callId)} AND agent_id = ${column(agentId)} AND ended_at IS NOT NULL AND snapshot IS NOT NULL`
    return row?.snapshot
  }

  async result(callId: string): Promise<string | undefined> {
    const [row] = await this.sql<Array<{ result: string | null }>>`
      SELECT result FROM stepline_calls WHERE call_id = ${column(callId)} AND ended_at IS NOT NULL`
    return row?.result ?? undefined
  }

  async receipts(agentId?: string): Promise<Array<string>> {
    const agent = agentId === undefined ? null : column(agentId)
    // The mark stands in the text, as it does in the index.
    const rows = await this.sql<Array<{ result: string }>>`
      SELECT result FROM stepline_calls
      WHERE strpos(result, '"receipts":{') > 0 AND ended_at IS NOT NULL AND (${agent}::text IS NULL OR agent_id = ${agent})
      ORDER BY ended_at DESC LIMIT ${maxReceiptCalls}`
    return rows.map(({ result }) => result).reverse()
  }

  async claimKey(key: string, callId: string, isWanted: () => boolean): Promise<string | undefined> {
    const { shared, sql, runner } = this
    const claimed = await untilStored(shared, async () => {
      if (!isWanted() || (await shared.patiently(() => takeKey(sql, runner.id, key, callId)))) return {}
      const output = await this.keyOutput(key)
      return output === undefined ? undefined : { output }
    })
    return claimed?.output
  }

  keyOutput(key: string): Promise<string | undefined> {
    return this.shared.patiently(() => outputOf(this.sql, key))
  }

  async takeUses(callId: string, uses: ReadonlyArray<LimitUse>): Promise<FullLimit | undefined> {
    const { shared, sql } = this
    this.hasUses = true
    await this.leaving
    const mark = shared.mark()
    const full = await shared.patiently(() => sql.begin((queries) => countUses(queries, callId, uses)))
    if (full === undefined || full.wait !== null) return full as FullLimit | undefined
    return { index: full.index, freed: (signal) => shared.changed(mark, signal) }
  }

  /** If the store fails, the call keeps its place until it ends. */
  leaveUses(callId: string): void {
    const leave = () => this.sql`
      DELETE FROM stepline_uses WHERE slot = ${column(callId)} AND slot <> '' AND until IS NULL AND key <> ${countedKey}`
    this.leaving = Promise.all([this.leaving, this.shared.patiently(leave)]).then(
      () => undefined,
      () => undefined,
    )
  }

  close(): void {}

  /** Forgets which of the ended calls have counted at their limits. */
  private async uncount(sql: Query, { ended }: Changes): Promise<void> {
    if (!this.hasUses || ended.length === 0) return
    const ids = ended.map(({ callId }) => column(callId))
    await sql`DELETE FROM stepline_uses WHERE key = ${countedKey} AND slot = ANY(${ids}::text[])`
  }

  /**
   * Reads the row of the runner, which no other process can delete before the transaction ends; no row if other processes have
   * its agents.
   */
  private alive(sql: Query): Promise<Array<Fence>> {
    return sql<Array<Fence>>`
      SELECT false AS behind FROM stepline_runners WHERE id = ${this.runner.id} FOR KEY SHARE`
  }

  /** Like `alive`, and reads whether other processes have queued calls of these agents that the runner has not taken in. */
  private behind(sql: Query, agentIds: ReadonlyArray<string>): Promise<Array<Fence>> {
    const { id, agents } = this.runner
    const seen = agentIds.map((agentId) => agents.get(agentId) ?? 0)
    return sql<Array<Fence>>`
      SELECT EXISTS (
        SELECT FROM unnest(${agentIds}::text[], ${seen}::bigint[]) AS known (agent_id, seq) JOIN stepline_calls c USING (agent_id)
        WHERE fresh AND ended_at IS NULL AND c.seq > known.seq
      ) AS behind FROM stepline_runners WHERE id = ${id} FOR KEY SHARE`
  }

  /** Claims agents that no runner has. Returns those that were in the store before. */
  private async claim(
    sql: Query,
    ids: Array<string>,
    agents: ReadonlyMap<string, string>,
  ): Promise<Array<string>> {
    const [adopted, , owners] = await Promise.all([
      sql<Array<{ agent_id: string }>>`
        UPDATE stepline_agents SET runner = ${this.runner.id}
        WHERE agent_id = ANY(${ids}::text[]) AND runner IS NULL RETURNING agent_id`,
      // The update locks existing rows: `release` locks an agent before it checks whether the agent is idle.
      sql`INSERT INTO stepline_agents (agent_id, runner) SELECT unnest(${ids}::text[]), ${this.runner.id}
        ON CONFLICT (agent_id) DO UPDATE SET runner = stepline_agents.runner`,
      sql<Array<{ agent_id: string; runner: number | null }>>`
        SELECT agent_id, runner FROM stepline_agents WHERE agent_id = ANY(${ids}::text[])`,
    ])
    const foreign = owners.flatMap((row) =>
      row.runner === this.runner.id ? [] : [agents.get(row.agent_id)!],
    )
    if (foreign.length > 0) throw new RefusedError(foreign, [])
    return adopted.map((row) => row.agent_id)
  }
}
