/**
 * Writes snapshots of calls: of a call at rest for `ToolExecutor.snapshot`, and of a call in any state for a journal. Every snapshot
 * is converted to JSON text, which omits undefined properties.
 */

import { messageOf } from "../../text/message-of.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Call } from "./call.ts"
import { endWith, isPreview, produced } from "./running.ts"
import {
  type CallSnapshot,
  type QuestionSnapshot,
  type StagedSnapshot,
  type StandingSnapshot,
  shapeOf,
  snapshotVersion as version,
} from "./snapshot.ts"
import type { Question, Then } from "./state.ts"

/** The facts about a call that only a journal knows. */
export interface JournalNotes {
  /** Whether the next handler has started, and so must not run again after a restart. */
  readonly begun: boolean
  /** Whether `Started` and `BackgroundStarted` are stored. */
  readonly toldStarted: boolean
  readonly toldBackground: boolean
  /** When the open question was asked, in epoch milliseconds. */
  readonly askedAt: number | undefined
  readonly createdAt: number
  readonly startedAt: number | undefined
}

/** The snapshot of a call at rest. Throws an Error that gives the reason if the call is not at rest or holds data that is not JSON. */
export const writeCall = (call: Call): CallSnapshot => {
  const { toolCall, state, parts, at } = call
  if (state._tag === "Asking") {
    if (isMidway(call, state.question) || (state.question.kind === "delegate" && !state.question.isAsked)) {
      throw new Error(
        `Call "${toolCall.callId}" is not at rest: its handler \`${parts[at]?.name}\` is in the middle of its work`,
      )
    }
    return plain(toolCall.callId, waiting(call, state.question))
  }
  if (state._tag === "Queued" && call.resume?._tag === "Ask")
    return plain(toolCall.callId, waiting(call, call.resume.question))
  if (state._tag === "Queued" || state._tag === "Held") return plain(toolCall.callId, queued(call))
  throw new Error(
    `Call "${toolCall.callId}" is not at rest: it can be written down while it is queued or waits`,
  )
}

/**
 * The snapshot of a call in any state, as JSON text. A running handler without `begun` is stored as one that has not run yet. Throws
 * for data that is not JSON.
 */
export const writeMoving = (call: Call, notes: JournalNotes): string => {
  const { createdAt, startedAt } = notes
  // An event that is not stored yet has to be emitted by the next process.
  const isUntold = call.announced === "yes" && !notes.toldBackground
  const known: Call = isUntold ? { ...call, announced: "due" } : call
  return textOf(call.toolCall.callId, { ...moving(known, notes), createdAt, startedAt })
}

const moving = (call: Call, notes: JournalNotes): CallSnapshot => {
  const { state, resume } = call
  const { askedAt } = notes
  const told = { untold: !notes.toldStarted || undefined }
  const work = { ...told, begun: notes.begun || undefined }
  switch (state._tag) {
    case "Queued":
      return resume === undefined ? queued(call) : resuming(call, resume, told, askedAt)
    case "Held":
    case "Preparing":
      return queued(call)
    case "Asking": {
      const { question } = state
      if (isMidway(call, question)) return running(call, { ...work, askedAt, asking: askingOf(question) })
      return waiting(call, question, { ...told, askedAt })
    }
    case "Running":
      return running(call, work)
    case "Stopping":
      // The interrupted handler ends with its process, so the action that it applied is pending again.
      return ending({ ...call, output: produced(call), action: undefined }, 0, state.then, told)
    case "Cleaning":
      return ending(call, state.part, state.then, work)
    case "Judging":
      return ending(call, call.finals.length, endWith(call.outcome!), told)
    case "Ended":
      if (!call.started) return refused(call, call.outcome!)
      return ending(call, call.finals.length, endWith(call.outcome!), told)
  }
}

/** The snapshot of a restored call that has not had its turn yet. */
const resuming = (
  call: Call,
  resume: NonNullable<Call["resume"]>,
  told: Pick<StandingSnapshot, "untold">,
  askedAt: number | undefined,
): CallSnapshot => {
  switch (resume._tag) {
    case "Ask":
      return waiting(call, resume.question, { ...told, askedAt })
    case "Run":
      return running(call, told)
    case "Fail":
      return running(call, { ...told, begun: true })
    case "Clean":
      return ending(call, resume.part, resume.then, told)
  }
}

