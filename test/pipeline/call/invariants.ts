/** What must hold in every state of the explored world, and in everything that is done. */

import type { Call } from "../../../src/pipeline/call/call.ts"
import type { Command } from "../../../src/pipeline/call/command.ts"
import type { Input } from "../../../src/pipeline/call/input.ts"
import type { Question } from "../../../src/pipeline/call/state.ts"
import type { ExploredAction, ExploredCall, Side, Verdict } from "./explored-call.ts"

/** What is looked at of the explored world. */
interface World {
  readonly calls: ReadonlyArray<ExploredCall>
  readonly actions: ReadonlyArray<ExploredAction>
  readonly lanes: ReadonlyMap<string, { readonly current: number }>
  /** How many places there are for background calls, how many are free, and who waits for one. */
  readonly places: number
  readonly free: number
  readonly waiting: ReadonlyArray<number>
}

export class Violation extends Error {}

const must = (holds: boolean, rule: string): void => {
  if (!holds) throw new Violation(rule)
}

/** What is compared with the record after an input. */
export type Before = Pick<Call, "state" | "run" | "asked" | "at" | "place" | "announced"> & {
  readonly questionId: number
}

export const before = (record: Call): Before => {
  const { state, run, asked, at, place, announced } = record
  const question = state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
  return { state, run, asked, at, place, announced, questionId: question?.id ?? 0 }
}

const verdicts: { readonly [Tag in Input["_tag"]]?: Verdict } = { Cancel: "Cancelled", Deny: "Denied" }

const answers: ReadonlySet<Input["_tag"]> = new Set(["Approve", "Deny", "Answered", "AnswerFailed"])

/** After an input: an answer counts once, what is refused changes nothing, and what was decided stays so. */
export const input = (
  call: ExploredCall,
  from: Before,
  { _tag }: Input,
  took: boolean,
  commands: ReadonlyArray<Command>,
): void => {
  const { record, side } = call
  if (!took) {
    const same =
      record.state === from.state &&
      record.run === from.run &&
      record.asked === from.asked &&
      record.at === from.at &&
      record.place === from.place &&
      record.announced === from.announced
    must(same && commands.length === 0, `${_tag} was refused and changed the call`)
    return
  }
  must(from.state._tag !== "Ended" || _tag === "Stopped", `${_tag} took effect after the end`)
  if (answers.has(_tag) && (from.state._tag === "Asking" || from.state._tag === "Cleaning")) {
    must(from.questionId > side.lastAnswered, "a question was answered twice")
    side.lastAnswered = from.questionId
    side.openAsk = 0
    if (_tag === "Approve") side.opened += 1
  }
  const verdict = verdicts[_tag]
  const held = from.state._tag === "Queued" || from.state._tag === "Held"
  if (verdict !== undefined) {
    must(side.verdict === "" || verdict === "Cancelled", `${_tag} took effect after ${side.verdict}`)
    // A queued call that was denied may still be cancelled before its turn.
    side.verdict = held && side.verdict === "Denied" && verdict === "Cancelled" ? "Cancelled" : verdict
  }
  if (from.state._tag === "Stopping" || from.state._tag === "Cleaning") {
    if (record.state._tag === "Preparing") {
      must(side.verdict === "", `runs again after ${side.verdict}`)
      must(side.ran === side.owed, `runs again with ${side.ran} of ${side.owed} finally handlers run`)
    }
  }
  if (record.state._tag === "Ended" && from.state._tag !== "Judging") side.refused = true
  if (record.state._tag === "Judging" && from.state._tag !== "Judging") {
    must(side.ran === side.owed, endedUnclean(side))
  }
}

const endedUnclean = ({ ran, owed }: Side): string => `ends with ${ran} of ${owed} finally handlers run`

const afterEnd: ReadonlySet<Command["_tag"]> = new Set([
  "RestoreAction",
  "ReleasePlace",
  "LeaveLane",
  "Run",
  "RunFinal",
  "Stage",
  "Rule",
])

const telling: ReadonlySet<Command["_tag"]> = new Set(["TellStarted", "Remember", "TellEnd"])

export const command = ({ side, record }: ExploredCall, { _tag }: Command): void => {
  if (telling.has(_tag)) must(!side.toldEnd, `${_tag} after the end was told`)
  if (_tag === "TellStarted") {
    must(!side.toldStarted, "told twice of its start")
    must(!side.refused, "told of the start of a call that was refused")
  }
  if (_tag === "Prepare")
    must(side.verdict === "" || record.state._tag !== "Preparing", "prepared after its end was decided")
  if (side.toldEnd && !afterEnd.has(_tag)) must(false, `${_tag} is done after the end`)
}

export const tellBackground = ({ side }: ExploredCall): void => {
  must(side.toldStarted, "told of the background before its start")
  must(!side.toldBackground, "told twice of the background")
  must(!side.toldEnd, "told of the background after its end")
  side.toldBackground = true
}

export const ask = (side: Side, question: Question): void => {
  must(side.toldStarted || question.kind === "delegate", "asked before its start")
  must(!side.toldEnd, "asked after its end")
  must(side.openAsk === 0, "asked while another question is open")
}

export const close = ({ record: { state }, side }: ExploredCall): void => {
  const question = state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
  must(side.openAsk === 0 || side.openAsk !== question?.id, "closes the question that is open")
}

