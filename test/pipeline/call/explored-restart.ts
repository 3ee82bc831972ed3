/**
 * A call of the explored world whose process has ended, as the next process has it: written down where it stood and read back by
 * what does so for a store, with what a model of the actor knows beside it.
 */

import type { StagedAction } from "../../../src/model/staged-action.ts"
import type { Tool } from "../../../src/model/tool.ts"
import type { Call } from "../../../src/pipeline/call/call.ts"
import { ended } from "../../../src/pipeline/call/state.ts"
import { readSnapshot } from "../../../src/snapshots/check-snapshot.ts"
import { readCall, readLost, type ToolOf } from "../../../src/snapshots/read-snapshot.ts"
import type { CallSnapshot } from "../../../src/snapshots/snapshot.ts"
import { writeMoving } from "../../../src/snapshots/write-snapshot.ts"
import {
  type CallSpec,
  type ExploredCall,
  freshRecord,
  freshSide,
  makeCall,
  partsOf,
  type Shape,
  type Side,
} from "./explored-call.ts"

/** What the next process finds. */
export interface Restart {
  /** Whether no handler may run twice. */
  readonly once: boolean
  /** Whether its tools compose what they did. */
  readonly tools: "same" | "changed" | "gone"
}

const shapeOfTool = (calls: ReadonlyArray<ExploredCall>, name: string): Shape =>
  name === "resolve" ? "p" : calls.find(({ record }) => record.toolCall.name === name)!.spec.shape

const toolsOf =
  (calls: ReadonlyArray<ExploredCall>, tools: Restart["tools"]): ToolOf =>
  (name) => {
    if (tools === "gone") return undefined
    const steps = partsOf(shapeOfTool(calls, name) + (tools === "changed" ? "p" : ""))
    return { name, compose: () => ({ steps }) } as unknown as Tool<unknown>
  }

/** Whether the handler that is next has begun. */
const hasBegun = ({ record: { state, at }, side }: ExploredCall): boolean =>
  state._tag === "Cleaning" ? side.ran === state.part + 1 : side.lastAt === at

const written = (call: ExploredCall, { once }: Restart): CallSnapshot => {
  const notes = {
    begun: once && hasBegun(call),
    attempts: call.record.attempts,
    toldStarted: call.side.toldStarted,
    toldBackground: call.side.toldBackground,
    askedAt: undefined,
    createdAt: 0,
  }
  return readSnapshot(JSON.parse(writeMoving(call.record, notes)))
}

/** `reclaim` gives the action of this id that is pending, as the one of this call; it throws where there is none. */
export const restarted = (
  call: ExploredCall,
  calls: ReadonlyArray<ExploredCall>,
  how: Restart,
  reclaim: (actionId: string) => StagedAction,
): ExploredCall => {
  const { spec } = call
  const snapshot = written(call, how)
  const toolOf = toolsOf(calls, how.tools)
  let record = freshRecord(snapshot.call)
  try {
    readCall(record, snapshot, toolOf, () => Number.POSITIVE_INFINITY)
    if (record.action !== undefined) record.action = reclaim(record.action.actionId)
  } catch {
    record = freshRecord(snapshot.call)
    readLost(record, snapshot, "The tool is another", toolOf, () => Number.POSITIVE_INFINITY)
  }
  const { background } = record.toolCall
  return { spec: { ...spec, outside: false, background }, record, side: readSide(call, record, how), key: "" }
}

/** Whether its handler stands at a gate of its own in the middle of its work: it asks again when it runs again. */
const isAtOwnGate = ({ state, more }: Call): boolean =>
  state._tag === "Asking" && state.question.kind === "approval" && more

/** How many of its finally handlers do not run again. */
const ranOf = (call: ExploredCall, { once }: Restart): number => {
  const { record, side } = call
  switch (record.state._tag) {
    case "Queued":
      return side.ran
    case "Cleaning":
      return once && hasBegun(call) ? side.ran : record.state.part
    default:
      return 0
  }
}

/** The part that ran last, and does not run again. */
const lastOf = (call: ExploredCall, { resume, at }: Call, { once }: Restart): number => {
  if (resume === undefined) return -1
  return resume._tag === "Running" && !(once && hasBegun(call)) ? at - 1 : at
}

const readSide = (call: ExploredCall, record: Call, how: Restart): Side => {
  const { toldStarted, toldBackground, refused, verdict, opened, ownGates: before } = call.side
  const owed = record.resume === undefined ? 0 : record.finals.length
  return {
    ...freshSide,
    toldStarted,
    toldBackground,
    refused,
    verdict,
    opened,
    ownGates: before - (isAtOwnGate(call.record) ? 1 : 0),
    owed,
    ran: owed === 0 ? 0 : ranOf(call, how),
    lastAt: lastOf(call, record, how),
  }
}

/** One that has ended before: nothing comes to it any more. */
export const over = ({ spec, record, side }: ExploredCall): ExploredCall => {
  const { toldStarted, toldBackground, verdict } = side
  const whole = { ...record, state: ended, action: undefined }
  return {
    spec,
    record: whole,
    side: { ...freshSide, toldStarted, toldBackground, verdict, toldEnd: true },
    key: "",
  }
}

/** What cleans up after an action begins anew. */
export const cleanupAnew = (spec: CallSpec, index: number, action: StagedAction): ExploredCall => {
  const call = makeCall(spec, index)
  call.side.owed = action.finals.length
  return call
}
