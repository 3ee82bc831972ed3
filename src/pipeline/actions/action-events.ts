/** The events of pending actions. */

import type { ToolCall } from "../../model/call.ts"
import { byUserBecause } from "../../model/decision.ts"
import type { ActionPendingEvent, ActionResolvedEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { PendingAction } from "../../model/pending-actions.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { ResolveParams } from "../../resolve/definition.ts"

/** The event of a pending action. `callId`: the staging call, which is a `resolve` call if the action is the rest of another one. */
export const pendingEvent = (
  agentId: string,
  { actionId, label, sourceToolName, staging }: StagedAction,
  callId?: string,
): ActionPendingEvent => {
  const sourceCallId = staging?.call.callId
  const isKnown = sourceCallId === undefined || sourceCallId === callId
  const source = isKnown ? undefined : { sourceCallId }
  return { _tag: "ActionPending", agentId, actionId, label, sourceToolName, ...source, seq: 0, at: 0 }
}

/** The event of an action that was applied, discarded or dropped. */
export const resolvedEvent = (
  agentId: string,
  { actionId, label, sourceToolName }: PendingAction,
  outcome: ActionResolvedEvent["outcome"],
): Mutable<ActionResolvedEvent> => ({
  _tag: "ActionResolved",
  agentId,
  actionId,
  label,
  sourceToolName,
  outcome,
  seq: 0,
  at: 0,
})

/** The event that a call of `resolve` emits at its end for the action that it applied or discarded. */
export const settledEvent = (
  { agentId, params, by }: ToolCall,
  action: PendingAction,
): ActionResolvedEvent => {
  const outcome = (params as ResolveParams).action === "discard" ? "discarded" : "applied"
  const event = resolvedEvent(agentId, action, outcome)
  if (by !== undefined) event.decidedBy = byUserBecause(undefined, by)
  return event
}
