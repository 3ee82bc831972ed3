/**
 * One call as data: a record, and one state out of a closed union. `transition` alone changes it; at rest it can be
 * written down, for everything in it but the pipeline's parts is plain JSON.
 */

import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { FailureReason } from "../model/event.ts"
import type { CallMemory, Resolution } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { Mutable } from "../model/mutable.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { DurationInput } from "../model/step.ts"

/** The answer to an effect: an output, or why there is none. */
export type Answer =
  | { readonly _tag: "Output"; readonly output: ToolOutput | undefined }
  | {
      readonly _tag: "Failure"
      readonly message: string
      readonly cause: unknown
      readonly reason: FailureReason
    }

/** What follows once an attempt is stopped and cleaned up: the end, or the same call with edited parameters. */
export type Then =
  | { readonly _tag: "End"; readonly outcome: Outcome }
  | { readonly _tag: "Restart"; readonly params: unknown }

/** A gate that somebody has to decide. */
export interface ApprovalQuestion {
  readonly kind: "approval"
  readonly id: number
  readonly label: string | undefined
  /** Whether only the host's answer passes it. */
  readonly person: boolean
  /** Whether the host was asked. Before that, rules and reviewers are. */
  put: boolean
  /** Why it is asked; known once rules or reviewers were. */
  because: string | undefined
}

/** An effect that the host has to answer. */
export interface EffectQuestion {
  readonly kind: "delegate"
  readonly id: number
  readonly effect: HostEffect
  readonly timeout: DurationInput | undefined
  /** Whether the handler goes on by itself meanwhile: it asked through its context, not with a step. */
  readonly midway: boolean
  /** Whether it was asked. */
  put: boolean
}

/** What a host is asked: to decide at a gate, or to answer an effect. */
export type Question = ApprovalQuestion | EffectQuestion

/** How a call goes on that was written down in the middle of its work. */
export type Resume =
  | { readonly _tag: "Ask"; readonly question: Question }
  /** Runs the part at `at`. */
  | { readonly _tag: "Run" }
  /** Ends the attempt as failed: the handler at `at` must not run a second time. */
  | { readonly _tag: "Fail"; readonly message: string }
  /** Cleans up from this finally handler on; where there is none, only what follows is left. */
  | { readonly _tag: "Clean"; readonly part: number; readonly then: Then }

/** Where a call stands. Every call begins as `Queued` and ends as `Ended`. */
export type CallState =
  /** It waits for its turn. */
  | { readonly _tag: "Queued" }
  /** Its turn has come, and it is `requested`: the host has not decided yet. */
  | { readonly _tag: "Held" }
  /** Its parameters are checked, and its pipeline is composed. */
  | { readonly _tag: "Preparing" }
  /** The part `at` runs, or waits for a place among the background calls. */
  | { readonly _tag: "Running" }
  | { readonly _tag: "Asking"; readonly question: Question }
  /** What ran is being interrupted. */
  | { readonly _tag: "Stopping"; readonly then: Then }
  /** The finally handler `part` runs. */
  | {
      readonly _tag: "Cleaning"
      readonly part: number
      readonly then: Then
      readonly question: EffectQuestion | undefined
    }
  /** The host's hook may rewrite the result. */
  | { readonly _tag: "Judging" }
  | { readonly _tag: "Ended" }

/** The state of this tag. */
export type StateOf<Tag extends CallState["_tag"]> = Extract<CallState, { readonly _tag: Tag }>

/** A background call's place in the pool. `exempt`: it runs without one until it next waits. */
export type Place = "none" | "asked" | "held" | "exempt"

/** What a call has to do with pending actions, beside the one that it holds. */
export interface ActionTies {
  /** What a call of `resolve` was told to do with the action that it claimed. */
  readonly resolving: ResolveParams | undefined
  /** The call that staged what this one applies, or cleans up after. */
  readonly sourceCallId: string | undefined
  /** The action that it applied or discarded, while its finally handlers run. */
  readonly settled: StagedAction | undefined
  /** The action that it staged. */
  readonly staged: { readonly actionId: string; readonly label: string } | undefined
}

