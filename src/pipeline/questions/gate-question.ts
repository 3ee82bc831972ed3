/** The question of an open gate, for reviewers, for `approvers` and for the host. */
import type { ReviewQuestion } from "../../model/decision.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { Call } from "../call/call.ts"
import type { ApprovalQuestion } from "../call/state.ts"
import { noRuleFor } from "./ruling.ts"

/** The question, with the host's own data of the call. */
export const reviewQuestion = ({ subject, output }: Call, question: ApprovalQuestion): ReviewQuestion => {
  const { agentId, callId, name, params, background, meta } = subject
  const because = question.because ?? noRuleFor(name)
  const asked: Mutable<ReviewQuestion> = { agentId, callId, name, params, background, because }
  if (question.label !== undefined) asked.label = question.label
  if (output !== undefined) asked.preview = output
  if (meta !== undefined) asked.meta = meta
  return asked
}
