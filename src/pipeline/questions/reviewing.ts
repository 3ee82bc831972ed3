/** Asks about an open gate, before the host is asked: first the rules, then the reviewers in order. */

import { byCall, type DecidedBy, type Review } from "../../model/decision.ts"
import { deniedByPolicy } from "../../model/outcome.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Call } from "../call/call.ts"
import type { Input } from "../call/input.ts"
import { type ApprovalQuestion, openQuestion } from "../call/state.ts"
import { tellDecision } from "../call/telling.ts"
import type { Engine } from "../engine.ts"
import { suspended } from "../time/call-time.ts"
import { gateTool } from "./asking.ts"
import { reviewQuestion } from "./gate-question.ts"
import { byRule, deniedByRule, explained, noRuleFor, onlyAPerson } from "./ruling.ts"

type Ruling = Omit<Extract<Input, { readonly _tag: "Ruled" }>, "_tag" | "id">

const nobodyThere = deniedByPolicy(
  "Denied: this call needs an approval, and nobody is there to give it",
  byCall,
)

/** The open gate, while the host was not asked about it. */
const gateOf = (call: Call): ApprovalQuestion | undefined => {
  const question = openQuestion(call.state)
  return question?.kind === "approval" && !question.isAsked ? question : undefined
}

/** Lets the rules decide the open gate: pass it, deny it, or leave it to the reviewers or the host. */
export const ruleGate = (engine: Engine, call: Call): void => {
  const gate = gateOf(call)
  if (gate !== undefined) rule(engine, call, gate, ruling(engine, call, gate))
}

const rule = (
  engine: Engine,
  call: Call,
  { id }: ApprovalQuestion,
  { outcome, decidedBy, because }: Ruling,
): void => {
  if (outcome === "pass" && gateOf(call)?.id === id) tellDecision(engine, call, "approve", decidedBy)
  engine.receive(call, { _tag: "Ruled", id, outcome, decidedBy, because })
}

const ruling = (engine: Engine, call: Call, { person }: ApprovalQuestion): Ruling => {
  const { name, params } = call.subject
  const tool = gateTool(engine, call)
  if (tool === undefined) return asked(call, person ? onlyAPerson : noRuleFor(name))
  const explanation = explained(engine.filters, tool, params)
  // The check before the call ran could not see files that a handler has found since, or rules that were added since.
  if (explanation.verdict === "deny") return { outcome: deniedByRule(tool, explanation) }
  if (person) return asked(call, onlyAPerson)
  if (explanation.verdict === "approve") return { outcome: "pass", decidedBy: byRule(explanation) }
  const { because } = explanation
  return engine.settings.reviewers.length > 0 ? { outcome: "review", because } : asked(call, because)
}

const asked = ({ to }: Call, because: string): Ruling =>
  to.sink.answers ? { outcome: "ask", because } : { outcome: nobodyThere }

/** Asks the reviewers one after another, until one decides. */
export const reviewGate = (engine: Engine, call: Call): void => {
  const gate = gateOf(call)
  if (gate === undefined) return
  const controller = new AbortController()
  call.controller = controller
  suspended(engine, call)
  void review(engine, call, gate, controller.signal).then((ruled) => {
    if (call.controller === controller) call.controller = undefined
    rule(engine, call, gate, ruled)
  })
}

const review = async (
  engine: Engine,
  call: Call,
  gate: ApprovalQuestion,
  signal: AbortSignal,
): Promise<Ruling> => {
  const question = reviewQuestion(call, gate)
  let { because } = question
  for (const reviewer of engine.settings.reviewers) {
    if (signal.aborted) break
    const { verdict, reason } = await oneReview(async () => reviewer({ ...question, because }, { signal }))
    const decidedBy: DecidedBy = { kind: "reviewer", ...(reason !== undefined && { reason }) }
    if (verdict === "approve") return { outcome: "pass", decidedBy }
    if (verdict === "deny") return { outcome: deniedByPolicy(reason ?? "Denied by a reviewer", decidedBy) }
    if (reason !== undefined) because = reason
  }
  return asked(call, because)
}

const verdicts: ReadonlySet<unknown> = new Set(["approve", "deny", "ask"])

/** The verdict of one reviewer. Reviewers may be plain JavaScript: an invalid verdict counts as `ask`. */
const oneReview = async (ask: () => Promise<Review>): Promise<Review> => {
  try {
    const answer: Partial<Review> | null | undefined = await ask()
    if (!verdicts.has(answer?.verdict)) return { verdict: "ask", reason: "A reviewer gave no verdict." }
    const { verdict, reason } = answer as Review
    return reason === undefined || reason === "" ? { verdict } : { verdict, reason: String(reason) }
  } catch (error) {
    return { verdict: "ask", reason: `A reviewer failed: ${messageOf(error)}` }
  }
}
