/** What a call is doing, for hosts that show it. */
import type { DecidedBy } from "../model/decision.ts"
import { describePart, type PartDescription, type PipelinePart } from "../model/pipeline.ts"
import type { CallActor } from "./actor.ts"
import { openQuestion } from "./asking.ts"
import type { CallRecord, CallState } from "./state.ts"

/** What a call is doing. Plain JSON. */
export interface CallInspection {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  /** `held`: requested, and not decided yet. `waiting`: for its host. `finishing`: being stopped, cleaned up or judged. */
  readonly state: "queued" | "held" | "preparing" | "running" | "waiting" | "finishing"
  readonly background: boolean
  readonly handler?: string
  /** `approval`, `review`, `place` (in the background pool), or the tag of the effect that the host is asked. */
  readonly waitingFor?: string
  /** Why the gate that it waits at is asked. */
  readonly because?: string
  /** Who decided its last gate. */
  readonly decidedBy?: DecidedBy
}

/** What a call is doing, and what it will do. Plain JSON. */
export interface CallDetails extends CallInspection {
  /** The parts of its pipeline, finally handlers last; empty before it is composed. */
  readonly plan: ReadonlyArray<PartDescription>
  /** The index of the part that runs or waits. */
  readonly part?: number
  /** When nobody's answer will be waited for any more, in epoch milliseconds; not there where it is waited for ever. */
  readonly expiresAt?: number
  /** The id of its trace, where a tracer has one. */
  readonly traceId?: string
}

const shown = {
  Queued: "queued",
  Held: "held",
  Preparing: "preparing",
  Running: "running",
  Asking: "waiting",
  Stopping: "finishing",
  Cleaning: "finishing",
  Judging: "finishing",
  Ended: "finishing",
} as const satisfies Record<CallState["_tag"], CallInspection["state"]>

/** What `inspect` tells of one call. */
export const inspectionOf = (record: CallRecord): CallInspection => {
  const { agentId, callId, name, background } = record.call
  const handler = currentHandler(record)
  const waitingFor = waitsFor(record)
  const question = openQuestion(record)
  const because = question?.kind === "approval" ? question.because : undefined
  const { decidedBy } = record
  return {
    agentId,
    callId,
    name,
    state: shown[record.state._tag],
    background,
    ...(handler !== undefined && { handler }),
    ...(waitingFor !== undefined && { waitingFor }),
    ...(because !== undefined && { because }),
    ...(decidedBy !== undefined && { decidedBy }),
  }
}

const currentHandler = ({ state, parts, finals, at }: CallRecord): string | undefined =>
  state._tag === "Cleaning" ? finals[state.part]?.name : parts[at]?.name

const waitsFor = (record: CallRecord): string | undefined => {
  const question = openQuestion(record)
  if (question?.kind === "approval") return question.put ? "approval" : "review"
  if (question !== undefined) return question.effect._tag
  if (record.state._tag === "Held") return "approval"
  return record.place === "asked" ? "place" : undefined
}

/** Whether a handler runs now; one that waits for the host's answer to its effect counts. */
export const isRunning = ({ state }: CallRecord): boolean =>
  state._tag === "Running" ||
  state._tag === "Preparing" ||
  (state._tag === "Asking" && state.question.kind === "delegate")

const isMain = ({ kind }: PipelinePart<unknown>): boolean => kind !== "finally"

const partOf = ({ state, parts, at }: CallRecord): number | undefined => {
  if (state._tag === "Cleaning") return parts.filter(isMain).length + state.part
  return at < parts.length ? parts.slice(0, at).filter(isMain).length : undefined
}

/** What `inspectCall` tells. */
export const detailsOf = (call: Pick<CallActor, "record" | "engine" | "span" | "timeLeft">): CallDetails => {
  const { record, span, timeLeft, engine } = call
  const parts: ReadonlyArray<PipelinePart<unknown>> = [...record.parts.filter(isMain), ...record.finals]
  const part = partOf(record)
  const isAsking = openQuestion(record) !== undefined && timeLeft !== undefined
  const traceId = span?.traceId
  return {
    ...inspectionOf(record),
    plan: parts.map(describePart),
    ...(part !== undefined && { part }),
    ...(isAsking && { expiresAt: Math.round(engine.deadlines.time() + timeLeft) }),
    ...(traceId !== undefined && { traceId }),
  }
}
