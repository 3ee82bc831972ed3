/** Writes a call down: at rest, for whoever asks, or wherever it stands, for a journal. */
import type { ActionResolvedEvent } from "../model/event.ts"
import { messageOf } from "../model/failure.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { produced } from "./running.ts"
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
  /** Whether its host was told of its start. */
  readonly toldStarted: boolean
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
  const snapshot = moving(record, beside, notes)
  return textOf(record.call.callId, {
    ...snapshot,
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
  })
}

const moving = (record: CallRecord, beside: Beside, notes: JournalNotes): CallSnapshot => {
  const { state, resume } = record
  const untold = notes.toldStarted ? {} : { untold: true as const }
  const begun = notes.begun ? { begun: true as const } : {}
  switch (state._tag) {
    case "Queued":
      return resume === undefined ? queued(record) : resuming(record, resume, beside)
    case "Held":
    case "Preparing":
      return queued(record)
    case "Asking": {
      const { question } = state
      const asked = notes.askedAt === undefined ? {} : { askedAt: notes.askedAt }
      if (isMidway(record, question))
        return running(record, beside, { ...untold, ...begun, ...asked, ...askingOf(question) })
      const snapshot = waiting(record, question, beside)
      return { ...snapshot, standing: { ...snapshot.standing!, ...untold, ...asked } }
    }
    case "Running":
      return running(record, beside, { ...untold, ...begun })
    case "Stopping":
      // What ran ends with its process: what it claimed is pending again.
      return ending({ ...record, output: produced(record), action: undefined }, 0, state.then, beside, untold)
    case "Cleaning":
      return ending(record, state.part, state.then, beside, { ...untold, ...begun })
    case "Judging":
    case "Ended":
      return ending(record, record.finals.length, { _tag: "End", outcome: record.outcome! }, beside, untold)
  }
}

/** A call that was restored, and has not had its turn. */
const resuming = (
  record: CallRecord,
  resume: NonNullable<CallRecord["resume"]>,
  beside: Beside,
): CallSnapshot => {
  switch (resume._tag) {
    case "Ask":
      return waiting(record, resume.question, beside)
    case "Run":
      return running(record, beside, {})
    case "Fail":
      return running(record, beside, { begun: true })
    case "Clean":
      return ending(record, resume.part, resume.then, beside, {})
  }
}

const isMidway = ({ more }: CallRecord, question: Question): boolean =>
  more || (question.kind === "delegate" && question.midway)

const head = (record: CallRecord, state: CallSnapshot["state"]): CallSnapshot => {
  const { call, edited, remember, approval, decidedBy, refusal } = record
  return {
    version,
    state,
    call,
    ...(edited && { edited }),
    ...(remember !== false && { remember }),
    ...(approval !== undefined && { approval }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(refusal !== undefined && { refusal }),
  }
}

const queued = (record: CallRecord): CallSnapshot => {
  const { started, decided, cleanupErrors } = record
  if (!started) return head(record, "queued")
  const again = {
    decided,
    announced: announcedOf(record),
    ...(cleanupErrors !== undefined && { cleanupErrors }),
  }
  return { ...head(record, "queued"), again }
}

const waiting = (record: CallRecord, question: Question, beside: Beside): CallSnapshot => ({
  ...head(record, "waiting"),
  standing: {
    question: writeQuestion(question),
    ...standingOf(record, beside),
    ...(beside.streamed !== "" && { streamed: beside.streamed }),
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
    then: withoutCause(then),
    ...(part < record.finals.length && { part }),
    ...(beside.streamed !== "" && { streamed: beside.streamed }),
  },
})

/** A cause is the host's, and no data. */
const withoutCause = (then: Then): Then => {
  if (then._tag === "Restart" || then.outcome._tag !== "Error") return then
  const { cause: _cause, ...outcome } = then.outcome
  return { _tag: "End", outcome }
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
    ...(output !== undefined && (settled !== undefined || output !== action?.output) && { output }),
    ...(memory !== undefined && { memory }),
    ...(resolution !== undefined && { resolution }),
    passed,
    decided,
    announced: announcedOf(record),
    ...(cleanupErrors !== undefined && { cleanupErrors }),
    ...(timeLeft !== undefined && { timeLeft }),
    ...(action !== undefined && { action: stagedSnapshot(call.callId, action) }),
    ...(settled !== undefined && { settled: true }),
    ...(resolved !== undefined && { resolved }),
    ...(traceParent !== undefined && { traceParent }),
    ...(staged !== undefined && { staged }),
  }
}

const writeQuestion = (question: Question): QuestionSnapshot => {
  if (question.kind === "approval") {
    const { label, person, because, put } = question
    return {
      kind: "approval",
      ...(label !== undefined && { label }),
      ...(person && { person }),
      ...(because !== undefined && { because }),
      ...(!put && { undecided: true }),
    }
  }
  const { effect, timeout } = question
  return { kind: "delegate", effect, ...(timeout !== undefined && { timeout }) }
}

/** The call goes on without it: an effect that is no JSON, which only this process can answer, is left out. */
const askingOf = (question: Question): Pick<StandingSnapshot, "asking"> => {
  try {
    return { asking: JSON.parse(JSON.stringify(writeQuestion(question))) as QuestionSnapshot }
  } catch {
    return {}
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
  return {
    actionId,
    label,
    sourceToolName,
    ...(details !== undefined && { details }),
    source,
    staging: { call: staging.call, at: staging.at },
    ...(output !== undefined && { output }),
    ...(memory !== undefined && { memory }),
    shape: staging.shape,
  }
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
