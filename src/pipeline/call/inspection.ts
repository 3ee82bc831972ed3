/** Descriptions of what a call is doing, for hosts that show calls. */
import type { DecidedBy } from "../../model/decision.ts"
import { describePart, type PartDescription, type PipelinePart } from "../../model/pipeline.ts"
import { afterMark } from "../questions/gate-time.ts"
import { type Call, currentPart } from "./call.ts"
import { type CallState, openQuestion } from "./state.ts"

/** What a call is doing. Plain JSON. */
export interface CallInspection {
  readonly agentId: string
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly name: string
  /** `held`: `requested`, and not decided yet. `waiting`: for its host, or at a limit. `finishing`: being stopped, cleaned up or checked. */
  readonly state: "queued" | "held" | "preparing" | "running" | "waiting" | "finishing"
  readonly background: boolean
  readonly handler?: string
  /** `approval`, `review`, `limit`, `place` (in the background pool), or the tag of the open effect. */
  readonly waitingFor?: string
  /** Why the gate that the call waits at needs a decision, or the limit that the call waits at. */
  readonly because?: string
  /** The party that decided the call's last gate. */
  readonly decidedBy?: DecidedBy
}

/** What a call is doing, and what it will do. Plain JSON. */
export interface CallDetails extends CallInspection {
  /** The parts of the call's pipeline, finally handlers last; empty before the pipeline is composed. */
  readonly plan: ReadonlyArray<PartDescription>
  /** The index of the part that is running or waiting. */
  readonly part?: number
  /** When the call stops waiting for an answer, in epoch milliseconds; absent if the wait has no limit. */
  readonly expiresAt?: number
  /** The id of the call's trace, if a tracer has one. */
  readonly traceId?: string
}

const shown = {
  Queued: "queued",
  Held: "held",
  Preparing: "preparing",
  Limited: "waiting",
  Running: "running",
  Asking: "waiting",
  Stopping: "finishing",
  Cleaning: "finishing",
  Judging: "finishing",
  Ended: "finishing",
} as const satisfies Record<CallState["_tag"], CallInspection["state"]>

/** The entry of `inspect` for one call. */
export const inspectionOf = (call: Call): CallInspection => {
  const { agentId, callId, parentId, name, background } = call.toolCall
  const handler = currentPart(call)?.name
  const waitingFor = waitsFor(call)
  const question = openQuestion(call.state)
  const because = question?.kind === "approval" ? question.because : limitOf(call)
  const { decidedBy } = call
  return {
    agentId,
    callId,
    ...(parentId !== undefined && { parentId }),
    name,
    state: shown[call.state._tag],
    background,
    ...(handler !== undefined && { handler }),
    ...(waitingFor !== undefined && { waitingFor }),
    ...(because !== undefined && { because }),
    ...(decidedBy !== undefined && { decidedBy }),
  }
}

const waitsFor = (call: Call): string | undefined => {
  const question = openQuestion(call.state)
  // The host cannot answer a question that the store has not stored yet.
  const isAsked = question?.id === call.told
  if (question?.kind === "approval") return isAsked ? "approval" : "review"
  if (question !== undefined) return question.effect._tag
  if (call.state._tag === "Held") return "approval"
  if (call.state._tag === "Limited") return "limit"
  return call.place === "asked" ? "place" : undefined
}

const limitOf = ({ state }: Call): string | undefined =>
  state._tag === "Limited" ? state.because : undefined

/** Whether the call is running; a call that waits for the answer to an effect counts as running. */
export const isRunning = ({ state }: Call): boolean =>
  state._tag === "Running" ||
  state._tag === "Preparing" ||
  (state._tag === "Asking" && state.question.kind === "delegate")

const isMain = ({ kind }: PipelinePart<unknown>): boolean => kind !== "finally"

const partOf = ({ state, parts, at }: Call): number | undefined => {
  if (state._tag === "Cleaning") return parts.filter(isMain).length + state.part
  return at < parts.length ? parts.slice(0, at).filter(isMain).length : undefined
}

/** The result of `inspectCall`. `now`: epoch milliseconds. `approvalTimeout`: in milliseconds. */
export const detailsOf = (call: Call, now: number, approvalTimeout: number): CallDetails => {
  const parts: ReadonlyArray<PipelinePart<unknown>> = [...call.parts.filter(isMain), ...call.finals]
  const part = partOf(call)
  const question = openQuestion(call.state)
  const untilNext = question === undefined ? undefined : call.timer?.remaining
  const timeLeft =
    untilNext !== undefined && question?.kind === "approval"
      ? untilNext + afterMark(question, approvalTimeout)
      : untilNext
  const traceId = call.span?.traceId
  return {
    ...inspectionOf(call),
    plan: parts.map(describePart),
    ...(part !== undefined && { part }),
    ...(timeLeft !== undefined && { expiresAt: Math.round(now + timeLeft) }),
    ...(traceId !== undefined && { traceId }),
  }
}
