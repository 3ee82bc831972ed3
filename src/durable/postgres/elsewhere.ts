/**
 * The calls that a runner leaves to other runners, because only they have the tools, or have fewer agents. All later calls of the
 * same agent are left too, so that lanes keep their order.
 */
import type { StoredCall } from "../store.ts"

/** The calls of one agent that were left. */
interface Left {
  readonly callIds: Set<string>
  /** Whether one of these calls was run before: no later look finds it again. */
  isFixed: boolean
}

export class Elsewhere {
  private readonly left = new Map<string, Left>()

  /** The agents whose calls were left. */
  get agents(): Array<string> {
    return [...this.left.keys()]
  }

  /** Whether a call of this agent was left. */
  has(agentId: string, callId: string): boolean {
    return this.left.get(agentId)?.callIds.has(callId) === true
  }

  /** Removes the entries that the next look finds again: by then this runner may have the tool, or no other runner may. */
  forgetFresh(): void {
    for (const [agentId, { isFixed }] of this.left) if (!isFixed) this.left.delete(agentId)
  }

  forget(agentId: string): void {
    this.left.delete(agentId)
  }

  /** Leaves all calls of an agent. */
  leave(agentId: string, callIds: Iterable<string>): void {
    this.left.set(agentId, { callIds: new Set(callIds), isFixed: true })
  }

  /** Whether a call, the next of its agent, is left to other runners. */
  leaves({ agentId, callId, isElsewhere, isFresh }: StoredCall): boolean {
    let left = this.left.get(agentId)
    if (left === undefined && !isElsewhere) return false
    left ??= { callIds: new Set(), isFixed: false }
    this.left.set(agentId, left)
    left.callIds.add(callId)
    left.isFixed ||= !isFresh
    return true
  }
}
