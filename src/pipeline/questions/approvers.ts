/** Whose answers count at an open gate, and how many of them pass it. */

import type { Approvers } from "../../model/gate.ts"
import { isThenable, leaveAlone } from "../../model/thenable.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Call } from "../call/call.ts"
import type { ApprovalQuestion } from "../call/state.ts"
import { reviewQuestion } from "./gate-question.ts"

/** What an answer does to a gate. `edit`: it approves with other parameters. */
export type AnswerKind = "approve" | "edit" | "deny"

/** Why an answer does not count at this open gate; undefined if it does. */
export const refusalOf = (
  call: Call,
  question: ApprovalQuestion,
  by: string | undefined,
  kind: AnswerKind,
): string | undefined => {
  const part = call.parts[call.at]
  const approvers = part?.kind === "approval" ? part.approvers : undefined
  const mayNot = approvers && whyNot(approvers, call, question, by)
  if (mayNot !== undefined || question.terms?.quorum === undefined || kind === "deny") return mayNot
  return uncounted(call.toolCall.callId, question, question.terms.quorum, by, kind)
}

const whyNot = (
  approvers: Approvers,
  call: Call,
  question: ApprovalQuestion,
  by: string | undefined,
): string | undefined => {
  const { callId } = call.toolCall
  if (by === undefined) return `Only some people may answer "${callId}": say with \`by\` who answers.`
  try {
    const may: unknown = approvers(by, reviewQuestion(call, question))
    if (may === true) return undefined
    if (!isThenable(may)) return `${by} may not answer "${callId}".`
    leaveAlone(may)
    throw new TypeError("it gave a promise, and has to answer at once")
  } catch (error) {
    return `${by} may not answer "${callId}": its \`approvers\` failed: ${messageOf(error)}`
  }
}

const uncounted = (
  callId: string,
  question: ApprovalQuestion,
  quorum: number,
  by: string | undefined,
  kind: AnswerKind,
): string | undefined => {
  if (by === undefined)
    return `"${callId}" needs ${quorum} people to approve it: say with \`by\` who approves.`
  if (kind === "edit")
    return `"${callId}" needs ${quorum} people to approve the same call: its parameters cannot be edited.`
  return question.votes?.includes(by)
    ? `${by} has approved "${callId}" already. ${votesOf(question)}`
    : undefined
}

/** The progress of a gate that needs several approvals, as a sentence. */
export const votesOf = ({ votes = [], terms }: ApprovalQuestion): string =>
  `It has ${votes.length} of ${terms?.quorum ?? 1} approvals.`

/** Counts an approval. Returns false while more are needed. */
export const isEnough = (question: ApprovalQuestion, quorum: number, by: string | undefined): boolean => {
  const { votes = [] } = question
  if (by !== undefined && !votes.includes(by)) question.votes = [...votes, by]
  return (question.votes?.length ?? 0) >= quorum
}
