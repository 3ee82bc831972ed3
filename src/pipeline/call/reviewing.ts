/** Puts an open gate to those who may decide it before the host does: the rules, then the reviewers in their order. */

import { messageOf } from "../../text/message-of.ts"
import { byCall, type DecidedBy, type Review, type ReviewQuestion } from "../model/decision.ts"
import { deniedByPolicy } from "../model/outcome.ts"
import { type Asker, approvalOf, gateTool, openQuestion } from "./asking.ts"
import type { Input } from "./input.ts"
import { byRule, deniedByRule, explained, noRuleFor, onlyAPerson } from "./ruling.ts"
import type { ApprovalQuestion } from "./state.ts"
import { tellDecision } from "./telling.ts"

type Ruling = Omit<Extract<Input, { readonly _tag: "Ruled" }>, "_tag" | "id">

const nobodyThere = deniedByPolicy(
  "Denied: this call needs an approval, and nobody is there to give it",
  byCall,
)

/** The gate that was not put to the host yet. */
const gateOf = (asker: Asker): ApprovalQuestion | undefined => {
  const question = openQuestion(asker.record)
  return question?.kind === "approval" && !question.put ? question : undefined
}

/** Passes the open gate, or has reviewers or the host asked. */
export const ruleGate = (asker: Asker): void => {
  const gate = gateOf(asker)
  if (gate !== undefined) rule(asker, gate, ruling(asker, gate))
}

const rule = (asker: Asker, { id }: ApprovalQuestion, { outcome, decidedBy, because }: Ruling): void => {
  if (outcome === "pass" && gateOf(asker)?.id === id) tellDecision(asker, "approve", decidedBy)
  asker.receive({ _tag: "Ruled", id, outcome, decidedBy, because })
}

const ruling = (asker: Asker, { person }: ApprovalQuestion): Ruling => {
  const { engine, record } = asker
  const { name, params } = record.subject
  const tool = gateTool(asker)
  if (tool === undefined) return asked(asker, person ? onlyAPerson : noRuleFor(name))
  const explanation = explained(engine.filters, tool, params)
  // Not known before it ran: of files that it has found, or of a rule that was added since.
  if (explanation.verdict === "deny") return { outcome: deniedByRule(tool, explanation) }
  if (person) return asked(asker, onlyAPerson)
  if (explanation.verdict === "approve") return { outcome: "pass", decidedBy: byRule(explanation) }
  const { because } = explanation
  return engine.settings.reviewers.length > 0 ? { outcome: "review", because } : asked(asker, because)
}

const asked = ({ sink }: Asker, because: string): Ruling =>
  sink.answers ? { outcome: "ask", because } : { outcome: nobodyThere }

/** Has the reviewers asked: one after another, until one decides. */
export const reviewGate = (asker: Asker): void => {
  const gate = gateOf(asker)
  if (gate === undefined) return
  const controller = new AbortController()
  asker.controller = controller
  asker.suspended()
  void review(asker, gate, controller.signal).then((ruled) => {
    if (asker.controller === controller) asker.controller = undefined
    rule(asker, gate, ruled)
  })
}

const review = async (asker: Asker, gate: ApprovalQuestion, signal: AbortSignal): Promise<Ruling> => {
  const { meta } = asker.record.subject
  const question: ReviewQuestion = {
    ...approvalOf(asker.record, gate),
    ...(meta !== undefined && { meta }),
  }
  let { because } = question
  for (const reviewer of asker.engine.settings.reviewers) {
    if (signal.aborted) break
    const { verdict, reason } = await oneReview(async () => reviewer({ ...question, because }, { signal }))
    const decidedBy: DecidedBy = { kind: "reviewer", ...(reason !== undefined && { reason }) }
    if (verdict === "approve") return { outcome: "pass", decidedBy }
    if (verdict === "deny") return { outcome: deniedByPolicy(reason ?? "Denied by a reviewer", decidedBy) }
    if (reason !== undefined) because = reason
  }
  return asked(asker, because)
}

const verdicts: ReadonlySet<unknown> = new Set(["approve", "deny", "ask"])

/** A reviewer may be plain JavaScript: what is no verdict asks on. */
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
