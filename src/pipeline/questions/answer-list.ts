/** Answers to several gates at once: the whole list is read before any of them decides. */

import type { AnswerOptions, ApproveOptions } from "../../model/event.ts"
import { expectId, expectKnown, got } from "../../model/got.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import type { Call } from "../call/call.ts"
import { openQuestion } from "../call/state.ts"
import type { Engine } from "../engine.ts"
import { approving, denying } from "./answers.ts"
import { votesOf } from "./approvers.ts"

/** An approval, with at least one of the options of `approve` if it is an object. */
export type ListedApproval = true | Omit<ApproveOptions, "by">

/**
 * The answer to one gate. `question` names the question that was shown. Without it, the answer applies to whatever the
 * call asks now.
 */
export type ListedAnswer<Question = AskedGate> = {
  readonly callId: string
  readonly question?: Question
} & (
  | { readonly approve: ListedApproval; readonly deny?: undefined }
  /** A string is the reason. */
  | { readonly deny: true | string; readonly approve?: undefined }
)

/** Names the question of an `AwaitingApproval` event: the event itself, or its `seq`. */
export interface AskedGate {
  readonly seq: number
}

/** The outcome of one answer. */
export interface AnswerOutcome {
  readonly callId: string
  /** Whether the answer took effect. */
  readonly took: boolean
  /** A sentence: why it did not take effect, or how many approvals a gate has that needs more. */
  readonly why?: string
}

/** An outcome without its call. */
export type Taken = Omit<AnswerOutcome, "callId">

const untaken = (why: string): Taken => ({ took: false, why })

const isAnswer = ({ approve, deny }: Partial<Record<"approve" | "deny", unknown>>): boolean =>
  approve === undefined
    ? deny === true || typeof deny === "string"
    : deny === undefined && (approve === true || isApproval(approve))

/** An empty object is no approval: the caller left out what it meant to pass. */
const isApproval = (approve: unknown): boolean =>
  isPlainObject(approve) &&
  Object.keys(approve).every((name) => name === "params" || name === "reason" || name === "remember") &&
  Object.values(approve).some((value) => value !== undefined)

const readAnswer = (value: unknown, isQuestion: (question: object) => boolean, asked: string): void => {
  if (!isPlainObject(value))
    throw new TypeError(`Expected each answer to be an object with a \`callId\`, ${got(value)}`)
  expectId("call", value.callId)
  expectKnown("An answer of `answer`", value, ["callId", "question", "approve", "deny"])
  const { question } = value
  if (question !== undefined && !(typeof question === "object" && question !== null && isQuestion(question)))
    throw new TypeError(`Expected \`question\` of \`${value.callId}\` to be ${asked}, ${got(question)}`)
  if (!isAnswer(value))
    throw new TypeError(
      `Expected the answer to \`${value.callId}\` to have either \`approve\`, true or \`{ params?, reason?, remember? }\`, or \`deny\`, true or a reason`,
    )
}

/** Throws a TypeError unless every entry of the list is an answer. `asked`: describes a valid `question`, for the message. */
export const expectAnswers = (
  list: unknown,
  isQuestion: (question: object) => boolean,
  asked: string,
): void => {
  if (!Array.isArray(list))
    throw new TypeError(`Expected \`answer\` to be given an array of answers, ${got(list)}`)
  for (const value of list) readAnswer(value, isQuestion, asked)
}

/** Passes on the first answer to each call. The outcomes are in the order of the list. */
export const eachOnce = <Answer extends { readonly callId: string }, Outcome>(
  list: ReadonlyArray<Answer>,
  answer: (entry: Answer) => Outcome,
): Array<Outcome | AnswerOutcome> => {
  const seen = new Set<string>()
  return list.map((entry) => {
    const { callId } = entry
    if (seen.has(callId))
      return { callId, ...untaken(`The list has an answer to "${callId}" already, which alone counts.`) }
    seen.add(callId)
    return answer(entry)
  })
}

/** The outcome of an answer to a call that does not exist. */
export const noCall = (callId: string): Taken => untaken(`There is no call "${callId}", or it has ended.`)

/** Why an answer to an earlier question of the call is refused. */
export const otherQuestion = (callId: string): string =>
  `"${callId}" does not ask this question any more: look at what it asks now.`

const isAskedGate = (question: object): boolean =>
  !("kind" in question) && Number.isSafeInteger((question as AskedGate).seq)

/** Answers the gates of a list in order. Throws a TypeError for a malformed list, before anything is decided. */
export const answerAll = (
  engine: Engine,
  list: ReadonlyArray<ListedAnswer>,
  options: AnswerOptions | undefined,
): Array<AnswerOutcome> => {
  expectAnswers(list, isAskedGate, "an AwaitingApproval event, or its `seq` in an object")
  return eachOnce(list, (entry) => ({
    callId: entry.callId,
    ...answerOne(engine, engine.callOf(entry.callId), entry, options),
  }))
}

const waitsForApproval = ({ state, toolCall }: Call): boolean => {
  const question = openQuestion(state)
  if (question !== undefined) return question.kind === "approval" && question.isAsked
  return (state._tag === "Queued" || state._tag === "Held") && toolCall.decision === "requested"
}

const previewed = (callId: string): string =>
  `"${callId}" shows a preview that was made for its parameters: they cannot be edited.`

const unready = (callId: string): string =>
  `"${callId}" cannot be answered yet: its question is being stored. Answer once \`AwaitingApproval\` has come.`

const answerOne = (
  engine: Engine,
  call: Call | undefined,
  { callId, question, approve: approval, deny: reason }: ListedAnswer,
  options: AnswerOptions | undefined,
): Taken => {
  if (call === undefined) return noCall(callId)
  if (!waitsForApproval(call)) return untaken(`"${callId}" waits for no approval.`)
  if (question !== undefined && question.seq !== call.askedSeq) return untaken(otherQuestion(callId))
  const gate = openQuestion(call.state)
  const isEdit = typeof approval === "object" && approval.params !== undefined
  const took =
    approval === undefined
      ? denying(engine, call, reason === true ? undefined : reason, options)
      : approving(engine, call, { ...(approval === true ? undefined : approval), ...options })
  if (took !== true) return untaken(took || (isEdit ? previewed(callId) : unready(callId)))
  const isOpen = gate?.kind === "approval" && openQuestion(call.state) === gate
  return isOpen ? { took, why: votesOf(gate) } : { took }
}
