/** Pending actions, as calls make and end them. */
import type { ResolveParams } from "../../resolve/definition.ts"
import type { Engine } from "../engine.ts"
import type { ResolvePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { pendingEvent, settledEvent } from "./action-events.ts"
import type { Call } from "./call.ts"
import { resolvingParts } from "./read-snapshot.ts"
import { shapeOf } from "./snapshot.ts"
import { tellAction } from "./telling.ts"

/** Makes a pending action of the parts behind the gate that the call has come to. */
export const stageAction = (engine: Engine, call: Call): void => {
  const { action: applied, at, parts, output, toolCall } = call
  const { agentId, callId, name, params } = toolCall
  const { label, details, onDiscard, sourceToolName } = parts[at] as ResolvePart<unknown>
  // What is left of an action that is applied goes on as a new one, in its place.
  const source = applied?.source ?? { name, params }
  const staging =
    applied === undefined
      ? { call: toolCall, at: at + 1, shape: shapeOf(parts) }
      : advanceStaging(applied, at + 1)
  // First: the new one may have no other place than that of the one before.
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
  // Staged, whatever those do who are told.
  engine.receive(call, { _tag: "Staged", actionId: staged.actionId, label })
  tellAction(engine, call, pendingEvent(agentId, staged, callId))
}

const advanceStaging = ({ staging }: StagedAction, parts: number): StagedAction["staging"] =>
  staging && { ...staging, at: staging.at + parts }

/** Takes the agent's latest action for this call of `resolve`. False where none waits, and where another one is meant. */
export const claimAction = (engine: Engine, call: Call): boolean => {
  const { agentId } = call.toolCall
  const params = call.toolCall.params as ResolveParams
  const latest = engine.actions.latest(agentId)
  if (params.actionId !== undefined && params.actionId !== latest?.actionId) return false
  const action = engine.actions.claim(agentId)
  if (action === undefined) return false
  engine.receive(call, { _tag: "Claimed", action, params, parts: resolvingParts(action, params) })
  return true
}
