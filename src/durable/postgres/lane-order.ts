/** Orders the calls of this process after calls that other processes queued earlier and that this runner has not taken in yet. */
import type { ToolCall } from "../../model/call.ts"
import type { Membership } from "./membership.ts"

/** Whether calls of other agents may be in the lane of a call. */
export const spansAgents = ({ lane, agentId, callId }: ToolCall): boolean =>
  lane !== undefined && lane !== agentId && lane !== callId

/** The calls of one executor that wait for their place in a lane. */
export class LaneOrder {
  private readonly membership: Membership
  private readonly lookSoon: () => void
  private readonly waiting: Array<() => void> = []

  /**
   * `lookSoon` takes in the calls that other processes queued: it calls `looks` before that, and the returned function
   * after it.
   */
  constructor(membership: Membership, lookSoon: () => void) {
    this.membership = membership
    this.lookSoon = lookSoon
  }

  /** Calls `join` once the calls that other processes queued before this one are taken in. */
  join(call: ToolCall, join: () => void): void {
    if (spansAgents(call)) this.membership.onBehind()
    if (this.waiting.length === 0 && !this.membership.isBehind) return join()
    this.waiting.push(join)
    this.lookSoon()
  }

  /** Returns a function to call after this look: it gives the calls that wait now their places. Later calls need a later look. */
  looks(): () => void {
    const upTo = this.waiting.length
    return () => {
      for (const join of this.waiting.splice(0, upTo)) join()
    }
  }
}
