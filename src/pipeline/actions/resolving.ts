/** How calls stage pending actions and claim them. */

import type { ResolvePart } from "../../model/pipeline.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import { resolvingParts } from "../../snapshots/read-snapshot.ts"
import { shapeOf } from "../../snapshots/snapshot.ts"
import type { Call } from "../call/call.ts"
import { tellAction } from "../call/telling.ts"
import type { Engine } from "../engine.ts"
import { pendingEvent, settledEvent } from "./action-events.ts"

/** Stages the parts after the call's current gate as a pending action. */
export const stageAction = (engine: Engine, call: Call): void => {
  const { action: applied, at, parts, output, toolCall } = call
  const { agentId, callId, name, params } = toolCall
  const { label, details, onDiscard, sourceToolName } = parts[at] as ResolvePart<unknown>
  // If the call is applying an action, the rest of that action is staged as a new one, which replaces it.
  const source = applied?.source ?? { name, params }
  const { tool, span } = call
  const traceParent = span?.traceParent
  const staging =
    applied === undefined
      ? { call: toolCall, at: at + 1, shape: shapeOf(parts), toolVersion: tool?.version, traceParent }
      : advanceStaging(applied, at + 1)
  // Settled first, because the agent's limit of actions may leave no room for both.
  if (applied !== undefined) {
    engine.actions.settle(agentId, applied)
    call.resolved = settledEvent(toolCall, applied)
  }
  const staged = engine.actions.stage(agentId, {
    label,
    sourceToolName: sourceToolName ?? source.name,
    details,
    source,
    staging,
    output,
    memory: call.memory,
    rest: parts.slice(at + 1),
    onDiscard,
    finals: applied?.finals ?? call.finals,
    asyncContext: applied?.asyncContext ?? call.origin,
  })
  if (staged === undefined) {
    engine.receive(call, { _tag: "Unstaged", message: engine.actions.tooMany })
    return
  }
  // The state changes before the event is emitted, because listeners may act on the call.
  engine.receive(call, { _tag: "Staged", actionId: staged.actionId, label })
  tellAction(engine, call, pendingEvent(agentId, staged, callId))
}

/** Moves the staging point further into the pipeline of the staging call. */
const advanceStaging = ({ staging }: StagedAction, parts: number): StagedAction["staging"] =>
  staging && { ...staging, at: staging.at + parts }

/** Claims the agent's latest action for this call of `resolve`. False if no action is pending, or if the call names another one. */
export const claimAction = (engine: Engine, call: Call): boolean => {
  const { agentId } = call.toolCall
  const params = call.toolCall.params as ResolveParams
  const latest = engine.actions.latest(agentId)
  if (params.actionId !== undefined && params.actionId !== latest?.actionId) return false
  const action = engine.actions.claim(agentId)
  if (action === undefined) return false
  call.span?.link(action.staging?.traceParent)
  engine.receive(call, { _tag: "Claimed", action, params, parts: resolvingParts(action, params) })
  return true
}
