/** How long a call may stay in a state, and what is said when it did. */

import { formatMillis, toMillis } from "../model/duration.ts"
import type { Settings } from "../model/settings.ts"
import { editorAdvice } from "./editor-silence.ts"
import type { CallRecord, EffectQuestion, Question } from "./state.ts"

type Limits = Pick<
  Settings,
  | "delegates"
  | "callTimeout"
  | "backgroundAfter"
  | "taskTimeout"
  | "approvalTimeout"
  | "delegateTimeout"
  | "finallyTimeout"
>

/** Whether a call that runs has become a background task once its time is up: `mayMove` where its tool may run there. */
export const movesAt = ({ state, call }: CallRecord, limits: Limits, mayMove: boolean): boolean =>
  mayMove && !call.background && state._tag === "Running" && limits.backgroundAfter < limits.callTimeout

/** Milliseconds; `Infinity` for no limit. */
export const timeLimit = (record: CallRecord, limits: Limits, mayMove: boolean): number => {
  const { state, call } = record
  switch (state._tag) {
    case "Preparing":
    case "Running":
      if (movesAt(record, limits, mayMove)) return limits.backgroundAfter
      return call.background ? limits.taskTimeout : limits.callTimeout
    case "Asking":
      return questionLimit(state.question, limits)
    case "Stopping":
    case "Cleaning":
    case "Judging":
      return limits.finallyTimeout
    default:
      return Number.POSITIVE_INFINITY
  }
}

const questionLimit = (question: Question, limits: Limits): number =>
  question.kind === "approval" ? limits.approvalTimeout : effectLimit(question, limits)

const effectLimit = ({ timeout }: EffectQuestion, { delegateTimeout }: Limits): number =>
  timeout === undefined ? delegateTimeout : toMillis("timeout", timeout)

/** What is said of a call whose time is up where it stands: to the model, or, in the cleanup, among its errors. */
export const timeoutMessage = (record: CallRecord, limits: Limits): string => {
  const { state } = record
  const limit = formatMillis(timeLimit(record, limits, false))
  switch (state._tag) {
    case "Asking":
      return state.question.kind === "approval"
        ? `Denied: nobody decided within ${limit}`
        : `The host did not answer ${state.question.effect._tag} within ${limit}${editorAdvice(state.question.effect._tag, limits)}`
    case "Stopping":
      return `did not stop within ${limit} and was left behind`
    case "Cleaning":
      return `did not end within ${limit}`
    default:
      return `Timed out after ${limit}`
  }
}

/** What is said of a call whose consumer does not read. */
export const unreadMessage = (consumerTimeout: number): string =>
  `The consumer did not read what the call streams within ${formatMillis(consumerTimeout)}`