const isMidway = ({ more }: Call, question: Question): boolean =>
  more || (question.kind === "delegate" && question.midway)

const head = (call: Call, state: CallSnapshot["state"]): CallSnapshot => {
  const { toolCall, approval, decidedBy, refusal } = call
  const edited = call.edited || undefined
  const remember = call.remember || undefined
  return { version, state, call: toolCall, edited, remember, approval, decidedBy, refusal }
}

const queued = (call: Call): CallSnapshot => {
  const { started, decided, cleanupErrors } = call
  if (!started) return head(call, "queued")
  return { ...head(call, "queued"), again: { decided, announced: announcedOf(call), cleanupErrors } }
}

/** The snapshot of a call that ended before it started: only its end has to be emitted. */
const refused = (call: Call, outcome: Outcome): CallSnapshot => ({
  ...head(call, "queued"),
  call: { ...call.toolCall, decision: "deny" },
  refusal: withoutCause(outcome) as Stopped,
})

const waiting = (
  call: Call,
  question: Question,
  notes: Pick<StandingSnapshot, "untold" | "askedAt"> = {},
): CallSnapshot => ({
  ...head(call, "waiting"),
  standing: {
    question: writeQuestion(question),
    ...standingOf(call),
    streamed: streamedBy(call),
    ...notes,
  },
})

/** The streamed text is not stored: the handler streams it again when it runs again. */
const running = (
  call: Call,
  notes: Pick<StandingSnapshot, "untold" | "begun" | "asking" | "askedAt">,
): CallSnapshot => ({ ...head(call, "running"), standing: { ...standingOf(call), ...notes } })

const ending = (
  call: Call,
  part: number,
  then: Then,
  notes: Pick<StandingSnapshot, "untold" | "begun">,
): CallSnapshot => ({
  ...head(call, "ending"),
  standing: {
    ...standingOf(call),
    ...notes,
    then: then._tag === "End" ? endWith(withoutCause(then.outcome)) : then,
    part: part < call.finals.length ? part : undefined,
    streamed: streamedBy(call),
  },
})

/** An Error's cause is any value, for the host's logs only, and may not be JSON. */
const withoutCause = (outcome: Outcome): Outcome => {
  if (outcome._tag !== "Error") return outcome
  const { cause: _cause, ...rest } = outcome
  return rest
}

const streamedBy = ({ stream }: Call): string | undefined => stream?.transcript.toString() || undefined

const announcedOf = ({ announced }: Call): StandingSnapshot["announced"] =>
  announced === "due" ? "due" : announced === "yes"

const standingOf = (call: Call): StandingSnapshot => {
  const {
    toolCall,
    timer,
    earlier,
    span,
    resolved,
    at,
    parts,
    output,
    memory,
    resolution,
    passed,
    decided,
    cleanupErrors,
    links,
  } = call
  const { settled, staged } = links
  const action = call.action ?? settled
  return {
    at,
    shape: shapeOf(parts),
    // The action stores its own preview: only an output that was produced since is stored here.
    output: settled === undefined && output === action?.output ? undefined : output,
    previewed: isPreview(call) || undefined,
    memory,
    resolution,
    passed,
    decided,
    announced: announcedOf(call),
    cleanupErrors,
    timeLeft: timer === undefined ? earlier?.timeLeft : timer.timeLeft,
    action: action && stagedSnapshot(toolCall.callId, action),
    settled: settled && true,
    resolved,
    traceParent: span?.traceParent ?? earlier?.traceParent,
    staged,
  }
}

const writeQuestion = (question: Question): QuestionSnapshot => {
  if (question.kind === "approval") {
    const { label, person, because, isAsked } = question
    return { kind: "approval", label, person: person || undefined, because, undecided: !isAsked || undefined }
  }
  const { effect, timeout } = question
  return { kind: "delegate", effect, timeout }
}

/** The question that a running handler asks; undefined for an effect that is not JSON, which only this process can answer. */
const askingOf = (question: Question): QuestionSnapshot | undefined => {
  try {
    return JSON.parse(JSON.stringify(writeQuestion(question))) as QuestionSnapshot
  } catch {
    return undefined
  }
}

/** The snapshot of a pending action. Throws an Error for an action that a host or a foreign tool pushed: functions cannot be stored. */
export const writeStaged = (action: StagedAction): CallSnapshot =>
  JSON.parse(writeStagedText(action)) as CallSnapshot

/** The snapshot of a pending action as JSON text. */
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