const gatesBefore = ({ parts, at }: Call): number => {
  let gates = 0
  for (let i = 0; i < at; i++) if (parts[i]!.kind === "approval") gates += 1
  return gates
}

/** A handler begins, or its generator is read on. */
export const run = (call: ExploredCall): void => {
  const { record, side, spec } = call
  const { parts, at, place } = record
  must(parts[at]?.kind === "handler", "runs what is no handler")
  must(side.inflight === 0, "runs a handler while another runs")
  must(side.verdict === "", `runs a handler after ${side.verdict}`)
  must(side.toldStarted, "runs before its start was told")
  must(
    !record.toolCall.background || place === "exempt" || side.hasPlace,
    "runs in the background without a place",
  )
  if (side.reading) must(record.more && at === side.lastAt, "reads another part's generator")
  else must(at > side.lastAt, "runs a part twice")
  for (let i = side.lastAt + 1; i < at; i++) must(parts[i]!.kind !== "handler", "skips a handler")
  if (record.action !== undefined || spec.resolves !== undefined) return
  must(record.passed === gatesBefore(record) + side.ownGates, "passed another number of gates than there are")
  if (record.toolCall.decision !== "approve")
    must(record.passed <= side.opened, "passed a gate that nobody opened")
  const persons = parts.slice(0, at).filter((part) => part.kind === "approval" && part.person === true).length
  must(persons <= side.opened, "passed a person's gate that nobody opened")
}

export const runFinal = (call: ExploredCall, part: number): void => {
  const { side, record } = call
  must(side.inflight === 0, "cleans up while a handler runs")
  if (part === side.ran - 1) must(side.reading && record.more, "runs a finally handler twice")
  else {
    must(part === side.ran, "skips a finally handler")
    must(!side.reading, "cleans up while a generator is open")
  }
  must(part < side.owed, "runs a finally handler that is not its own")
}

export const settle = (action: ExploredAction, { links }: Call): void => {
  must(action.status === "claimed", `resolved an action that was ${action.status}`)
  action.status = links.resolving?.action === "discard" ? "discarded" : "applied"
}

export const restore = (action: ExploredAction): void => {
  must(action.status === "claimed", `restored an action that was ${action.status}`)
  action.status = "pending"
}

export const tellEnd = (call: ExploredCall): void => {
  const { record, side } = call
  must(!side.toldEnd, "told twice of its end")
  must(record.outcome !== undefined, "ended without an outcome")
  must(side.ran === side.owed, endedUnclean(side))
  must(side.inflight === 0, "ended while a handler runs")
  const tag = record.outcome!._tag
  must(side.verdict === "" || tag === side.verdict, `was ${side.verdict} and ended as ${tag}`)
  must((record.announced === "yes") === side.toldBackground, "ends as what the host was not told that it is")
  if (tag === "Completed" && record.links.staged === undefined) didAll(call)
  side.toldEnd = true
}

/** A call that completed and left nothing pending ran every handler, and passed every gate. */
const didAll = ({ record, side }: ExploredCall): void => {
  const { parts, passed, links } = record
  const left = parts.slice(side.lastAt + 1)
  must(!left.some(({ kind }) => kind === "handler"), "completed without its last handlers")
  const gates = parts.filter(({ kind }) => kind === "approval").length
  // One that was read back only to end has nothing but finally handlers.
  if (links.resolving === undefined && parts.some(({ kind }) => kind !== "finally"))
    must(passed === gates + side.ownGates, "completed without its gates")
}

const active = ({ record }: ExploredCall): boolean =>
  record.state._tag !== "Queued" && record.state._tag !== "Ended"

/** Lanes are in order, and places neither leak nor exceed. */
export const everyState = (world: World): void => {
  const { calls } = world
  let holders = 0
  for (let i = 0; i < calls.length; i++) {
    const call = calls[i]!
    const { side, record, spec } = call
    if (side.hasPlace) holders += 1
    if (record.place === "held") must(side.hasPlace, "thinks that it has a place")
    if (spec.background === true || spec.outside === true || !active(call)) continue
    // One that was read back is cleaned up at once when it is cancelled: it need not wait for its turn to end.
    if (side.verdict === "Cancelled") continue
    for (let j = 0; j < i; j++) {
      const earlier = calls[j]!
      if (earlier.spec.agent !== spec.agent || earlier.spec.background || earlier.spec.outside) continue
      if (earlier.record.toolCall.background) continue
      // One that ended while it was queued has no turn to give.
      const isOver = earlier.record.state._tag === "Ended" && !earlier.side.toldStarted
      must(isOver || earlier.side.toldEnd, "has its turn while an earlier call of its lane has not ended")
    }
  }
  must(holders + world.free === world.places, "lost a place")
}

/** Nothing more will happen by itself: all has ended, and nothing is kept. */
export const rest = (world: World): void => {
  for (const { side, record } of world.calls) {
    must(record.state._tag === "Ended" && side.toldEnd, `is stuck in ${record.state._tag}`)
    must(!side.hasPlace, "keeps its place after its end")
  }
  must(world.free === world.places && world.waiting.length === 0, "a place is lost")
  for (const { status } of world.actions) must(status !== "claimed", "an action stays claimed")
  for (const { current } of world.lanes.values()) must(current === -1, "a lane does not go on")
}
