/**
 * Writes a call down: at rest, for whoever asks, or wherever it stands, for a journal. All of it becomes JSON text, which leaves
 * out what is undefined.
 */

import { messageOf } from "../../text/message-of.ts"
import type { ActionResolvedEvent } from "../model/event.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { endWith, isPreview, produced } from "./running.ts"
import {
  type CallSnapshot,
  type QuestionSnapshot,
  type StagedSnapshot,
  type StandingSnapshot,
  shapeOf,
  snapshotVersion as version,
} from "./snapshot.ts"
import type { CallRecord, Question, Then } from "./state.ts"

/** What the record does not hold. */
export interface Beside {
  readonly streamed: string
  readonly timeLeft: number | undefined
  readonly resolved?: ActionResolvedEvent | undefined
  /** Names the span of the call. */
  readonly traceParent?: string | undefined
}

/** What only a journal knows. */
export interface JournalNotes {
  /** Whether the handler that is next has begun, and must not run twice. */
  readonly begun: boolean
  /** Whether its host was told of its start, and that it runs in the background. */
  readonly toldStarted: boolean
  readonly toldBackground: boolean
  /** When the question that is open was asked, in epoch milliseconds. */
  readonly askedAt: number | undefined
  readonly createdAt: number
  readonly startedAt: number | undefined
}

/** Throws an Error that says why, for a call that is not at rest and for what is no JSON. */
export const writeCall = (record: CallRecord, beside: Beside): CallSnapshot => {
  const { call, state, parts, at } = record
  if (state._tag === "Asking") {
    if (isMidway(record, state.question) || (state.question.kind === "delegate" && !state.question.put)) {
      throw new Error(
        `Call "${call.callId}" is not at rest: its handler \`${parts[at]?.name}\` is in the middle of its work`,
      )
    }
    return plain(call.callId, waiting(record, state.question, beside))
  }
  if (state._tag === "Queued" && record.resume?._tag === "Ask")
    return plain(call.callId, waiting(record, record.resume.question, beside))
  if (state._tag === "Queued" || state._tag === "Held") return plain(call.callId, queued(record))
  throw new Error(`Call "${call.callId}" is not at rest: it can be written down while it is queued or waits`)
}

/**
 * The call wherever it stands, as JSON text; a handler in the middle of its work is one that is to run. Throws for what is no
 * JSON.
 */
export const writeMoving = (record: CallRecord, beside: Beside, notes: JournalNotes): string => {
  const { createdAt, startedAt } = notes
  // What its host was not told yet, the next process tells it.
  const isUntold = record.announced === "yes" && !notes.toldBackground
  const known: CallRecord = isUntold ? { ...record, announced: "due" } : record
  return textOf(record.call.callId, { ...moving(known, beside, notes), createdAt, startedAt })
}

const moving = (record: CallRecord, beside: Beside, notes: JournalNotes): CallSnapshot => {
  const { state, resume } = record
  const { askedAt } = notes
  const told = { untold: !notes.toldStarted || undefined }
  const work = { ...told, begun: notes.begun || undefined }
  switch (state._tag) {
    case "Queued":
      return resume === undefined ? queued(record) : resuming(record, resume, beside, told, askedAt)
    case "Held":
    case "Preparing":
      return queued(record)
    case "Asking": {
      const { question } = state
      if (isMidway(record, question))
        return running(record, beside, { ...work, askedAt, asking: askingOf(question) })
      return waiting(record, question, beside, { ...told, askedAt })
    }
    case "Running":
      return running(record, beside, work)
    case "Stopping":
      // What ran ends with its process: what it claimed is pending again.
      return ending({ ...record, output: produced(record), action: undefined }, 0, state.then, beside, told)
    case "Cleaning":
      return ending(record, state.part, state.then, beside, work)
    case "Judging":
      return ending(record, record.finals.length, endWith(record.outcome!), beside, told)
    case "Ended":
      if (!record.started) return refused(record, record.outcome!)
      return ending(record, record.finals.length, endWith(record.outcome!), beside, told)
  }
}

/** A call that was restored, and has not had its turn. */
const resuming = (
  record: CallRecord,
  resume: NonNullable<CallRecord["resume"]>,
  beside: Beside,
  told: Pick<StandingSnapshot, "untold">,
  askedAt: number | undefined,
): CallSnapshot => {
  switch (resume._tag) {
    case "Ask":
      return waiting(record, resume.question, beside, { ...told, askedAt })
    case "Run":
      return running(record, beside, told)
    case "Fail":
      return running(record, beside, { ...told, begun: true })
    case "Clean":
      return ending(record, resume.part, resume.then, beside, told)
  }
}

const isMidway = ({ more }: CallRecord, question: Question): boolean =>
  more || (question.kind === "delegate" && question.midway)

const head = (record: CallRecord, state: CallSnapshot["state"]): CallSnapshot => {
  const { call, approval, decidedBy, refusal } = record
  const edited = record.edited || undefined
  const remember = record.remember || undefined
  return { version, state, call, edited, remember, approval, decidedBy, refusal }
}

