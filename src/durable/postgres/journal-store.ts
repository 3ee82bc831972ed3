/** What a process that runs calls of a Postgres store writes. */

import type { Changes, JournalStore } from "../store.ts"
import { FencedError, ForeignAgentsError, TakenIdsError } from "../store-error.ts"
import { column } from "./connection.ts"
import type { Query, Sql } from "./sql.ts"
import { writeChanges } from "./write-changes.ts"

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
      const writes = writeChanges(sql, runner.id, changes)
      const [alive, , taken] = await Promise.all([fence, claims, writes])
      if (alive.length === 0) throw new FencedError()
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
}
