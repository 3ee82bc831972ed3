/** Where a call may stand, what it may wait for, and what is known of it there. Plain JSON. */

import type { ToolOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { FailureReason } from "../model/event.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { Outcome } from "../model/outcome.ts"
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
  isAsked: boolean
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
  isAsked: boolean
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
export interface ActionLinks {
  /** What a call of `resolve` was told to do with the action that it claimed. */
  readonly resolving: ResolveParams | undefined
  /** The call that staged what this one applies, or cleans up after. */
  readonly sourceCallId: string | undefined
  /** The action that it applied or discarded, while its finally handlers run. */
  readonly settled: StagedAction | undefined
  /** The action that it staged. */
  readonly staged: { readonly actionId: string; readonly label: string } | undefined
}

/** The states that carry no data, made once. */
export const queued: CallState = { _tag: "Queued" }
export const held: CallState = { _tag: "Held" }
export const preparing: CallState = { _tag: "Preparing" }
export const running: CallState = { _tag: "Running" }
export const judging: CallState = { _tag: "Judging" }
export const ended: CallState = { _tag: "Ended" }

/** The question that is open in this state. */
export const openQuestion = (state: CallState): Question | undefined =>
  state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
