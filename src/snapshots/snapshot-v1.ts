/** Reads snapshots of version 1, which releases up to 0.2 wrote. They stored the state of a call under different names. */

import type { Question, Then } from "../pipeline/call/state.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import type { CallSnapshot, StagedSnapshot } from "./snapshot.ts"

type FirstQuestion = Question & { readonly undecided?: true }

/** The progress of a call that has started. */
interface Standing extends Omit<CallSnapshot, "announced" | "asking" | "version" | "call" | "state"> {
  readonly question?: FirstQuestion
  readonly asking?: FirstQuestion
  readonly then?: Then
  /** The next finally handler; absent if none is left. */
  readonly part?: number
  readonly announced?: boolean | "due"
  /** Set if `Started` was not emitted. */
  readonly untold?: true
}

/** A snapshot of version 1. */
export interface FirstSnapshot
  extends Pick<
    CallSnapshot,
    "call" | "edited" | "remember" | "approval" | "decidedBy" | "refusal" | "createdAt" | "startedAt"
  > {
  readonly version: 1
  readonly state: string
  readonly standing?: Standing
  /** Set for a call that restarts with edited parameters. */
  readonly again?: Pick<Standing, "decided" | "announced" | "cleanupErrors">
  readonly staged?: StagedSnapshot
}

const questionOf = (question: FirstQuestion): Question => {
  const id = 1
  if (!isPlainObject(question) || question.kind !== "approval")
    return { ...question, id, isAsked: true } as Question
  const { label, because, person, undecided } = question
  return { kind: "approval", id, label, person: person === true, isAsked: undecided !== true, because }
}

const announcedOf = (announced: Standing["announced"]): CallSnapshot["announced"] =>
  announced === true ? "yes" : announced

const stateOf = ({ question, then, part }: Standing): CallSnapshot["state"] => {
  if (then !== undefined) return { _tag: "Cleaning", part: part ?? 0, then, question: undefined }
  if (question !== undefined) return { _tag: "Asking", question: questionOf(question) }
  return { _tag: "Running" }
}

/** The snapshot in the current version. A value that is not a snapshot stays invalid. */
export const fromFirst = ({ state, standing, again, staged, ...rest }: FirstSnapshot): CallSnapshot => {
  const head = { ...rest, version: 2 } as const
  if (state === "staged") return { ...head, state: { _tag: "Staged" }, action: staged }
  if (state === "queued") {
    const restart = again && { ...again, started: true, announced: announcedOf(again.announced) }
    return { ...head, state: { _tag: "Queued" }, ...restart }
  }
  const { question: _, asking, then, part, announced, untold, shape, ...progress } = standing ?? {}
  return {
    ...head,
    ...progress,
    state: stateOf(standing ?? {}),
    asked: 1,
    started: untold !== true,
    announced: announcedOf(announced),
    shape: then !== undefined && part === undefined ? undefined : shape,
    asking: asking && questionOf(asking),
  }
}
