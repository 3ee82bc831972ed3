/** A call of `resolve` and the action that it applies or discards: claimed, shown to handlers as the call that staged it, released. */

import type { StagedAction } from "../../model/staged-action.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import { withHint } from "../../resolve/reminder.ts"
import { defaultOutput, failureText, withDetails } from "../../resolve/result.ts"
import type { Call } from "./call.ts"
import type { Outbox } from "./command.ts"
import type { Input } from "./input.ts"

const noFinals: Call["finals"] = []

/** Shows handlers the call that staged the action, under this call's id. `resolving`: undefined if the call only cleans up. */
export const actFor = (
  call: Call,
  { source, staging }: StagedAction,
  resolving: ResolveParams | undefined,
): void => {
  call.subject = { ...call.toolCall, ...source }
  call.links = { ...call.links, resolving, sourceCallId: staging?.call.callId }
}

/** Continues the call with the parts of the action that it has claimed. */
export const act = (
  call: Call,
  { action, params, parts }: Extract<Input, { readonly _tag: "Claimed" }>,
): void => {
  const { reason, extra } = params
  call.action = action
  actFor(call, action, params)
  call.parts = parts
  call.at = 0
  call.attempts = 1
  call.output = action.output
  call.memory = action.memory
  call.resolution = {
    action: params.action,
    reason,
    ...(extra !== undefined && extra !== null && { extra }),
  }
}

/** The output of the handlers that applied an action. Undefined while the output is still the action's preview. */
export const produced = ({ output, action }: Call): ToolOutput | undefined =>
  output === action?.output ? undefined : output

/** Makes the failed action pending again. Returns the message for the model. */
export const notApplied = (call: Call, message: string, thrown: boolean, out: Outbox): string => {
  const { action, links } = call
  const resolving = links.resolving!
  call.output = withDetails(produced(call) ?? { content: [] }, resolving, action!)
  releaseAction(call, "RestoreAction", out)
  return failureText(resolving, message, thrown)
}

/** Sets the result of a call that has applied or discarded its action, and takes over the action's finally handlers. */
export const applied = (call: Call, out: Outbox): void => {
  const action = call.action!
  const resolving = call.links.resolving!
  call.output = withDetails(produced(call) ?? defaultOutput(resolving, action.label), resolving, action)
  releaseAction(call, "SettleAction", out)
  call.links = { ...call.links, settled: action }
  call.finals = action.finals
}

/** Sets the preview of a call whose remaining parts were staged. The new action runs the finally handlers when it ends. */
export const staged = (call: Call, actionId: string, label: string): void => {
  const preview = withHint(call.output, label)
  const { action, links } = call
  call.links = { ...links, staged: { actionId, label } }
  // The new action has replaced the one that the call applied.
  call.output = action === undefined ? preview : withDetails(preview, links.resolving!, action)
  call.action = undefined
  call.finals = noFinals
}

/** Releases the action that the call claimed, as settled or as pending again. */
export const releaseAction = (call: Call, _tag: "SettleAction" | "RestoreAction", out: Outbox): void => {
  out.push({ _tag, action: call.action! })
  call.action = undefined
}
