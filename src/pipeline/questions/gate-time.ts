/** The times of a gate that nobody answers: its warning, its escalation and its denial. */
import type { ApprovalQuestion } from "../call/state.ts"

type Timed = Pick<ApprovalQuestion, "terms">

/** The milliseconds that the gate waits until it is denied or escalated. `fallback`: the executor's `approvalTimeout`. */
const periodOf = ({ terms }: Timed, fallback: number): number => terms?.timeout ?? fallback

/** The milliseconds that the gate waits in total. */
export const gateLimit = (question: Timed, fallback: number): number =>
  periodOf(question, fallback) * (question.terms?.escalates === true ? 2 : 1)

/** The gate's marks, in milliseconds since it asked: its warning and its escalation, if any, and its end. */
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

/** The milliseconds until the next mark. `waited`: how long a restored gate had waited when it was restored. */
export const untilMark = (question: ApprovalQuestion, fallback: number, waited: number): number => {
  const { marks = 0 } = question
  const times = marksOf(question, fallback)
  return Math.max(0, times[marks]! - Math.max(waited, times[marks - 1] ?? 0))
}

/** The milliseconds that the gate waits after its next mark. */
export const afterMark = (question: ApprovalQuestion, fallback: number): number => {
  const times = marksOf(question, fallback)
  return times.at(-1)! - times[question.marks ?? 0]!
}

/** The kind of the next mark. */
export const markOf = ({ terms, marks = 0 }: ApprovalQuestion): "warn" | "escalate" | "end" => {
  if (terms?.warn !== undefined && marks === 0) return "warn"
  const passed = terms?.warn === undefined ? marks : marks - 1
  return terms?.escalates === true && passed === 0 ? "escalate" : "end"
}
