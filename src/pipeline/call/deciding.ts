/** What would happen to a call, found out without its happening: by the checks and gates that it would come to itself. */
import { resolveName } from "../../resolve/definition.ts"
import type { ToolCall } from "../model/call.ts"
import { byCall, type CallDecision, type DecidedBy } from "../model/decision.ts"
import type { CallFilter, FilteredTool, Hooks } from "../model/options.ts"
import { deniedByUser, duplicate, noBackground, type Stopped } from "../model/outcome.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import { admit } from "./admission.ts"
import { byRule, explained, noRuleFor, onlyAPerson } from "./ruling.ts"

/** The call, and whom it would meet. */
export interface Deciding {
  readonly call: ToolCall
  readonly tool: Tool<unknown> | undefined
  readonly filters: CallFilter | undefined
  readonly hooks: Hooks
  /** Whether its id is in use. */
  readonly isTaken: boolean
  readonly unknownTool: () => Stopped
  /** The action that it would take, were it a call of `resolve`. */
  readonly pending: StagedAction | undefined
  readonly toolOf: (name: string) => Tool<unknown> | undefined
}

const refused = (outcome: Stopped, params: unknown): CallDecision => {
  const { message: reason } = outcome
  if (outcome._tag === "Denied") return { verdict: "deny", reason, by: outcome.decidedBy, params }
  return { verdict: "invalid", reason, params }
}

/** Runs nothing of the call; `beforeCall` is asked, and `compose` is called. Never rejects. */
export const decideCall = async (deciding: Deciding): Promise<CallDecision> => {
  const { call, tool, filters, hooks } = deciding
  if (deciding.isTaken) return refused(duplicate(call.callId), call.params)
  if (call.decision === "deny") return refused(deniedByUser(undefined, byCall), call.params)
  if (tool === undefined) return refused(deciding.unknownTool(), call.params)
  if (call.background && !tool.background) return refused(noBackground(call.name), call.params)
  const { signal: hookSignal } = new AbortController()
  const admission = await admit(call, tool, { filters, hooks, hookSignal })
  if (admission._tag === "Refused") return refused(admission.outcome, call.params)
  const { params } = admission
  if (call.decision === "requested") return { verdict: "ask", reason: requested, params }
  return { ...decideGates(deciding, tool, params, admission.parts), params }
}

const requested = "It waits to be approved before anything of it runs."

const decideGates = (
  { call, filters, pending, toolOf }: Deciding,
  tool: FilteredTool,
  params: unknown,
  parts: ReadonlyArray<PipelinePart<unknown>>,
): Omit<CallDecision, "params"> => {
  if (call.name !== resolveName || pending === undefined) {
    return throughGates(parts, call, () => explained(filters, tool, params))
  }
  // The gates of what it would apply are about the call that staged it.
  const { source, rest } = pending
  const applied = (params as { readonly action?: unknown }).action === "apply" ? rest : []
  const asked = toolOf(source.name)
  return throughGates(applied, call, () =>
    asked === undefined
      ? { verdict: "ask", because: noRuleFor(source.name) }
      : explained(filters, asked, source.params),
  )
}

const throughGates = (
  parts: ReadonlyArray<PipelinePart<unknown>>,
  { decision }: ToolCall,
  explain: () => ReturnType<typeof explained>,
): Omit<CallDecision, "params"> => {
  let by: DecidedBy | undefined
  for (const part of parts) {
    // What stands behind a preview is the resolve call's.
    if (part.kind === "resolve") break
    if (part.kind !== "approval") continue
    if (part.person === true) return { verdict: "ask", reason: onlyAPerson }
    if (decision === "approve") by = byCall
    else {
      const explanation = explain()
      if (explanation.verdict !== "approve") return { verdict: "ask", reason: explanation.because }
      by = byRule(explanation)
    }
  }
  return by === undefined ? { verdict: "run" } : { verdict: "run", by }
}
