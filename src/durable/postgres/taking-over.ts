/** Waits for agents of a runner without heartbeats: a killed runner counts as alive until its lease expires. */
import type { AgentWait } from "../durable-executor.ts"
import type { Membership } from "./membership.ts"
import type { AgentOwner, PostgresStore } from "./postgres-store.ts"

/** Resolves once each agent is unknown to the store, is restored in this process, or belongs to a process that is alive. */
export const untilTaken = async (
  agentIds: ReadonlyArray<string>,
  store: PostgresStore,
  membership: () => Membership,
  { signal, onWait }: AgentWait,
): Promise<void> => {
  const signs = new Map<number, string | null>()
  const living = new Set<number>()
  const isAwaited = ({ agentId, runner, until }: AgentOwner): boolean => {
    const { id, agents } = membership()
    // A free agent is about to be claimed; a claimed one may not be restored yet.
    if (runner === null || runner === id) return !agents.has(agentId)
    if (signs.has(runner) && signs.get(runner) !== until) living.add(runner)
    signs.set(runner, until)
    return !living.has(runner)
  }
  let isTold = false
  while (!signal.aborted) {
    const mark = store.mark()
    if ((await store.owners(agentIds)).filter(isAwaited).length === 0) return
    if (!isTold && signs.size > 0) onWait()
    isTold ||= signs.size > 0
    await store.changed(mark, signal)
  }
}
