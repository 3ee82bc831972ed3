/**
 * Writes snapshots of calls: of a call at rest for `ToolExecutor.snapshot`, and of a call in any state for a journal. Every snapshot
 * is converted to JSON text, which omits undefined properties.
 */

import type { Mutable } from "../model/mutable.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Call } from "../pipeline/call/call.ts"
import { endWith, isPreview } from "../pipeline/call/running.ts"
import { type Question, queued, running, type StateOf, type Then } from "../pipeline/call/state.ts"
import { messageOf } from "../text/message-of.ts"
import {
  type CallSnapshot,
  type StagedSnapshot,
  shapeOf,
  storedFields,
  snapshotVersion as version,
} from "./snapshot.ts"

/** The facts about a call that only a journal knows. */
export interface JournalNotes {
  /** Whether the next handler has started, and so must not run again after a restart. */
  readonly begun: boolean
  /** The number of the attempt that has begun, or may have begun. */
  readonly attempts: number
  /** Whether `Started` and `BackgroundStarted` are stored. */
  readonly toldStarted: boolean
  readonly toldBackground: boolean
  /** When the open question was asked, in epoch milliseconds. */
  readonly askedAt: number | undefined
  readonly createdAt: number
}

/** The snapshot of a call at rest. Throws an Error that gives the reason if the call is not at rest or holds data that is not JSON. */
export const writeCall = (call: Call): CallSnapshot => {
  const { toolCall, state, parts, at, resume } = call
  const { callId } = toolCall
  if (state._tag === "Asking") {
    if (isMidway(call, state.question) || (state.question.kind === "delegate" && !state.question.isAsked)) {
      throw new Error(
        `Call "${callId}" is not at rest: its handler \`${parts[at]?.name}\` is in the middle of its work`,
      )
    }
    return plain(callId, snapshotOf(call, state))
  }
  if (state._tag === "Queued" && resume?._tag === "Asking") return plain(callId, snapshotOf(call, resume))
  if (state._tag === "Queued" || state._tag === "Held") return plain(callId, snapshotOf(call, queued))
  throw new Error(`Call "${callId}" is not at rest: it can be written down while it is queued or waits`)
}

/**
 * The snapshot of a call in any state, as JSON text. A running handler without `begun` is stored as one that has not run yet. Throws
 * for data that is not JSON.
 */
export const writeMoving = (call: Call, notes: JournalNotes): string => {
  const { toldStarted, toldBackground, createdAt, askedAt, attempts } = notes
  const snapshot = { ...moving(call, notes), createdAt, askedAt, attempts: attempts || undefined }
  // An event that is not stored yet has to be emitted by the next process.
  snapshot.started = toldStarted || undefined
  if (call.announced === "yes" && !toldBackground) snapshot.announced = "due"
  return textOf(call.toolCall.callId, snapshot)
}

const moving = (call: Call, notes: JournalNotes): Mutable<CallSnapshot> => {
  const { state, resume } = call
  const begun = notes.begun || undefined
  switch (state._tag) {
    case "Queued":
      // A restored call that has not had its turn yet is still in its stored state.
      if (resume?._tag === "Fail") {
        return { ...snapshotOf(call, running), begun: resume.reason === "poisoned" ? undefined : true }
      }
      return snapshotOf(call, resume ?? queued)
    case "Held":
    case "Preparing":
    case "Limited":
      return snapshotOf(call, queued)
    case "Asking": {
      const { question } = state
      if (!isMidway(call, question)) return snapshotOf(call, state)
      return { ...snapshotOf(call, running), begun, asking: askingOf(question) }
    }
    case "Running":
      return { ...snapshotOf(call, running), begun }
    case "Stopping": {
      const snapshot = snapshotOf(call, cleaning(0, state.then))
      // The interrupted handler ends with its process, so the action that it applied is pending again.
      if (call.action !== undefined) snapshot.action = undefined
      return snapshot
    }
    case "Cleaning":
      return { ...snapshotOf(call, cleaning(state.part, state.then)), begun }
    case "Ended":
      if (!call.started) return refused(call, call.outcome!)
      return snapshotOf(call, cleaning(call.finals.length, endWith(call.outcome!)))
    case "Judging":
      return snapshotOf(call, cleaning(call.finals.length, endWith(call.outcome!)))
  }
}

const cleaning = (part: number, then: Then): StateOf<"Cleaning"> => ({
  _tag: "Cleaning",
  part,
  then: then._tag === "End" ? endWith(withoutCause(then.outcome)) : then,
  question: undefined,
})

/** Whether a handler asks the question in the middle of its work. */
export const isMidway = ({ more }: Call, question: Question): boolean =>
  more || (question.kind === "delegate" && question.midway)

/** A call that was denied or failed before it started. The journal has not stored its end yet. */
const refused = (call: Call, outcome: Outcome): CallSnapshot => ({
  ...snapshotOf(call, queued),
  call: { ...call.toolCall, decision: "deny" },
  refusal: withoutCause(outcome) as Stopped,
})

/** An Error's cause, which is for the host's logs only, can be any value, and may not be JSON. */
const withoutCause = (outcome: Outcome): Outcome => {
  if (outcome._tag !== "Error") return outcome
  const { cause: _cause, ...rest } = outcome
  return rest
}

const snapshotOf = (
  call: Call,
  state: Exclude<CallSnapshot["state"], { _tag: "Staged" }>,
): Mutable<CallSnapshot> => {
  const { toolCall } = call
  const data: Record<string, unknown> = {}
  for (const field of storedFields) {
    const value = call[field]
    // The first value of each field is undefined, 0 or false.
    if (value) data[field] = value
  }
  const snapshot: Mutable<CallSnapshot> = { version, call: toolCall, state, ...data }
  if (state._tag === "Queued") return snapshot
  const { links, timer, earlier, span, stream, parts, finals } = call
  const action = call.action ?? links.settled
  // The action stores its own preview: only an output that was produced since is stored here.
  if (links.settled === undefined && call.output === action?.output) snapshot.output = undefined
  snapshot.previewed = isPreview(call) || undefined
  if (state._tag !== "Cleaning" || state.part < finals.length) snapshot.shape = shapeOf(parts)
  if (action === undefined) snapshot.toolVersion = call.tool?.version
  snapshot.timeLeft = timer === undefined ? earlier?.timeLeft : timer.timeLeft
  snapshot.action = action && stagedSnapshot(toolCall.callId, action)
  snapshot.settled = links.settled && true
  snapshot.traceParent = span?.traceParent ?? earlier?.traceParent
  snapshot.staged = links.staged
  // A handler that runs again streams its text again.
  if (state._tag !== "Running") snapshot.streamed = stream?.transcript.toString() || undefined
  return snapshot
}

/** The question that a running handler asks; undefined for an effect that is not JSON, which only this process can answer. */
const askingOf = (question: Question): Question | undefined => {
  try {
    return JSON.parse(JSON.stringify(question)) as Question
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
  return textOf(action.actionId, {
    version,
    call: staged.staging.call,
    state: { _tag: "Staged" },
    action: staged,
  })
}

const stagedSnapshot = (id: string, action: StagedAction): StagedSnapshot => {
  const { actionId, label, sourceToolName, details, source, staging, output, memory } = action
  if (staging === undefined) {
    throw new Error(
      `"${id}" cannot be written down: the action "${label}" was pushed with functions, which are no data`,
    )
  }
  const { call, at, shape, toolVersion, traceParent } = staging
  const staged = {
    actionId,
    label,
    sourceToolName,
    details,
    source,
    staging: { call, at, traceParent },
    output,
    memory,
  }
  return { ...staged, shape, toolVersion }
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
