/** Restores a call from its snapshot. Throws an Error if the call's tool is missing or composes a different pipeline. */

import type { ToolCall } from "../model/call.ts"
import type { ErrorReason } from "../model/event.ts"
import { failed, type Stopped } from "../model/outcome.ts"
import { finallyPartsOf, type PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import { settledEvent } from "../pipeline/actions/action-events.ts"
import { actFor } from "../pipeline/call/acting.ts"
import type { Call } from "../pipeline/call/call.ts"
import { endWith } from "../pipeline/call/running.ts"
import { type Question, type Resume, running, type StateOf, type Then } from "../pipeline/call/state.ts"
import { CallStream } from "../pipeline/context/stream.ts"
import { readChoice } from "../pipeline/questions/answers.ts"
import { shareReason } from "../pipeline/questions/ruling.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import { messageOf } from "../text/message-of.ts"
import { type CallSnapshot, type StagedSnapshot, shapeOf, storedFields } from "./snapshot.ts"

type Parts = ReadonlyArray<PipelinePart<unknown>>

/** Looks up a tool by name, in this version if it exists; undefined if no tool of that name is registered. */
export type ToolOf = (name: string, version?: string) => Tool<unknown> | undefined

/** The part of a snapshot that identifies a pipeline. */
type StoredPlan = Pick<StagedSnapshot, "shape" | "toolVersion">

/** How many processes may end while the handler of a part runs. */
type MaxAttempts = (part: PipelinePart<unknown> | undefined) => number

/**
 * Fills a new call from a snapshot, so that the call continues where it stopped once it has its turn.
 */
export const readCall = (
  call: Call,
  snapshot: CallSnapshot,
  toolOf: ToolOf,
  maxAttempts: MaxAttempts,
): void => {
  readData(call, snapshot)
  const { state, shape } = snapshot
  if (state._tag === "Queued" || state._tag === "Staged") return
  // A call that only has to emit its result needs no pipeline.
  if (shape !== undefined) readParts(call, snapshot, shape, toolOf)
  call.output ??= call.action?.output
  if (snapshot.previewed === true) call.preview = call.output
  call.resume = readResume(call, state, snapshot, toolOf, maxAttempts)
}

const readData = (call: Call, snapshot: CallSnapshot): void => {
  for (const field of storedFields) {
    const value = snapshot[field]
    if (value !== undefined) Object.assign(call, { [field]: value })
  }
  call.remember = readChoice(snapshot.remember)
  if (call.cleanupErrors !== undefined) call.cleanupErrors = [...call.cleanupErrors]
  if (snapshot.staged !== undefined) call.links = { ...call.links, staged: snapshot.staged }
}

/** Reads the past of a restored call: its times, its trace and its streamed text. `now`: epoch milliseconds. */
export const readPast = (call: Call, snapshot: CallSnapshot, now: number): void => {
  const { state, askedAt, timeLeft, traceParent, streamed, settled, action } = snapshot
  if (state._tag === "Queued") return
  if (settled === true && action !== undefined) call.resolved ??= settledEvent(call.toolCall, action)
  // Its question was asked before.
  call.told = call.asked
  const isAtGate = state._tag === "Asking" && state.question.kind === "approval"
  call.earlier = {
    asked: call.asked,
    waited: askedAt === undefined || !isAtGate ? 0 : Math.max(0, now - askedAt),
    timeLeft,
    receipts: [...(call.receipts?.given ?? [])],
    traceParent: typeof traceParent === "string" ? traceParent : undefined,
  }
  if (streamed === undefined) return
  call.stream = new CallStream(call)
  call.stream.transcript.append(streamed)
}

const readParts = (call: Call, snapshot: CallSnapshot, shape: string, toolOf: ToolOf): void => {
  const { toolCall } = call
  const { state, settled, staged } = snapshot
  const action = snapshot.action && readStaged(snapshot.action, toolOf)
  if (action === undefined) {
    call.parts = composed(toolCall, { shape, toolVersion: snapshot.toolVersion }, toolOf)
    call.finals = staged === undefined ? finallyPartsOf(call.parts) : []
  } else {
    const resolving = toolCall.params as ResolveParams
    actFor(call, action, resolving)
    call.parts = resolvingParts(action, resolving)
    if (settled === true) {
      call.links = { ...call.links, settled: action }
      call.finals = action.finals
    } else call.action = action
    if (shapeOf(call.parts) !== shape) throw changed(toolCall.callId, action.source.name)
  }
  const isThere = state._tag === "Cleaning" ? state.part < call.finals.length : call.at < call.parts.length
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

/** The message for a handler during which several processes ended, perhaps because of the handler. */
const poisoned = (name: string, attempts: number): string =>
  `Poisoned: ${attempts} processes ended while ${name} ran, so it does not run again. It may have run, wholly or in part: look before you call it again.`

const partName = ({ parts, at }: Call): string => parts[at]!.name

const failWith = (reason: ErrorReason, message: string): Resume => ({ _tag: "Fail", message, reason })

const readResume = (
  call: Call,
  state: StateOf<"Asking" | "Running" | "Cleaning">,
  { shape, begun }: CallSnapshot,
  toolOf: ToolOf,
  maxAttempts: MaxAttempts,
): Resume => {
  switch (state._tag) {
    case "Cleaning":
      return cleanFrom(
        call,
        shape === undefined ? 0 : state.part,
        isOver(call, begun, maxAttempts(call.finals[state.part])),
        state.then,
      )
    case "Asking":
      return { _tag: "Asking", question: readQuestion(state.question, toolOf(call.subject.name)) }
    case "Running":
      if (begun === true) return failWith("failed", interrupted(partName(call)))
      if (call.attempts >= maxAttempts(call.parts[call.at]))
        return failWith("poisoned", poisoned(partName(call), call.attempts))
      return running
  }
}

/** Whether the finally handler that was next must not run again. */
const isOver = ({ attempts }: Call, begun: boolean | undefined, maxAttempts: number): boolean =>
  begun === true || attempts >= maxAttempts

/** `over`: the finally handler `part` had started, and must not run again. */
const cleanFrom = (call: Call, part: number, over: boolean, then: Then): Resume => {
  const next = call.finals[part]
  if (!over || next === undefined) return { _tag: "Cleaning", part, then, question: undefined }
  const { name } = next
  noteUncleaned(call, `${name}: ${call.attempts > 1 ? poisoned(name, call.attempts) : interrupted(name)}`)
  call.attempts = 0
  return { _tag: "Cleaning", part: part + 1, then, question: undefined }
}

const noteUncleaned = (call: Call, message: string): void => {
  call.cleanupErrors ??= []
  call.cleanupErrors.push(message)
}

/** JSON has no `Infinity`, so a question without a time limit is stored as null. */
const storedLimit = <Limit>(limit: Limit): Limit | number =>
  (limit as unknown) === null ? Number.POSITIVE_INFINITY : limit

/** Copies the question, because the call changes it, and the snapshot belongs to a host or a store. */
const readQuestion = (question: Question, tool: Tool<unknown> | undefined): Question => {
  if (question.kind === "delegate") return { ...question, timeout: storedLimit(question.timeout) }
  const { terms, because } = question
  const asked = { ...question, because: shareReason(tool, because) }
  return terms?.timeout === undefined
    ? asked
    : { ...asked, terms: { ...terms, timeout: storedLimit(terms.timeout) } }
}

/**
 * Fills a new call from a snapshot that cannot be continued. The call runs its finally handlers, if its pipeline still has the same
 * ones, and ends as an Error with this message. If its outcome had already been decided, it ends with that outcome.
 */
export const readLost = (
  call: Call,
  snapshot: CallSnapshot,
  message: string,
  toolOf: ToolOf,
  maxAttempts: MaxAttempts,
): void => {
  const { state, started } = snapshot
  const outcome = failed("failed", message)
  readData(call, snapshot)
  if (state._tag === "Queued" && started !== true) {
    call.toolCall.decision = "deny"
    call.refusal = outcome
    return
  }
  const then = state._tag === "Cleaning" ? state.then : undefined
  if (state._tag !== "Cleaning") call.attempts = 0
  if (then?._tag !== "End") call.output = undefined
  else if (snapshot.previewed === true) call.preview = call.output
  call.resume = lostResume(call, snapshot, then, outcome, toolOf, maxAttempts)
}

const lostResume = (
  call: Call,
  { state, begun, action, staged, shape = "" }: CallSnapshot,
  then: Then | undefined,
  outcome: Stopped,
  toolOf: ToolOf,
  maxAttempts: MaxAttempts,
): Resume => {
  if (action === undefined && staged === undefined) call.finals = sameFinals(call.toolCall, shape, toolOf)
  // The only parts left of the plan, so that another process can continue the cleanup.
  call.parts = call.finals
  const from = state._tag === "Cleaning" ? Math.min(state.part, call.finals.length) : 0
  const over = then !== undefined && isOver(call, begun, maxAttempts(call.finals[from]))
  if (then?._tag !== "End") return cleanFrom(call, from, over, endWith(outcome))
  if (call.finals.length === 0) noteUncleaned(call, outcome.message)
  return cleanFrom(call, from, over, then)
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
export const readStaged = (
  { shape, toolVersion, ...staged }: StagedSnapshot,
  toolOf: ToolOf,
): StagedAction => {
  const { staging } = staged
  const parts = composed(staging.call, { shape, toolVersion }, toolOf)
  const gate = parts[staging.at - 1]
  if (gate?.kind !== "resolve") throw changed(staging.call.callId, staging.call.name)
  return {
    ...staged,
    staging: { ...staging, shape, toolVersion },
    output: staged.output,
    memory: staged.memory,
    rest: parts.slice(staging.at),
    onDiscard: gate.onDiscard,
    finals: finallyPartsOf(parts),
  }
}

const composed = (call: ToolCall, { shape, toolVersion }: StoredPlan, toolOf: ToolOf): Parts => {
  const { callId, name, params } = call
  const tool = toolOf(name, toolVersion)
  if (tool === undefined) {
    throw new Error(`Cannot restore "${callId}": there is no tool "${name}" any more. Register it first`)
  }
  if (toolVersion !== undefined && tool.version !== toolVersion) {
    throw new Error(
      `Cannot restore "${callId}": it was written down with version ${toolVersion} of tool "${name}", which is gone. Register it beside the present one, or run the call anew`,
    )
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
