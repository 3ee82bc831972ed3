/** Waits for agents of a runner that shows no life: a killed one is held to live until its lease is over. */
import type { AgentWait } from "../durable-executor.ts"
import type { Membership } from "./membership.ts"
import type { AgentOwner, PostgresStore } from "./postgres-store.ts"

/** Resolves once each of the agents is nobody's, or this process's with what it had, or that of a process that has shown that it lives. */
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
    // Nobody's for now, or got, and not yet read.
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
