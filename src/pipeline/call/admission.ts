/**
 * The checks before a call's pipeline runs: validation, the `beforeCall` hook, deny rules and composition. Synchronous, unless there
 * is a hook or the validator has to be loaded first.
 */

import type { ToolCall } from "../../model/call.ts"
import { type DecidedBy, reasonText } from "../../model/decision.ts"
import { got } from "../../model/got.ts"
import type { Hooks } from "../../model/options.ts"
import { deniedByPolicy, failed, noBackground, type Stopped } from "../../model/outcome.ts"
import { finallyPartsOf, type ToolPipeline } from "../../model/pipeline.ts"
import { isThenable, leaveAlone } from "../../model/thenable.ts"
import type { Tool } from "../../model/tool.ts"
import type { ParameterCheck } from "../../schema/validation.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Engine } from "../engine.ts"
import { deniedByRule, explained, refusePromise } from "../questions/ruling.ts"
import { suspended } from "../time/call-time.ts"
import type { Call } from "./call.ts"
import { withoutBackground } from "./call-input.ts"
import type { Input } from "./input.ts"

/** The result of the checks, as an input for the call. */
export type Admission = Extract<Input, { readonly _tag: "Admitted" | "Refused" }>

/** The rules and hooks that a call is checked against. */
type Rules = Pick<Engine, "filters" | "settings" | "unknownTool">

/** Holds the controller of the hook's signal, so that a cancel can abort the hook. */
interface Asker {
  controller: AbortController | undefined
}

const refused = (outcome: Stopped): Admission => ({ _tag: "Refused", outcome })

/**
 * Finds out whether the tool can run the call, validates its parameters, asks the `beforeCall` hook and the deny rules, and composes the pipeline. Returns a promise only if
 * the validator has to be loaded first or there is a hook. Never throws: any failure refuses the call.
 */
export const admit = (
  call: ToolCall,
  tool: Tool<unknown> | undefined,
  rules: Rules,
  asker: Asker,
): Admission | Promise<Admission> => {
  if (tool === undefined) return refused(rules.unknownTool(call.agentId, call.name))
  if (call.background && !tool.background) return refused(noBackground(call.name))
  try {
    const check = tool.validator.validate(call.params)
    if (check instanceof Promise || rules.settings.hooks.beforeCall !== undefined)
      return admitLater(call, tool, rules, asker, check)
    return check._tag === "Valid" ? compose(call, tool, rules, check.params) : invalid(check)
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

/** Lets a call begin, unless it ends or waits at a limit of its tool. `isHere`: whether the call's async context is active. */
export const letIn = (engine: Engine, call: Call, admission: Admission, isHere = false): void => {
  const { limiter } = engine
  // A call that has ended meanwhile must not take a place.
  if (call.state._tag !== "Preparing") return
  const input = limiter === undefined ? admission : limiter.admit(call, admission)
  if (isHere) engine.receiveHere(call, input)
  else engine.receive(call, input)
  if (input._tag !== "Limited") return
  suspended(engine, call)
  if (!engine.watchers.isEmpty) engine.watchers.limited(call.toolCall, input.because)
}

const admitLater = async (
  call: ToolCall,
  tool: Tool<unknown>,
  rules: Rules,
  asker: Asker,
  checking: ParameterCheck | Promise<ParameterCheck>,
): Promise<Admission> => {
  try {
    const check = await checking
    if (check._tag === "Invalid") return invalid(check)
    const { beforeCall } = rules.settings.hooks
    if (beforeCall === undefined) return compose(call, tool, rules, check.params)
    const answer = await askHook({ ...call, params: check.params }, beforeCall, asker)
    if ("outcome" in answer) return refused(answer.outcome)
    if (!("params" in answer)) return compose(call, tool, rules, check.params)
    const again = await tool.validator.validate(withoutBackground(answer.params, tool))
    return again._tag === "Valid" ? compose(call, tool, rules, again.params) : invalid(again)
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

const invalid = ({ message }: { readonly message: string }): Admission => refused(failed("invalid", message))

type HookAnswer = { readonly outcome: Stopped } | { readonly params: unknown } | Record<never, never>

const askHook = async (
  call: ToolCall,
  beforeCall: NonNullable<Hooks["beforeCall"]>,
  asker: Asker,
): Promise<HookAnswer> => {
  const context = {
    get signal() {
      asker.controller ??= new AbortController()
      return asker.controller.signal
    },
  }
  try {
    const answer = await beforeCall(call, context)
    if (answer === undefined || answer === null) return {}
    if (typeof answer !== "object")
      throw new TypeError(`\`beforeCall\` gave no answer that can be meant, ${got(answer)}`)
    if ("block" in answer && answer.block) {
      const reason = reasonText(answer.reason)
      const decidedBy: DecidedBy = { kind: "hook", ...(reason !== undefined && { reason }) }
      return { outcome: deniedByPolicy(reason ?? "Blocked by the host", decidedBy) }
    }
    return "params" in answer ? { params: answer.params } : {}
  } catch (error) {
    const reason = messageOf(error)
    return { outcome: deniedByPolicy(`Blocked: ${reason}`, { kind: "hook", reason }) }
  }
}

const compose = (call: ToolCall, tool: Tool<unknown>, { filters }: Rules, params: unknown): Admission => {
  if (filters !== undefined) {
    try {
      const verdict: unknown = filters.evaluate(tool, params)
      if (typeof verdict === "object") refusePromise(verdict)
      if (verdict === "deny") return refused(deniedByRule(tool, explained(filters, tool, params)))
    } catch (error) {
      // A filter that fails must not let the call through.
      const message = `Denied by policy: the filter failed: ${messageOf(error)}`
      return refused(deniedByPolicy(message, { kind: "rule", reason: messageOf(error) }))
    }
  }
  try {
    const pipeline = tool.compose(params, params === call.params ? call : { ...call, params })
    if (Array.isArray(pipeline?.steps)) return admitted(params, pipeline, call)
    return refused(failed("failed", `Tool "${tool.name}" composed no pipeline${adviceFor(pipeline)}`))
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

const adviceFor = (composed: unknown): string => {
  if (!isThenable(composed)) return ""
  leaveAlone(composed)
  return ", but a promise of one. Make `compose` a plain function, and do what takes time in a handler"
}

const kinds: ReadonlySet<unknown> = new Set(["handler", "approval", "resolve", "finally"])

/** Checks the parts and counts the gates. Throws for an invalid pipeline. */
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
    // Gates after a preview belong to the call of `resolve`.
    if (kind === "resolve") previewed = true
    if (kind !== "approval" || previewed) continue
    count += 1
    if (decision !== "approve" || part.person === true) gates = count
  }
  return {
    _tag: "Admitted",
    params,
    parts: steps,
    finals: finallyPartsOf(steps),
    gates,
  }
}
