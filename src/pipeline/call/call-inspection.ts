/** What a call is doing, for hosts that show it. */
import type { Phase, Run } from "./run.ts"

/** What a call is doing. Plain JSON. */
export interface CallInspection {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  /** `held`: requested, and not decided yet. */
  readonly state: Exclude<Phase, "ended">
  readonly background: boolean
  readonly handler?: string
  /** `approval`, `place` (in the background pool), or the tag of the effect that the host is asked. */
  readonly waitingFor?: string
}

export const inspectionOf = (run: Run): CallInspection => {
  const { agentId, callId, name, currentHandler, waitingFor } = run
  const { background } = run.call
  return {
    agentId,
    callId,
    name,
    state: run.phase as CallInspection["state"],
    background,
    ...(currentHandler !== undefined && { handler: currentHandler }),
    ...(waitingFor !== undefined && { waitingFor }),
  }
}
