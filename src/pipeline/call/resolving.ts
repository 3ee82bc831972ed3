/** Pending actions, as calls make and end them. */
import type { AsyncResource } from "node:async_hooks"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { ResolvePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Input } from "./input.ts"
import { resolvingParts } from "./read-snapshot.ts"
import { shapeOf } from "./snapshot.ts"
import { pendingEvent, settledEvent, type Teller, tellAction } from "./telling.ts"

interface Resolving extends Teller {
  readonly asyncContext: AsyncResource
  receive(input: Input): boolean
}

/** Makes a pending action of the parts behind the gate that the call has come to. */
export const stageAction = (call: Resolving): void => {
  const { engine, record } = call
  const { action: before, at, parts, output } = record
  const { agentId, callId, name, params } = record.call
  const { label, details, onDiscard, sourceToolName } = parts[at] as ResolvePart<unknown>
  // What is left of an action that is applied goes on as a new one, in its place.
  const source = before?.source ?? { name, params }
  const staging =
    before === undefined
      ? { call: record.call, at: at + 1, shape: shapeOf(parts) }
      : furtherOn(before, at + 1)
  // First: the new one may have no other place than that of the one before.
  if (before !== undefined) {
    engine.actions.settle(agentId, before)
    call.resolved = settledEvent(record.call, before)
  }
  const staged = engine.actions.stage(agentId, {
    label,
    sourceToolName: sourceToolName ?? source.name,
    details,
    source,
    staging,
    output,
    memory: record.memory,
    rest: parts.slice(at + 1),
    onDiscard,
    finals: before?.finals ?? record.finals,
    asyncContext: before?.asyncContext ?? call.asyncContext,
  })
  if (staged === undefined) {
    call.receive({ _tag: "Unstaged", message: engine.actions.tooMany })
    return
  }
  // Staged, whatever those do who are told.
  call.receive({ _tag: "Staged", actionId: staged.actionId, label })
  tellAction(call, pendingEvent(agentId, staged, callId))
}

const furtherOn = ({ staging }: StagedAction, parts: number): StagedAction["staging"] =>
  staging && { ...staging, at: staging.at + parts }

/** Takes the agent's latest action for this call of `resolve`. False where none waits, and where another one is meant. */
export const claimAction = (call: Resolving): boolean => {
  const { engine, record } = call
  const { agentId } = record.call
  const params = record.call.params as ResolveParams
  const latest = engine.actions.latest(agentId)
  if (params.actionId !== undefined && params.actionId !== latest?.actionId) return false
  const action = engine.actions.claim(agentId)
  if (action === undefined) return false
  call.receive({ _tag: "Claimed", action, params, parts: resolvingParts(action, params) })
  return true
}
