/** One call in the explored world: its data, and what a model of the driver knows besides. */

import type { ToolCall, ToolDecision } from "../../../src/index.ts"
import type { PipelinePart } from "../../../src/model/pipeline.ts"
import type { StagedAction } from "../../../src/model/staged-action.ts"
import { Step } from "../../../src/model/step.ts"
import { Call, Origin, type Recipient } from "../../../src/pipeline/call/call.ts"
import type { CallState } from "../../../src/pipeline/call/state.ts"

/** A pipeline as a word: `p` a handler, `d` one that delegates, `m` a generator that asks through its context, `g` a gate, `G` one that only a person passes, `r` a resolve gate, `R` one with what discards, `f` a finally handler. */
export type Shape = string

const handler = { name: "handler", call: () => Step.Continue }

const partOf = (letter: string, index: number): PipelinePart<unknown> => {
  const name = `${letter}${index}`
  switch (letter) {
    case "g":
    case "G":
      return { kind: "approval", name, label: undefined, person: letter === "G" }
    case "r":
    case "R":
      return {
        kind: "resolve",
        name,
        label: name,
        sourceToolName: undefined,
        details: undefined,
        onDiscard: letter === "R" ? { ...handler, name: "undo" } : undefined,
      }
    case "f":
      return { kind: "finally", name, handler }
    default:
      return { kind: "handler", name, handler }
  }
}

export const partsOf = (shape: Shape): ReadonlyArray<PipelinePart<unknown>> => [...shape].map(partOf)

export interface CallSpec {
  readonly agent: string
  readonly shape: Shape
  readonly background?: boolean
  readonly decision?: ToolDecision
  /** A call of `resolve`, which applies or discards. */
  readonly resolves?: "apply" | "discard"
  /** Outside the lane, as a host's own `resolve` is. */
  readonly outside?: boolean
  /** Refused when it comes: its id is taken, or the executor is shut down. */
  readonly refused?: boolean
  /** The id of the action that it cleans up after: nobody resolves that any more. */
  readonly drops?: string
}

/** What an action that was staged has come to. */
export interface ExploredAction {
  readonly staged: StagedAction
  readonly agent: string
  status: "pending" | "claimed" | "applied" | "discarded" | "dropped"
}

/** What ended the call, as the first accepted input said. */
export type Verdict = "" | "Cancelled" | "Denied" | "Error"

/** The driver's side of a call, and what was seen of it. All numbers and booleans: it is copied often. */
export interface Side {
  /** Its first turn is on its way. */
  turnDue: boolean
  preparing: boolean
  /** The `run` that was begun last, and the one that has not given its step yet (0: none). */
  begun: number
  inflight: number
  /** The `run` whose delta waits for room. */
  flowing: number
  /** The `run` whose interruption is waited for, and one: nothing may have run. */
  ending: number
  /** A generator is open. */
  reading: boolean
  /** The handler waits for the answer to what it asked through its context. */
  midway: boolean
  /** The question that rules were asked of; that the host was asked. */
  ruling: number
  openAsk: number
  lastAnswered: number
  judging: boolean
  hasPlace: boolean
  /** Told events. */
  toldStarted: boolean
  toldBackground: boolean
  toldEnd: boolean
  /** The call ended before it started. */
  refused: boolean
  verdict: Verdict
  /** Finally handlers that this attempt owes, and that ran. */
  owed: number
  ran: number
  /** The part that ran last in this attempt. */
  lastAt: number
  /** Gates decided for this call; gates that handlers asked for in this attempt. */
  opened: number
  ownGates: number
}

export interface ExploredCall {
  readonly spec: CallSpec
  readonly record: Call
  readonly side: Side
  /** All that tells it from another; made when the step that changed it is over. */
  key: string
}

/** Of a call of which nothing was seen. */
export const freshSide: Side = {
  turnDue: false,
  preparing: false,
  begun: 0,
  inflight: 0,
  flowing: 0,
  ending: 0,
  reading: false,
  midway: false,
  ruling: 0,
  openAsk: 0,
  lastAnswered: 0,
  judging: false,
  hasPlace: false,
  toldStarted: false,
  toldBackground: false,
  toldEnd: false,
  refused: false,
  verdict: "",
  owed: 0,
  ran: 0,
  lastAt: -1,
  opened: 0,
  ownGates: 0,
}

export const makeCall = (spec: CallSpec, index: number): ExploredCall => {
  const { agent, resolves, decision = "pending", background = false } = spec
  const name = resolves === undefined ? `tool${index}` : "resolve"
  const params = resolves === undefined ? {} : { action: resolves, reason: "why" }
  const call = { agentId: agent, callId: `call${index}`, name, params, decision, background }
  return { spec, record: freshRecord(call), side: { ...freshSide }, key: "" }
}

const nowhere: Recipient = {
  sink: { answers: true, sequence: 0, push: () => {}, isUnread: () => false, delta: () => undefined },
}
const origin = new Origin(0)

/** A call that nobody is told of. */
export const freshRecord = (call: ToolCall): Call => new Call(call, undefined, nowhere, origin)

const cloneState = (state: CallState): CallState => {
  if (state._tag === "Asking") return { ...state, question: { ...state.question } }
  if (state._tag === "Cleaning" && state.question !== undefined) {
    return { ...state, question: { ...state.question } }
  }
  return state
}

const cloneResume = (resume: Call["resume"]): Call["resume"] =>
  resume?._tag === "Asking" ? { ...resume, question: { ...resume.question } } : resume

export const cloneRecord = (record: Call): Call => {
  const toolCall = { ...record.toolCall }
  return {
    ...record,
    toolCall,
    subject: record.subject === record.toolCall ? toolCall : record.subject,
    state: cloneState(record.state),
    resume: cloneResume(record.resume),
    cleanupErrors: record.cleanupErrors && [...record.cleanupErrors],
  }
}

export const cloneCall = ({ spec, record, side }: ExploredCall): ExploredCall => ({
  spec,
  record: cloneRecord(record),
  side: { ...side },
  key: "",
})
