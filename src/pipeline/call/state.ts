/** The states of a call, with their questions and answers. Plain JSON, so that a call can be stored in any state. */

import type { ErrorReason, FailureReason } from "../../model/event.ts"
import type { GateTerms } from "../../model/gate.ts"
import type { HostEffect } from "../../model/host-effect.ts"
import type { Outcome } from "../../model/outcome.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { DurationInput } from "../../model/step.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"

/** The answer to an effect: an output, or a failure. */
export type Answer =
  | { readonly _tag: "Output"; readonly output: ToolOutput | undefined }
  | {
      readonly _tag: "Failure"
      readonly message: string
      readonly cause: unknown
      readonly reason: FailureReason
    }

/** What follows after an attempt is stopped and cleaned up: the end, or a restart with edited parameters. */
export type Then =
  | { readonly _tag: "End"; readonly outcome: Outcome }
  | { readonly _tag: "Restart"; readonly params: unknown }

/** A gate that waits for a decision. */
export interface ApprovalQuestion {
  readonly kind: "approval"
  readonly id: number
  readonly label: string | undefined
  /** Whether only the host's answer passes the gate. */
  readonly person: boolean
  /** Whether the host was asked. Rules and reviewers are asked first. */
  isAsked: boolean
  /** Why a decision is needed; set once rules or reviewers were asked. */
  because: string | undefined
  /** Absent for a gate without terms. */
  readonly terms?: GateTerms
  /** Who has approved so far, for a gate that needs several approvals. */
  votes?: ReadonlyArray<string>
  /** The number of marks that have passed: see `gate-time.ts`. */
  marks?: number
}

/** An effect that the host has to answer. */
export interface EffectQuestion {
  readonly kind: "delegate"
  readonly id: number
  readonly effect: HostEffect
  readonly timeout: DurationInput | undefined
  /** Whether the handler keeps running in the meantime, because it asked with `context.delegate` and not with a Delegate step. */
  readonly midway: boolean
  /** Whether the host was asked. */
  isAsked: boolean
}

/** A question to the host: to decide a gate, or to answer an effect. */
export type Question = ApprovalQuestion | EffectQuestion

/** Where a restored call continues. `Fail`: the handler at `at` must not run a second time, so the attempt has failed. */
export type Resume =
  | StateOf<"Asking" | "Running" | "Cleaning">
  | { readonly _tag: "Fail"; readonly message: string; readonly reason: ErrorReason }

/** The state of a call. Every call begins as `Queued` and ends as `Ended`. */
export type CallState =
  /** The call waits for its turn. */
  | { readonly _tag: "Queued" }
  /** The call has its turn, but is `requested`, and the host has not decided yet. */
  | { readonly _tag: "Held" }
  /** The call's parameters are being validated and its pipeline composed. */
  | { readonly _tag: "Preparing" }
  /** The call waits at a limit of its tool, for at most `maxWait` milliseconds. `because` describes the limit. */
  | { readonly _tag: "Limited"; because: string; readonly maxWait: number }
  /** The part `at` is running, or waits for a place in the background pool. */
  | { readonly _tag: "Running" }
  | { readonly _tag: "Asking"; readonly question: Question }
  /** The attempt is being interrupted or closed. */
  | { readonly _tag: "Stopping"; readonly then: Then }
  /** The finally handler `part` is running. */
  | {
      readonly _tag: "Cleaning"
      readonly part: number
      readonly then: Then
      readonly question: EffectQuestion | undefined
    }
  /** The output is being checked, and the `afterCall` hook may rewrite the result. */
  | { readonly _tag: "Judging" }
  | { readonly _tag: "Ended" }

/** The state with this tag. */
export type StateOf<Tag extends CallState["_tag"]> = Extract<CallState, { readonly _tag: Tag }>

/** A background call's place in the pool, or a planned call's turn. `exempt`: the call runs without a place until it next waits. */
export type Place = "none" | "asked" | "held" | "exempt"

/** A call's links to pending actions, besides the action that the call has claimed. */
export interface ActionLinks {
  /** The parameters of a call of `resolve` that has claimed an action. */
  readonly resolving: ResolveParams | undefined
  /** The call that staged the action that this call resolves or cleans up after. */
  readonly sourceCallId: string | undefined
  /** The action that this call applied or discarded, while the action's finally handlers run. */
  readonly settled: StagedAction | undefined
  /** The action that this call staged. */
  readonly staged: { readonly actionId: string; readonly label: string } | undefined
}

/** The states without data, created once. */
export const queued: StateOf<"Queued"> = { _tag: "Queued" }
export const held: CallState = { _tag: "Held" }
export const preparing: CallState = { _tag: "Preparing" }
export const running: StateOf<"Running"> = { _tag: "Running" }
export const judging: CallState = { _tag: "Judging" }
export const ended: CallState = { _tag: "Ended" }

/** The open question; undefined if the call asks nothing. */
export const openQuestion = (state: CallState): Question | undefined =>
  state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
