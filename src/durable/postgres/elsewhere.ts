/**
 * The calls that a runner leaves to others, since only they have the tools: with each, all later calls of its agent, so that lanes keep
 * their order.
 */
import type { StoredCall } from "../store.ts"

/** What was left of one agent. */
interface Left {
  readonly callIds: Set<string>
  /** Whether a call is among them that was run before: no later look finds it. */
  isFixed: boolean
}

export class Elsewhere {
  private readonly left = new Map<string, Left>()

  /** The agents of which calls were left. */
  get agents(): Array<string> {
    return [...this.left.keys()]
  }

  /** Whether a call of this agent was left. */
  has(agentId: string, callId: string): boolean {
    return this.left.get(agentId)?.callIds.has(callId) === true
  }

  /** Forgets what the next look finds again: by then this runner may have the tool, or no other one any more. */
  forgetFresh(): void {
    for (const [agentId, { isFixed }] of this.left) if (!isFixed) this.left.delete(agentId)
  }

  forget(agentId: string): void {
    this.left.delete(agentId)
  }

  /** Whether a call, the next of its agent, is left: this runner is not to run it. */
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
