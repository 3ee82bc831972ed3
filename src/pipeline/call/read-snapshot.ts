/** Makes the record of a call that goes on as it was written down. Throws an Error where its tool is gone or has changed. */
import type { ResolveParams } from "../../resolve/definition.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ToolCall } from "../model/call.ts"
import { failed, type Stopped } from "../model/outcome.ts"
import { finallyPartsOf, type PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import { readChoice } from "./asking.ts"
import { shareReason } from "./ruling.ts"
import { actFor, endWith } from "./running.ts"
import {
  type CallSnapshot,
  type QuestionSnapshot,
  type StagedSnapshot,
  type StandingSnapshot,
  shapeOf,
} from "./snapshot.ts"
import { type CallRecord, makeRecord, type Question, type Resume, type Then } from "./state.ts"

type Parts = ReadonlyArray<PipelinePart<unknown>>

/** The tool that a name means; undefined where there is none any more. */
export type ToolOf = (name: string) => Tool<unknown> | undefined

/** The record of a call that goes on as it was, once its turn comes. */
export const readCall = ({ call, ...rest }: CallSnapshot, toolOf: ToolOf): CallRecord => {
  const record = makeRecord(call)
  record.edited = rest.edited === true
  record.remember = readChoice(rest.remember)
  record.approval = rest.approval
  record.decidedBy = rest.decidedBy
  record.refusal = rest.refusal
  const { standing, again } = rest
  if (again !== undefined) {
    record.started = true
    record.decided = again.decided
    know(record, again)
  }
  if (standing === undefined) return record
  know(record, standing)
  record.started = standing.untold !== true
  record.at = standing.at
  record.memory = standing.memory
  record.resolution = standing.resolution
  record.passed = standing.passed
  record.decided = standing.decided
  if (standing.staged !== undefined) record.ties = { ...record.ties, staged: standing.staged }
  // A result that is only to be told needs no pipeline any more.
  if (standing.then === undefined || standing.part !== undefined) readParts(record, standing, toolOf)
  record.output = standing.output ?? record.action?.output
  if (standing.previewed === true) record.preview = record.output
  record.asked = 1
  record.resume = readResume(record, standing, toolOf)
  return record
}

/** What its host knows of it. */
const know = (
  record: CallRecord,
  { announced, cleanupErrors }: Pick<StandingSnapshot, "announced" | "cleanupErrors">,
): void => {
  record.announced = announced === "due" ? "due" : announced ? "yes" : "no"
  record.cleanupErrors = cleanupErrors === undefined ? undefined : [...cleanupErrors]
}

const readParts = (record: CallRecord, standing: StandingSnapshot, toolOf: ToolOf): void => {
  const { call } = record
  const { at, shape, part } = standing
  const action = standing.action && readStaged(standing.action, toolOf)
  if (action === undefined) {
    record.parts = composed(call, shape, toolOf)
    record.finals = standing.staged === undefined ? finallyPartsOf(record.parts) : []
  } else {
    const resolving = call.params as ResolveParams
    actFor(record, action, resolving)
    record.parts = resolvingParts(action, resolving)
    if (standing.settled === true) {
      record.ties = { ...record.ties, settled: action }
      record.finals = action.finals
    } else record.action = action
    if (shapeOf(record.parts) !== shape) throw changed(call.callId, action.source.name)
  }
  const isThere = part === undefined ? at < record.parts.length : part < record.finals.length
  if (!isThere) throw changed(call.callId, call.name)
}

/** What a call of `resolve` runs of the action that it took. */
export const resolvingParts = (
  { rest, onDiscard }: StagedAction,
  { action }: Pick<ResolveParams, "action">,
): Parts => {
  if (action === "apply") return rest
  return onDiscard === undefined ? [] : [{ kind: "handler", name: onDiscard.name, handler: onDiscard }]
}

/** What is said of a handler that may have done its work, or a part of it, and must not do it twice. */
const interrupted = (name: string): string =>
  `Interrupted: the process ended while ${name} ran. It may have run, wholly or in part: look before you call it again.`

const readResume = (record: CallRecord, standing: StandingSnapshot, toolOf: ToolOf): Resume => {
  const { question, then, part, begun } = standing
  if (then !== undefined) return cleanFrom(record, part ?? record.finals.length, begun, then)
  if (question !== undefined)
    return { _tag: "Ask", question: readQuestion(question, toolOf(record.subject.name)) }
  if (begun !== true) return { _tag: "Run" }
  return { _tag: "Fail", message: interrupted(record.parts[record.at]!.name) }
}

/** `begun`: the finally handler `part` may have run already, and must not run twice. */
const cleanFrom = (record: CallRecord, part: number, begun: boolean | undefined, then: Then): Resume => {
  const next = record.finals[part]
  if (begun !== true || next === undefined) return { _tag: "Clean", part, then }
  noteUncleaned(record, `${next.name}: ${interrupted(next.name)}`)
  return { _tag: "Clean", part: part + 1, then }
}

const noteUncleaned = (record: CallRecord, message: string): void => {
  record.cleanupErrors ??= []
  record.cleanupErrors.push(message)
}

const readQuestion = (question: QuestionSnapshot, tool: Tool<unknown> | undefined): Question =>
  question.kind === "approval"
    ? {
        kind: "approval",
        id: 1,
        label: question.label,
        person: question.person === true,
        put: question.undecided !== true,
        because: shareReason(tool, question.because),
      }
    : {
        kind: "delegate",
        id: 1,
        effect: question.effect,
        // JSON writes for ever so.
        timeout: (question.timeout as unknown) === null ? Number.POSITIVE_INFINITY : question.timeout,
        midway: false,
        put: false,
      }

/**
 * The record of a call that cannot go on: it ends as an Error with this message, once its finally handlers have run, where they
 * are composed as they were. Where its end was decided before, it ends so.
 */
export const readLost = (snapshot: CallSnapshot, message: string, toolOf: ToolOf): CallRecord => {
  const { call, standing, again } = snapshot
  const record = makeRecord(call)
  const outcome = failed("failed", message)
  const known = standing ?? again
  record.edited = snapshot.edited === true
  if (known === undefined) {
    record.call.decision = "deny"
    record.refusal = outcome
    return record
  }
  know(record, known)
  record.started = standing?.untold !== true
  record.decidedBy = snapshot.decidedBy
  record.resume =
    standing === undefined
      ? { _tag: "Clean", part: 0, then: endWith(outcome) }
      : lostResume(record, standing, outcome, toolOf)
  return record
}

const lostResume = (
  record: CallRecord,
  { then, part = 0, begun, action, staged, output, previewed, shape }: StandingSnapshot,
  outcome: Stopped,
  toolOf: ToolOf,
): Resume => {
  if (action === undefined && staged === undefined) record.finals = sameFinals(record.call, shape, toolOf)
  const from = Math.min(part, record.finals.length)
  if (then?._tag !== "End") return cleanFrom(record, from, then && begun, endWith(outcome))
  record.output = output
  if (previewed === true) record.preview = output
  if (staged !== undefined) record.ties = { ...record.ties, staged }
  if (record.finals.length === 0) noteUncleaned(record, outcome.message)
  return cleanFrom(record, from, begun, then)
}

const finalsIn = (shape: string): string =>
  shape
    .split(", ")
    .filter((part) => part.startsWith("finally "))
    .join(", ")

const sameFinals = (call: ToolCall, shape: string, toolOf: ToolOf): CallRecord["finals"] => {
  try {
    const finals = finallyPartsOf(toolOf(call.name)!.compose(call.params, call).steps)
    return shapeOf(finals) === finalsIn(shape) ? finals : []
  } catch {
    return []
  }
}

/** The pending action as it was. Throws an Error where its tool is gone or its pipeline has changed. */
export const readStaged = ({ shape, ...staged }: StagedSnapshot, toolOf: ToolOf): StagedAction => {
  const { staging } = staged
  const parts = composed(staging.call, shape, toolOf)
  const gate = parts[staging.at - 1]
  if (gate?.kind !== "resolve") throw changed(staging.call.callId, staging.call.name)
  return {
    ...staged,
    staging: { ...staging, shape },
    output: staged.output,
    memory: staged.memory,
    rest: parts.slice(staging.at),
    onDiscard: gate.onDiscard,
    finals: finallyPartsOf(parts),
  }
}

const composed = (call: ToolCall, shape: string, toolOf: ToolOf): Parts => {
  const { callId, name, params } = call
  const tool = toolOf(name)
  if (tool === undefined) {
    throw new Error(`Cannot restore "${callId}": there is no tool "${name}" any more. Register it first`)
  }
  let parts: Parts
  try {
    parts = tool.compose(params, call).steps
  } catch (error) {
    throw new Error(`Cannot restore "${callId}": tool "${name}" failed to compose: ${messageOf(error)}`)
  }
  if (shapeOf(parts) !== shape) throw changed(callId, name)
  return parts
}

const changed = (callId: string, name: string): Error =>
  new Error(
    `Cannot restore "${callId}": the pipeline of tool "${name}" has another shape than when the call was written down. Run the call anew`,
  )