/** All that is known of a call. `transition` alone changes it, but for what the actor notes while it runs handlers. */
export interface CallRecord {
  readonly call: Mutable<ToolCall>
  /** What handlers see as their call: `call`, or, while it applies an action, the one that staged it. */
  subject: ToolCall
  state: CallState
  parts: ReadonlyArray<PipelinePart<unknown>>
  /** What is to be cleaned up with. Empty once an action has taken it over. */
  finals: ReadonlyArray<FinallyPart<unknown>>
  /** The index of the part that runs or waits. */
  at: number
  /** Whether the handler at `at` is a generator with more steps to give. */
  more: boolean
  /** Counts what was begun: handlers, and reads of a generator. What answers an earlier one is late. */
  run: number
  /** Counts questions, likewise. */
  asked: number
  output: ToolOutput | undefined
  /** The output at the last gate: what would be done, until a handler behind the gate says what was. */
  preview: ToolOutput | undefined
  /** What the handlers tell each other. Made when one first looks at it. */
  memory: CallMemory | undefined
  /** How the last gate was decided, as handlers see it. */
  resolution: Resolution | undefined
  /** What the host said at the last gate that it decided. */
  approval: Resolution | undefined
  /** Who decided the last gate. */
  decidedBy: DecidedBy | undefined
  /** Gates passed in this attempt. */
  passed: number
  /** Gates decided before the call ran again with edited parameters: they are not asked again. */
  decided: number
  place: Place
  /** What the running handler asked through its context, answered, while the call waits for a place again. */
  reply: Answer | undefined
  /** Whether the host was told of its start. */
  started: boolean
  /** Whether the host knows that it runs in the background. `due`: it is told next, unless the call ends before. */
  announced: "no" | "due" | "yes"
  /** Whether the parameters are the host's. */
  edited: boolean
  /** What a rule is to be made of, once the parameters are checked. */
  remember: RememberChoice | false
  /** Whether something acquired resources that end with the attempt. */
  scoped: boolean
  /** The pending action that this call of `resolve` applies or discards, while it does. */
  action: StagedAction | undefined
  /** Replaced, and never changed: most calls share those of a call that has none. */
  ties: ActionTies
  /** How it goes on as soon as it has its turn: it was restored. */
  resume: Resume | undefined
  /** What it ends with in its turn, with nothing run. */
  refusal: Stopped | undefined
  outcome: Outcome | undefined
  cleanupErrors: Array<string> | undefined
}

const queued: CallState = { _tag: "Queued" }
/** The states that carry no data, made once. */
export const held: CallState = { _tag: "Held" }
export const preparing: CallState = { _tag: "Preparing" }
export const running: CallState = { _tag: "Running" }
export const judging: CallState = { _tag: "Judging" }
export const ended: CallState = { _tag: "Ended" }

const noParts: ReadonlyArray<never> = []
const noTies: ActionTies = {
  resolving: undefined,
  sourceCallId: undefined,
  settled: undefined,
  staged: undefined,
}

/** The record of a call that was just enqueued. */
export const makeRecord = (call: ToolCall): CallRecord => ({
  call,
  subject: call,
  state: queued,
  parts: noParts,
  finals: noParts,
  at: 0,
  more: false,
  run: 0,
  asked: 0,
  output: undefined,
  preview: undefined,
  memory: undefined,
  resolution: undefined,
  approval: undefined,
  decidedBy: undefined,
  passed: 0,
  decided: 0,
  place: "none",
  reply: undefined,
  started: false,
  announced: "no",
  edited: false,
  remember: false,
  scoped: false,
  action: undefined,
  ties: noTies,
  resume: undefined,
  refusal: undefined,
  outcome: undefined,
  cleanupErrors: undefined,
})
