/** Restores a call from its snapshot. Throws an Error if the call's tool is missing or composes a different pipeline. */
import type { ResolveParams } from "../../resolve/definition.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ToolCall } from "../model/call.ts"
import { failed, type Stopped } from "../model/outcome.ts"
import { finallyPartsOf, type PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import { settledEvent } from "./action-events.ts"
import { readChoice } from "./answers.ts"
import type { Call } from "./call.ts"
import { shareReason } from "./ruling.ts"
import { actFor, endWith } from "./running.ts"
import {
  type CallSnapshot,
  type QuestionSnapshot,
  type StagedSnapshot,
  type StandingSnapshot,
  shapeOf,
} from "./snapshot.ts"
import type { Question, Resume, Then } from "./state.ts"
import { CallStream } from "./stream.ts"

type Parts = ReadonlyArray<PipelinePart<unknown>>

/** Looks up a tool by name; undefined if the tool is no longer registered. */
export type ToolOf = (name: string) => Tool<unknown> | undefined

/** Fills a new call from a snapshot, so that the call continues where it stood once it has its turn. */
export const readCall = (call: Call, snapshot: CallSnapshot, toolOf: ToolOf): void => {
  call.edited = snapshot.edited === true
  call.remember = readChoice(snapshot.remember)
  call.approval = snapshot.approval
  call.decidedBy = snapshot.decidedBy
  call.refusal = snapshot.refusal
  const { standing, again } = snapshot
  if (again !== undefined) {
    call.started = true
    call.decided = again.decided
    readHostKnowledge(call, again)
  }
  if (standing === undefined) return
  readHostKnowledge(call, standing)
  call.started = standing.untold !== true
  call.at = standing.at
  call.memory = standing.memory
  call.resolution = standing.resolution
  call.passed = standing.passed
  call.decided = standing.decided
  if (standing.staged !== undefined) call.links = { ...call.links, staged: standing.staged }
  // A call that only has to emit its result needs no pipeline.
  if (standing.then === undefined || standing.part !== undefined) readParts(call, standing, toolOf)
  call.output = standing.output ?? call.action?.output
  if (standing.previewed === true) call.preview = call.output
  call.asked = 1
  call.resume = readResume(call, standing, toolOf)
}

/** Reads the past of a restored call: its times, its trace and its streamed text. `now`: epoch milliseconds. */
export const readPast = (call: Call, { standing, startedAt }: CallSnapshot, now: number): void => {
  call.startedAt = startedAt
  if (standing === undefined) return
  const { question, askedAt, timeLeft, traceParent, streamed } = standing
  call.resolved = standing.resolved
  if (standing.settled === true && standing.action !== undefined)
    call.resolved ??= settledEvent(call.toolCall, standing.action)
  call.earlier = {
    waited: askedAt === undefined || question?.kind !== "approval" ? 0 : Math.max(0, now - askedAt),
    timeLeft,
    traceParent: typeof traceParent === "string" ? traceParent : undefined,
  }
  if (streamed === undefined) return
  call.stream = new CallStream(call.toolCall)
  call.stream.transcript.append(streamed)
}

/** Reads what the host already knows of the call. */
const readHostKnowledge = (
  call: Call,
  { announced, cleanupErrors }: Pick<StandingSnapshot, "announced" | "cleanupErrors">,
): void => {
  call.announced = announced === "due" ? "due" : announced ? "yes" : "no"
  call.cleanupErrors = cleanupErrors === undefined ? undefined : [...cleanupErrors]
}

const readParts = (call: Call, standing: StandingSnapshot, toolOf: ToolOf): void => {
  const { toolCall } = call
  const { at, shape, part } = standing
  const action = standing.action && readStaged(standing.action, toolOf)
  if (action === undefined) {
    call.parts = composed(toolCall, shape, toolOf)
    call.finals = standing.staged === undefined ? finallyPartsOf(call.parts) : []
  } else {
    const resolving = toolCall.params as ResolveParams
    actFor(call, action, resolving)
    call.parts = resolvingParts(action, resolving)
    if (standing.settled === true) {
      call.links = { ...call.links, settled: action }
      call.finals = action.finals
    } else call.action = action
    if (shapeOf(call.parts) !== shape) throw changed(toolCall.callId, action.source.name)
  }
  const isThere = part === undefined ? at < call.parts.length : part < call.finals.length
  if (!isThere) throw changed(toolCall.callId, toolCall.name)
}

/** The parts that a call of `resolve` runs for the action that it claimed. */
export const resolvingParts = (
  { rest, onDiscard }: StagedAction,
  { action }: Pick<ResolveParams, "action">,
): Parts => {
  if (action === "apply") return rest
  return onDiscard === undefined ? [] : [{ kind: "handler", name: onDiscard.name, handler: onDiscard }]
}

/** The message for a handler that had started, and must not run twice because its work may already be done. */
const interrupted = (name: string): string =>
  `Interrupted: the process ended while ${name} ran. It may have run, wholly or in part: look before you call it again.`

const readResume = (call: Call, standing: StandingSnapshot, toolOf: ToolOf): Resume => {
  const { question, then, part, begun } = standing
  if (then !== undefined) return cleanFrom(call, part ?? call.finals.length, begun, then)
  if (question !== undefined)
    return { _tag: "Ask", question: readQuestion(question, toolOf(call.subject.name)) }
  if (begun !== true) return { _tag: "Run" }
  return { _tag: "Fail", message: interrupted(call.parts[call.at]!.name) }
}

/** `begun`: the finally handler `part` had started, and must not run twice. */
const cleanFrom = (call: Call, part: number, begun: boolean | undefined, then: Then): Resume => {
  const next = call.finals[part]
  if (begun !== true || next === undefined) return { _tag: "Clean", part, then }
  noteUncleaned(call, `${next.name}: ${interrupted(next.name)}`)
  return { _tag: "Clean", part: part + 1, then }
}

const noteUncleaned = (call: Call, message: string): void => {
  call.cleanupErrors ??= []
  call.cleanupErrors.push(message)
}

const readQuestion = (question: QuestionSnapshot, tool: Tool<unknown> | undefined): Question =>
  question.kind === "approval"
    ? {
        kind: "approval",
        id: 1,
        label: question.label,
        person: question.person === true,
        isAsked: question.undecided !== true,
        because: shareReason(tool, question.because),
      }
    : {
        kind: "delegate",
        id: 1,
        effect: question.effect,
        // JSON has no `Infinity`, so a question without a time limit is stored as null.
        timeout: (question.timeout as unknown) === null ? Number.POSITIVE_INFINITY : question.timeout,
        midway: false,
        isAsked: false,
      }

/**
 * Fills a new call from a snapshot that cannot be continued. The call runs its finally handlers, if its pipeline still has the same
 * ones, and ends as an Error with this message. If its outcome had already been decided, it ends with that outcome.
 */
export const readLost = (call: Call, snapshot: CallSnapshot, message: string, toolOf: ToolOf): void => {
  const { standing, again } = snapshot
  const outcome = failed("failed", message)
  const known = standing ?? again
  call.edited = snapshot.edited === true
  if (known === undefined) {
    call.toolCall.decision = "deny"
    call.refusal = outcome
    return
  }
  readHostKnowledge(call, known)
  call.started = standing?.untold !== true
  call.decidedBy = snapshot.decidedBy
  call.resume =
    standing === undefined
      ? { _tag: "Clean", part: 0, then: endWith(outcome) }
      : lostResume(call, standing, outcome, toolOf)
}

const lostResume = (
  call: Call,
  { then, part = 0, begun, action, staged, output, previewed, shape }: StandingSnapshot,
  outcome: Stopped,
  toolOf: ToolOf,
): Resume => {
  if (action === undefined && staged === undefined) call.finals = sameFinals(call.toolCall, shape, toolOf)
  const from = Math.min(part, call.finals.length)
  if (then?._tag !== "End") return cleanFrom(call, from, then && begun, endWith(outcome))
  call.output = output
  if (previewed === true) call.preview = output
  if (staged !== undefined) call.links = { ...call.links, staged }
  if (call.finals.length === 0) noteUncleaned(call, outcome.message)
  return cleanFrom(call, from, begun, then)
}

const finalsIn = (shape: string): string =>
  shape
    .split(", ")
    .filter((part) => part.startsWith("finally "))
    .join(", ")

const sameFinals = (call: ToolCall, shape: string, toolOf: ToolOf): Call["finals"] => {
  try {
    const finals = finallyPartsOf(toolOf(call.name)!.compose(call.params, call).steps)
    return shapeOf(finals) === finalsIn(shape) ? finals : []
  } catch {
    return []
  }
}

/** Restores a pending action. Throws an Error if its tool is missing or composes a different pipeline. */
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