const queued = (record: CallRecord): CallSnapshot => {
  const { started, decided, cleanupErrors } = record
  if (!started) return head(record, "queued")
  return { ...head(record, "queued"), again: { decided, announced: announcedOf(record), cleanupErrors } }
}

/** It ended before it began: nothing but its end is told. */
const refused = (record: CallRecord, outcome: Outcome): CallSnapshot => ({
  ...head(record, "queued"),
  call: { ...record.call, decision: "deny" },
  refusal: withoutCause(outcome) as Stopped,
})

const waiting = (
  record: CallRecord,
  question: Question,
  beside: Beside,
  notes: Pick<StandingSnapshot, "untold" | "askedAt"> = {},
): CallSnapshot => ({
  ...head(record, "waiting"),
  standing: {
    question: writeQuestion(question),
    ...standingOf(record, beside),
    streamed: beside.streamed || undefined,
    ...notes,
  },
})

/** What it streamed it streams again. */
const running = (
  record: CallRecord,
  beside: Beside,
  notes: Pick<StandingSnapshot, "untold" | "begun" | "asking" | "askedAt">,
): CallSnapshot => ({ ...head(record, "running"), standing: { ...standingOf(record, beside), ...notes } })

const ending = (
  record: CallRecord,
  part: number,
  then: Then,
  beside: Beside,
  notes: Pick<StandingSnapshot, "untold" | "begun">,
): CallSnapshot => ({
  ...head(record, "ending"),
  standing: {
    ...standingOf(record, beside),
    ...notes,
    then: then._tag === "End" ? endWith(withoutCause(then.outcome)) : then,
    part: part < record.finals.length ? part : undefined,
    streamed: beside.streamed || undefined,
  },
})

/** A cause is the host's, and no data. */
const withoutCause = (outcome: Outcome): Outcome => {
  if (outcome._tag !== "Error") return outcome
  const { cause: _cause, ...rest } = outcome
  return rest
}

const announcedOf = ({ announced }: CallRecord): StandingSnapshot["announced"] =>
  announced === "due" ? "due" : announced === "yes"

const standingOf = (record: CallRecord, { timeLeft, resolved, traceParent }: Beside): StandingSnapshot => {
  const { call, at, parts, output, memory, resolution, passed, decided, cleanupErrors, ties } = record
  const { settled, staged } = ties
  const action = record.action ?? settled
  return {
    at,
    shape: shapeOf(parts),
    // The preview is the action's: what stands here was put out since.
    output: settled === undefined && output === action?.output ? undefined : output,
    previewed: isPreview(record) || undefined,
    memory,
    resolution,
    passed,
    decided,
    announced: announcedOf(record),
    cleanupErrors,
    timeLeft,
    action: action && stagedSnapshot(call.callId, action),
    settled: settled && true,
    resolved,
    traceParent,
    staged,
  }
}

const writeQuestion = (question: Question): QuestionSnapshot => {
  if (question.kind === "approval") {
    const { label, person, because, put } = question
    return { kind: "approval", label, person: person || undefined, because, undecided: !put || undefined }
  }
  const { effect, timeout } = question
  return { kind: "delegate", effect, timeout }
}

/** The call goes on without it: an effect that is no JSON, which only this process can answer, is left out. */
const askingOf = (question: Question): QuestionSnapshot | undefined => {
  try {
    return JSON.parse(JSON.stringify(writeQuestion(question))) as QuestionSnapshot
  } catch {
    return undefined
  }
}

/** Throws an Error for an action that a host or a foreign tool pushed: its functions cannot be written down. */
export const writeStaged = (action: StagedAction): CallSnapshot =>
  JSON.parse(writeStagedText(action)) as CallSnapshot

/** The same as JSON text. */
export const writeStagedText = (action: StagedAction): string => {
  const staged = stagedSnapshot(action.actionId, action)
  return textOf(action.actionId, { version, state: "staged", call: staged.staging.call, staged })
}

const stagedSnapshot = (id: string, action: StagedAction): StagedSnapshot => {
  const { actionId, label, sourceToolName, details, source, staging, output, memory } = action
  if (staging === undefined) {
    throw new Error(
      `"${id}" cannot be written down: the action "${label}" was pushed with functions, which are no data`,
    )
  }
  const { call, at, shape } = staging
  return { actionId, label, sourceToolName, details, source, staging: { call, at }, output, memory, shape }
}

const plain = (id: string, snapshot: CallSnapshot): CallSnapshot =>
  JSON.parse(textOf(id, snapshot)) as CallSnapshot

const textOf = (id: string, snapshot: CallSnapshot): string => {
  try {
    return JSON.stringify(snapshot)
  } catch (error) {
    throw new Error(`"${id}" cannot be written down: it holds what is no JSON: ${messageOf(error)}`)
  }
}
