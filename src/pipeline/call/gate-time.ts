/** When something happens at a gate that nobody answers: it is warned of, escalated, and denied. */
import type { ApprovalQuestion } from "./state.ts"

type Timed = Pick<ApprovalQuestion, "terms">

/** How long the gate waits until it is denied, or escalated first. `fallback`: the executor's `approvalTimeout`. In milliseconds. */
const periodOf = ({ terms }: Timed, fallback: number): number => terms?.timeout ?? fallback

/** How long the gate waits in all. */
export const gateLimit = (question: Timed, fallback: number): number =>
  periodOf(question, fallback) * (question.terms?.escalates === true ? 2 : 1)

/** The times since the gate asked, in milliseconds: of its warning and its escalation, if it has them, and of its end. */
const marksOf = (question: Timed, fallback: number): Array<number> => {
  const { warn, escalates } = question.terms ?? {}
  const period = periodOf(question, fallback)
  const end = gateLimit(question, fallback)
  return [
    ...(warn === undefined ? [] : [Math.max(0, period - warn)]),
    ...(escalates === true ? [period] : []),
    end,
  ]
}

/** How long until the next mark. `waited`: how long a restored gate has waited when it was restored. */
export const untilMark = (question: ApprovalQuestion, fallback: number, waited: number): number => {
  const { marks = 0 } = question
  const times = marksOf(question, fallback)
  return Math.max(0, times[marks]! - Math.max(waited, times[marks - 1] ?? 0))
}

/** How long the gate waits behind its next mark. */
export const afterMark = (question: ApprovalQuestion, fallback: number): number => {
  const times = marksOf(question, fallback)
  return times.at(-1)! - times[question.marks ?? 0]!
}

/** What the next mark is. */
export const markOf = ({ terms, marks = 0 }: ApprovalQuestion): "warn" | "escalate" | "end" => {
  if (terms?.warn !== undefined && marks === 0) return "warn"
  const passed = terms?.warn === undefined ? marks : marks - 1
  return terms?.escalates === true && passed === 0 ? "escalate" : "end"
}
