/**
 * What stands between a call and its pipeline: validation, the host's hook, deny rules, composition. Synchronous unless
 * a hook or the loading of the validator takes time. Never throws: whatever goes wrong refuses the call.
 */
import type { ToolCall } from "./call.ts"
import { messageOf } from "./failure.ts"
import type { MainPart } from "./interpreter.ts"
import type { CallFilter, Hooks } from "./options.ts"
import { deniedByPolicy, failed, type Outcome } from "./outcome.ts"
import type { FinallyPart, ToolPipeline } from "./pipeline.ts"
import type { Tool } from "./tool.ts"
import type { ParameterCheck } from "./validation.ts"

export type Admission =
  | { readonly _tag: "Admitted"; readonly params: unknown; readonly plan: Plan }
  | { readonly _tag: "Refused"; readonly outcome: Outcome }

/** A pipeline, divided: what runs in order, what runs at the end, and how many gates the host may be asked at. */
export interface Plan {
  readonly main: ReadonlyArray<MainPart>
  readonly finals: ReadonlyArray<FinallyPart<unknown>>
  readonly gates: number
}

export interface Admitting {
  readonly call: ToolCall
  readonly tool: Tool<unknown>
  readonly filters: CallFilter | undefined
  readonly hooks: Hooks
  /** Made when the hook asks for it. */
  readonly signal: () => AbortSignal
}

const refused = (outcome: Outcome): Admission => ({ _tag: "Refused", outcome })

const whenReady = <A, B>(value: A | Promise<A>, then: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(then) : then(value)

export const admit = (admitting: Admitting): Admission | Promise<Admission> => {
  const admission = examine(admitting)
  if (!(admission instanceof Promise)) return admission
  return admission.catch((error) => refused(failed("failed", messageOf(error), error)))
}

const examine = (admitting: Admitting): Admission | Promise<Admission> => {
  const { call, tool, hooks } = admitting
  return whenReady(tool.validator.validate(call.params), (check) => {
    if (check._tag === "Invalid") return refused(failed("invalid", check.message))
    if (hooks.beforeCall === undefined) return compose(admitting, check.params)
    return whenReady(askHook(admitting, check.params), (answer) => {
      if ("outcome" in answer) return refused(answer.outcome)
      if (!("params" in answer)) return compose(admitting, check.params)
      return whenReady(tool.validator.validate(answer.params), (again: ParameterCheck) =>
        again._tag === "Invalid"
          ? refused(failed("invalid", again.message))
          : compose(admitting, again.params),
      )
    })
  })
}

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
      return { outcome: deniedByPolicy(answer.reason ?? "Blocked by the host") }
    }
    return "params" in answer ? { params: answer.params } : {}
  } catch (error) {
    return { outcome: deniedByPolicy(`Blocked: ${messageOf(error)}`) }
  }
}

const compose = ({ call, tool, filters }: Admitting, params: unknown): Admission => {
  if (filters !== undefined) {
    try {
      if (filters.evaluate(tool, params) === "deny") {
        return refused(deniedByPolicy(`Denied by policy: a rule forbids this call of ${tool.name}`))
      }
    } catch (error) {
      // A filter that cannot tell must not let the call through.
      return refused(deniedByPolicy(`Denied by policy: the filter failed: ${messageOf(error)}`))
    }
  }
  try {
    const pipeline = tool.compose(params, params === call.params ? call : { ...call, params })
    if (Array.isArray(pipeline?.steps)) return { _tag: "Admitted", params, plan: divide(pipeline) }
    return refused(failed("failed", `Tool "${tool.name}" composed no pipeline`))
  } catch (error) {
    return refused(failed("failed", messageOf(error), error))
  }
}

/** Throws for what only looks like a pipeline. */
const divide = ({ steps }: ToolPipeline<unknown>): Plan => {
  const main: Array<MainPart> = []
  const finals: Array<FinallyPart<unknown>> = []
  let gates = 0
  for (const part of steps) {
    const { kind } = part
    if ((kind === "handler" || kind === "finally") && typeof part.handler?.call !== "function") {
      throw new TypeError(`The pipeline has a ${kind} part without a handler`)
    }
    if (kind === "finally") finals.push(part)
    else main.push(part)
    if (kind === "approval") gates += 1
  }
  return { main, finals, gates }
}
