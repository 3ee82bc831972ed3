/** Predicts what would happen to a call, with the same checks and gates that the call itself would meet. */

import type { ToolCall } from "../../model/call.ts"
import { byCall, type CallDecision, type DecidedBy } from "../../model/decision.ts"
import type { CallFilter, FilteredTool } from "../../model/options.ts"
import { duplicate, notTaken, type Stopped } from "../../model/outcome.ts"
import type { PipelinePart } from "../../model/pipeline.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import { resolveName } from "../../resolve/definition.ts"
import { type Admission, admit } from "../call/admission.ts"
import { withBackground } from "../call/call-input.ts"
import { isKnown } from "../call/once.ts"
import type { Engine } from "../engine.ts"
import { byRule, deniedByRule, explained, foundBy, noRuleFor, onlyAPerson } from "./ruling.ts"

const refused = (outcome: Stopped): Omit<CallDecision, "params"> => {
  const { message: reason } = outcome
  return outcome._tag === "Denied"
    ? { verdict: "deny", reason, by: outcome.decidedBy }
    : { verdict: "invalid", reason }
}

/** Predicts the decision on a call. No handler runs, but `beforeCall` and `compose` are called. Never rejects. */
export const decideCall = async (engine: Engine, input: ToolCall): Promise<CallDecision> => {
  const tool = engine.tools.toolFor(input.agentId, input.name)
  const call = withBackground(input, tool)
  const refuse = (outcome: Stopped): CallDecision => ({ ...refused(outcome), params: call.params })
  if (engine.isTaken(call.callId)) return refuse(duplicate(call.callId))
  if (call.decision === "deny") return refuse(notTaken(call))
  // Read now: while the hook is asked, the action may be resolved.
  const pending = call.name === resolveName ? engine.actions.latest(call.agentId) : undefined
  const admission = await admit(call, tool, engine, { controller: undefined })
  if (admission._tag === "Refused") return refuse(admission.outcome)
  const { params } = admission
  if (call.decision === "requested") return { verdict: "ask", reason: requested, params }
  if (tool?.idempotencyKey !== undefined && (await isKnown(engine, tool, params)))
    return { verdict: "run", params }
  return { ...decideGates(engine, call, tool, pending, admission), params }
}

/**
 * Whether a call would ask: at a gate that no rule decides, or with a preview for `resolve`. False for a call that would be refused. Never
 * rejects.
 */
export const asks = async (engine: Engine, input: ToolCall): Promise<boolean> => {
  const tool = engine.tools.toolFor(input.agentId, input.name)
  const call = withBackground(input, tool)
  const admission = await admit(call, tool, engine, { controller: undefined })
  if (admission._tag === "Refused") return false
  const { parts, params } = admission
  if (parts.some(({ kind }) => kind === "resolve")) return true
  return throughGates(parts, call, { tool, filters: engine.filters, params }).verdict === "ask"
}

const requested = "It waits to be approved before anything of it runs."

const decideGates = (
  engine: Engine,
  call: ToolCall,
  tool: FilteredTool | undefined,
  pending: StagedAction | undefined,
  { params, parts }: Extract<Admission, { readonly _tag: "Admitted" }>,
): Omit<CallDecision, "params"> => {
  const { filters } = engine
  if (pending === undefined) {
    return throughGates(parts, call, { tool, filters, params })
  }
  // Rules at the action's gates judge the call that staged the action.
  const { source, rest, memory, actionId, output } = pending
  if ((params as { readonly action?: unknown }).action !== "apply") return { verdict: "run" }
  const subject = { tool: foundBy(engine.toolOf(source.name), memory), filters, params: source.params }
  const decision = throughGates(rest, { ...call, name: source.name }, subject)
  if (decision.verdict !== "ask") return decision
  return { ...decision, applies: { actionId, ...(output !== undefined && { preview: output }) } }
}

/** The call that the gates judge, and the rules to judge it by. */
interface Subject {
  readonly tool: FilteredTool | undefined
  readonly filters: CallFilter | undefined
  readonly params: unknown
}

const throughGates = (
  parts: ReadonlyArray<PipelinePart<unknown>>,
  { decision, name }: ToolCall,
  { tool, filters, params }: Subject,
): Omit<CallDecision, "params"> => {
  let by: DecidedBy | undefined
  let first: Pick<CallDecision, "reason" | "person"> | undefined
  let gates = 0
  for (const part of parts) {
    // Gates after a preview belong to the call of `resolve`.
    if (part.kind === "resolve") break
    if (part.kind !== "approval") continue
    if (decision === "approve" && part.person !== true) {
      by = byCall
      continue
    }
    const explanation = tool && explained(filters, tool, params)
    if (explanation?.verdict === "deny") return refused(deniedByRule(tool!, explanation))
    const isPersons = part.person === true
    if (explanation?.verdict === "approve" && !isPersons) {
      by = byRule(explanation)
      continue
    }
    gates += 1
    const reason = explanation?.because ?? noRuleFor(name)
    first ??= isPersons ? { reason: onlyAPerson, person: true } : { reason }
  }
  if (first !== undefined) return { verdict: "ask", ...first, ...(gates > 1 && { gates }) }
  return by === undefined ? { verdict: "run" } : { verdict: "run", by }
}
