/**
 * What stands between a call and its pipeline: validation, the host's hook, deny rules, composition. Synchronous unless
 * a hook or the loading of the validator takes time. Never throws: whatever goes wrong refuses the call.
 */
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import { messageOf } from "../model/failure.ts"
import type { CallFilter, Hooks } from "../model/options.ts"
import { deniedByPolicy, failed, type Outcome } from "../model/outcome.ts"
import { finallyPartsOf, type ToolPipeline } from "../model/pipeline.ts"
import type { Tool } from "../model/tool.ts"
import type { ParameterCheck } from "../schema/validation.ts"
import { takeBackground } from "./call-input.ts"
import type { Input } from "./input.ts"
import { byRule, explained } from "./ruling.ts"

/** What the call is told. */
export type Admission = Extract<Input, { readonly _tag: "Admitted" | "Refused" }>

/** The call that is to be admitted, and whom it is checked against. */
export interface Admitting {
  readonly call: ToolCall
  readonly tool: Tool<unknown>
  readonly filters: CallFilter | undefined
  readonly hooks: Hooks
  /** Made when the hook asks for it. */
  readonly signal: () => AbortSignal
}

const refused = (outcome: Outcome): Admission => ({ _tag: "Refused", outcome })

/**
 * Validates a call's parameters, asks the host's hook and deny rules, and composes its pipeline. A promise only where the validator
 * is still to be loaded or a hook is asked. Never throws: what goes wrong refuses the call.
 */
export const admit = (admitting: Admitting): Admission | Promise<Admission> => {
  const { call, tool, hooks } = admitting
  try {
    const check = tool.validator.validate(call.params)
    if (check instanceof Promise || hooks.beforeCall !== undefined) return admitLater(admitting, check)
    return check._tag === "Valid" ? compose(admitting, check.params) : invalid(check)
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

const admitLater = async (
  admitting: Admitting,
  checking: ParameterCheck | Promise<ParameterCheck>,
): Promise<Admission> => {
  const { tool, hooks } = admitting
  try {
    const check = await checking
    if (check._tag === "Invalid") return invalid(check)
    if (hooks.beforeCall === undefined) return compose(admitting, check.params)
    const answer = await askHook(admitting, check.params)
    if ("outcome" in answer) return refused(answer.outcome)
    if (!("params" in answer)) return compose(admitting, check.params)
    const again = await tool.validator.validate(takeBackground(answer.params, tool).params)
    return again._tag === "Valid" ? compose(admitting, again.params) : invalid(again)
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

const invalid = ({ message }: { readonly message: string }): Admission => refused(failed("invalid", message))

type HookAnswer = { readonly outcome: Outcome } | { readonly params: unknown } | Record<never, never>

const askHook = async (admitting: Admitting, params: unknown): Promise<HookAnswer> => {
  const { call, hooks, signal } = admitting
  const context = {
    get signal() {
      return signal()
    },
  }
  try {
    const answer = await hooks.beforeCall!({ ...call, params }, context)
    if (answer === undefined || answer === null) return {}
    if ("block" in answer && answer.block) {
      const { reason } = answer
      const decidedBy: DecidedBy = { kind: "hook", ...(reason !== undefined && { reason: String(reason) }) }
      return { outcome: deniedByPolicy(reason ?? "Blocked by the host", decidedBy) }
    }
    return "params" in answer ? { params: answer.params } : {}
  } catch (error) {
    const reason = messageOf(error)
    return { outcome: deniedByPolicy(`Blocked: ${reason}`, { kind: "hook", reason }) }
  }
}

const compose = ({ call, tool, filters }: Admitting, params: unknown): Admission => {
  if (filters !== undefined) {
    try {
      if (filters.evaluate(tool, params) === "deny") {
        const message = `Denied by policy: a rule forbids this call of ${tool.name}`
        return refused(deniedByPolicy(message, byRule(explained(filters, tool, params))))
      }
    } catch (error) {
      // A filter that cannot tell must not let the call through.
      const message = `Denied by policy: the filter failed: ${messageOf(error)}`
      return refused(deniedByPolicy(message, { kind: "rule", reason: messageOf(error) }))
    }
  }
  try {
    const pipeline = tool.compose(params, params === call.params ? call : { ...call, params })
    if (Array.isArray(pipeline?.steps)) return admitted(params, pipeline, call)
    return refused(failed("failed", `Tool "${tool.name}" composed no pipeline`))
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

const kinds: ReadonlySet<unknown> = new Set(["handler", "approval", "resolve", "finally"])

/** Throws for what only looks like a pipeline. */
const admitted = (params: unknown, { steps }: ToolPipeline<unknown>, { decision }: ToolCall): Admission => {
  let count = 0
  let gates = 0
  let previewed = false
  for (const part of steps) {
    const { kind } = part
    if (kind !== "handler" && !kinds.has(kind))
      throw new TypeError(`The pipeline has a part of the unknown kind \`${String(kind)}\``)
    if ((kind === "handler" || kind === "finally") && typeof part.handler?.call !== "function") {
      throw new TypeError(`The pipeline has a ${kind} part without a handler`)
    }
    // Behind a preview the gates are the resolve call's.
    if (kind === "resolve") previewed = true
    if (kind !== "approval" || previewed) continue
    count += 1
    if (decision !== "approve" || part.person === true) gates = count
  }
  return { _tag: "Admitted", params, parts: steps, finals: finallyPartsOf(steps), gates }
}
