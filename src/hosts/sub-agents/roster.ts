/** The working agents, and the ended ones that were not taken. Bounded: the first to end are dropped first. */
import type { AgentStatus, SubAgent } from "./sub-agent.ts"

export interface Agent {
  readonly label: string
  readonly agentId: string
  readonly parentId: string
  readonly controller: AbortController
  /** Called at its end. */
  readonly waiters: Array<(agent: SubAgent) => void>
  /** By `performance.now()`, like `endedAt`. */
  readonly startedAt: number
  endedAt: number | undefined
  status: AgentStatus
  message: string
}

/** The current state of an agent. */
export const snapshot = ({
  label,
  agentId,
  parentId,
  status,
  startedAt,
  endedAt,
  message,
}: Agent): SubAgent => ({
  label,
  agentId,
  parentId,
  status,
  elapsed: (endedAt ?? performance.now()) - startedAt,
  message,
})

export class Roster implements Iterable<Agent> {
  /** By label, in the order in which they were spawned. */
  private readonly listed = new Map<string, Agent>()
  /** The listed agents that have ended, in that order. */
  private readonly ended = new Set<Agent>()
  /** Agents whose functions have not settled: a cancelled one may need a while. */
  private readonly atWork = new Set<Agent>()
  /** By agent id: agents that are listed or at work. */
  private readonly known = new Map<string, Agent>()
  private readonly maxEnded: number

  constructor(maxEnded: number) {
    this.maxEnded = maxEnded
  }

  get working(): number {
    return this.atWork.size
  }

  get(label: string): Agent | undefined {
    return this.listed.get(label)
  }

  byId(agentId: string): Agent | undefined {
    return this.known.get(agentId)
  }

  [Symbol.iterator](): IterableIterator<Agent> {
    return this.listed.values()
  }

  add(agent: Agent): void {
    this.listed.set(agent.label, agent)
    this.known.set(agent.agentId, agent)
    this.atWork.add(agent)
  }

  /** Keeps an agent that has ended until it is taken, or until too many have ended after it. */
  keep(agent: Agent): void {
    this.ended.add(agent)
    const [first] = this.ended
    if (this.ended.size > this.maxEnded) this.drop(first!)
  }

  drop(agent: Agent): void {
    this.listed.delete(agent.label)
    this.ended.delete(agent)
    this.forgetUnlessNeeded(agent)
  }

  /** Records that the function of the agent has settled. */
  leave(agent: Agent): void {
    this.atWork.delete(agent)
    this.forgetUnlessNeeded(agent)
  }

  private forgetUnlessNeeded(agent: Agent): void {
    if (this.atWork.has(agent) || this.listed.get(agent.label) === agent) return
    this.known.delete(agent.agentId)
  }
}
