/** A call of the explored world as a short string: two that have the same will do the same. */

import type { Outcome } from "../../../src/model/outcome.ts"
import { textOf } from "../../../src/output/output.ts"
import type { Call } from "../../../src/pipeline/call/call.ts"
import type { Question, Resume, Then } from "../../../src/pipeline/call/state.ts"
import type { ExploredAction, ExploredCall } from "./explored-call.ts"

const states = [
  "Queued",
  "Held",
  "Preparing",
  "Running",
  "Asking",
  "Stopping",
  "Cleaning",
  "Judging",
  "Ended",
]
const outcomes = ["Completed", "Error", "Denied", "Cancelled"]
const decisions = ["pending", "requested", "approve", "deny"]
const places = ["none", "asked", "held", "exempt"]
const announcements: ReadonlyArray<Call["announced"]> = [false, "due", "yes"]
const verdicts = ["", "Cancelled", "Denied", "Error"]

const outcomeCode = (outcome: Outcome | undefined): number =>
  outcome === undefined ? 0 : 1 + outcomes.indexOf(outcome._tag)

const thenCode = (then: Then | undefined): number => {
  if (then === undefined) return 0
  return then._tag === "Restart" ? 7 : outcomeCode(then.outcome)
}

const questionCode = (question: Question | undefined): number => {
  if (question === undefined) return 0
  const asked = question.isAsked ? 2 : 0
  if (question.kind === "delegate") return 2 + asked + (question.midway ? 4 : 0)
  // Whether reviewers are asked.
  return 1 + asked + (!question.isAsked && question.because !== undefined ? 4 : 0)
}

const resumes = ["Asking", "Running", "Fail", "Cleaning"]

/** How a call goes on that was read back. */
const resumeCode = (resume: Resume | undefined): number => {
  if (resume === undefined) return 0
  const question = resume._tag === "Asking" ? questionCode(resume.question) : 0
  const [part, then] = resume._tag === "Cleaning" ? [resume.part, thenCode(resume.then)] : [0, 0]
  return pack(9, 1 + resumes.indexOf(resume._tag), question, part, then)
}

/** Of a counter: nothing, the present one, or one before. */
const age = (value: number, now: number): number => (value === 0 ? 0 : value === now ? 1 : 2)

const bits = (...flags: ReadonlyArray<boolean>): number =>
  flags.reduce((sum, flag, index) => (flag ? sum | (1 << index) : sum), 0)

/** Several small numbers in one character. */
const pack = (radix: number, ...digits: ReadonlyArray<number>): number =>
  digits.reduce((sum, digit) => sum * radix + digit, 0)

export const callKey = ({ record, side }: ExploredCall, actions: ReadonlyArray<ExploredAction>): string => {
  const { state, toolCall: call } = record
  const question = state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
  const then = state._tag === "Stopping" || state._tag === "Cleaning" ? state.then : undefined
  const part = state._tag === "Cleaning" ? state.part : 0
  const output = record.output === undefined ? 0 : 1 + textOf(record.output).length
  const action = record.action === undefined ? 0 : 1 + actions.findIndex((a) => a.staged === record.action)
  return String.fromCharCode(
    pack(9, states.indexOf(state._tag), thenCode(then), part, questionCode(question)),
    pack(
      8,
      decisions.indexOf(call.decision),
      places.indexOf(record.place),
      record.at,
      outcomeCode(record.outcome),
    ),
    bits(
      call.background,
      record.more,
      record.started,
      record.edited,
      record.remember !== false,
      record.links.resolving !== undefined,
      record.links.staged !== undefined,
      record.refusal !== undefined,
      record.resolution !== undefined,
      record.approval !== undefined,
      record.reply !== undefined,
      record.reply?._tag === "Failure",
      record.scoped,
    ),
    output,
    pack(
      6,
      announcements.indexOf(record.announced),
      action,
      record.finals.length,
      Math.min(5, record.cleanupErrors?.length ?? 0),
    ),
    pack(8, record.parts.length, record.passed, record.decided, verdicts.indexOf(side.verdict)),
    bits(
      side.turnDue,
      side.preparing,
      side.reading,
      side.midway,
      side.judging,
      side.hasPlace,
      side.toldStarted,
      side.toldBackground,
      side.toldEnd,
      side.refused,
      side.begun === record.run,
      side.lastAnswered === record.asked,
    ),
    pack(
      3,
      age(side.inflight, record.run),
      age(side.flowing, record.run),
      age(side.ending, record.run + 1),
      age(side.ruling, record.asked),
      age(side.openAsk, record.asked),
    ),
    resumeCode(record.resume),
    pack(8, side.owed, side.ran, side.lastAt + 1, side.opened, side.ownGates),
  )
}
