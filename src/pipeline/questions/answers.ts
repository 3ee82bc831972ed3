/**
 * The host's answers to a call. An answer changes the call's state at once, but its commands are carried out after the host's code
 * has returned, so that no tool, filter or consumer runs inside that code. Each function returns whether the answer took effect.
 */

import { byUserBecause } from "../../model/decision.ts"
import {
  type AnswerOptions,
  type ApproveOptions,
  expectAnswerOptions,
  expectApproval,
  unattended,
} from "../../model/event.ts"
import { deniedByUser } from "../../model/outcome.ts"
import { outputFault, toOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Call } from "../call/call.ts"
import { withoutBackground } from "../call/call-input.ts"
import { openQuestion } from "../call/state.ts"
import { tellDecision } from "../call/telling.ts"
import type { Engine } from "../engine.ts"
import { mayMove, restartTime, suspended } from "../time/call-time.ts"
import { refusalOf } from "./approvers.ts"

/**
 * Approves the open gate, or a call that is `requested`. Returns true if the approval took effect; a gate that needs several
 * approvals can stay open. Otherwise returns a sentence that explains why not, empty if the question is not open.
 */
export const approving = (
  engine: Engine,
  call: Call,
  options?: ApproveOptions,
  id?: number,
): true | string => {
  if (options !== undefined) expectApproval(options)
  const { params, reason, remember, by } = options ?? {}
  const edit = params !== undefined
  const asked = openQuestion(call.state)
  if (asked !== undefined && (asked.id !== (id ?? asked.id) || asked.id !== call.told)) return ""
  const refusal =
    asked?.kind === "approval" && asked.terms !== undefined
      ? refusalOf(call, asked, by, edit ? "edit" : "approve")
      : undefined
  if (refusal !== undefined) return refusal
  // Edited parameters cannot move the call: whether it runs in the background was decided before.
  const edited = edit ? withoutBackground(params, call.tool) : undefined
  const choice = remember === undefined ? false : readChoice(remember)
  if (!engine.answer(call, { _tag: "Approve", id, edit, params: edited, reason, by, remember: choice }))
    return ""
  const isOpen =
    asked?.kind === "approval" && asked.terms?.quorum !== undefined && openQuestion(call.state) === asked
  const { subject, decidedBy } = call
  if (isOpen) tellDecision(engine, call, "vote", byUserBecause(reason, by))
  else
    tellDecision(engine, call, "approve", decidedBy, edit ? { name: subject.name, params: edited } : subject)
  return true
}

/** Denies the open gate or, while it is `requested`, the call. Returns true, or the reason why the denial did not take effect. */
export const denying = (
  engine: Engine,
  call: Call,
  reason?: string,
  options?: AnswerOptions,
  id?: number,
): true | string => {
  if (options !== undefined) expectAnswerOptions("deny", options)
  const asked = openQuestion(call.state)
  if (asked !== undefined && (asked.id !== (id ?? asked.id) || asked.id !== call.told)) return ""
  const by = options?.by
  const refusal =
    asked?.kind === "approval" && asked.terms !== undefined && options !== unattended
      ? refusalOf(call, asked, by, "deny")
      : undefined
  if (refusal !== undefined) return refusal
  const outcome = deniedByUser(reason, byUserBecause(reason, by))
  return engine.answer(call, { _tag: "Deny", id, outcome }) || ""
}

/** Answers the effect with this id. The output may be missing: that is a valid answer too. */
export const succeed = (engine: Engine, call: Call, value: unknown, id: number, by?: string): boolean => {
  const question = openQuestion(call.state)
  if (question?.kind !== "delegate" || question.id !== id) return false
  const isNone = value === undefined || value === null
  const output = isNone ? undefined : toOutput(value)
  if (output === undefined && !isNone) {
    const message = `The host's answer to ${question.effect._tag} ${outputFault(value)}`
    return engine.answer(call, { _tag: "AnswerFailed", id, message, by })
  }
  // Only the finally handler itself sees this answer: the call's result does not change.
  if (call.state._tag === "Cleaning" && call.attempt !== undefined) call.attempt.answer = output
  return engine.answer(call, { _tag: "Answered", id, output, by })
}

/** Fails the effect of this id. */
export const fail = (engine: Engine, call: Call, message: unknown, id: number, by?: string): boolean =>
  engine.answer(call, { _tag: "AnswerFailed", id, message: messageOf(message), by })

/** Answers the open effect, unless a function is answering it. An answer with `by` is reported as a decision. */
export const respond = (
  engine: Engine,
  call: Call,
  answer: { readonly output?: unknown; readonly error?: unknown },
  options?: AnswerOptions,
): boolean => {
  if (options !== undefined) expectAnswerOptions("respond", options)
  const question = openQuestion(call.state)
  if (question?.kind !== "delegate" || question.id !== call.told || call.controller !== undefined)
    return false
  const { error, output } = answer
  const by = options?.by
  const took =
    error === undefined || error === null
      ? succeed(engine, call, output, question.id, by)
      : fail(engine, call, error, question.id, by)
  if (took && by !== undefined) tellDecision(engine, call, "answer", byUserBecause(undefined, by))
  return took
}

/** Moves a running foreground call to the background, so that its lane continues with the next call. */
export const toBackground = (engine: Engine, call: Call): boolean => {
  if (!mayMove(call) || !engine.answer(call, { _tag: "ToBackground" })) return false
  engine.tasks.started(call)
  restartTime(engine, call)
  if (call.state._tag === "Running") suspended(engine, call)
  return true
}

const choices: ReadonlySet<unknown> = new Set(["call", "command", "tool"])

/** Reads the host's `remember` option. Anything unknown counts as false: no rule is added. */
export const readChoice = (remember: unknown): RememberChoice | false => {
  if (remember === undefined) return false
  if (remember === true) return "call"
  if (choices.has(remember)) return remember as RememberChoice
  const rule: unknown = (remember as { readonly rule?: unknown } | null | undefined)?.rule
  return typeof rule === "string" ? { rule } : false
}
