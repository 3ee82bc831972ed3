/** The inputs of the state machine. `run` and `id` name the run or question that an input answers: input for an older one is ignored. */

import type { DecidedBy } from "../../model/decision.ts"
import type { FailureReason } from "../../model/event.ts"
import type { HostEffect } from "../../model/host-effect.ts"
import type { Stopped } from "../../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../../model/pipeline.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { DurationInput, Step } from "../../model/step.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { ResolveParams } from "../../resolve/definition.ts"

/** One input: the call's turn, a host's answer, a handler's step, a time-out, a cancel. */
export type Input =
  /** The call has its lane's turn, or needs none because it runs in the background. */
  | { readonly _tag: "Turn" }
  | {
      readonly _tag: "Admitted"
      readonly params: unknown
      readonly parts: ReadonlyArray<PipelinePart<unknown>>
      readonly finals: ReadonlyArray<FinallyPart<unknown>>
      /** The number of the last gate at which the host may be asked; 0 if there is no such gate. */
      readonly gates: number
    }
  | { readonly _tag: "Refused"; readonly outcome: Stopped }
  /** The call has the idempotency key of an earlier call, which ended with this output. */
  | { readonly _tag: "Known"; readonly output: ToolOutput }
  /** Run only the finally handlers of this action: it was dropped, and will not be applied or discarded. */
  | { readonly _tag: "Drop"; readonly action: StagedAction }
  /** `BackgroundStarted` is being emitted. */
  | { readonly _tag: "Announced" }
  /** The background pool has a place for the call. */
  | { readonly _tag: "Placed" }
  /** All open nested calls wait: until one continues, the call needs no place in the background pool. */
  | { readonly _tag: "Rested" }
  /** At least one open nested call no longer waits. */
  | { readonly _tag: "Woken" }
  /** The running handler returned a step. `more`: the handler is a generator, and may yield further steps. */
  | { readonly _tag: "Returned"; readonly run: number; readonly step: Step; readonly more: boolean }
  /** The generator of the running handler ended without a step. */
  | { readonly _tag: "Exhausted"; readonly run: number }
  /** The running handler threw, rejected, or its Effect failed or died. */
  | {
      readonly _tag: "Failed"
      readonly run: number
      readonly message: string
      readonly cause: unknown
      /** Whether the failure was thrown as something other than a ToolError, so its message was not written for the model. */
      readonly thrown: boolean
      /** Default `failed`. */
      readonly reason?: FailureReason | undefined
      /** Whether the handler is a generator that yielded something other than a step, and is still open. */
      readonly more: boolean
    }
  /** The consumer has room again after the last Delta step. */
  | { readonly _tag: "Flowed"; readonly run: number }
  /** The running handler called `context.delegate`. */
  | {
      readonly _tag: "Asked"
      readonly run: number
      readonly effect: HostEffect
      readonly timeout: DurationInput | undefined
    }
  /** The verdict of the rules, or later of the reviewers, on the open gate. `review`: no rule decides, so the reviewers are asked. */
  | {
      readonly _tag: "Ruled"
      readonly id: number
      readonly outcome: Stopped | "pass" | "ask" | "review"
      /** The party that passes the gate. */
      readonly decidedBy?: DecidedBy | undefined
      /** Why the gate is still undecided. */
      readonly because?: string | undefined
    }
  /** The checks have passed, but a limit of the tool delays the call. */
  | { readonly _tag: "Limited"; readonly because: string; readonly maxWait: number }
  /** The host's approval. Without `id`, it approves the gate that is open. */
  | {
      readonly _tag: "Approve"
      readonly id?: number | undefined
      readonly params?: unknown
      readonly edit: boolean
      readonly reason?: string | undefined
      /** The person who approves, if the host names one. */
      readonly by?: string | undefined
      /** The kind of allow rule to add. */
      readonly remember: RememberChoice | false
    }
  | { readonly _tag: "Deny"; readonly id?: number | undefined; readonly outcome: Stopped }
  | {
      readonly _tag: "Answered"
      readonly id: number
      readonly output: ToolOutput | undefined
      readonly by?: string | undefined
    }
  | {
      readonly _tag: "AnswerFailed"
      readonly id: number
      readonly by?: string | undefined
      readonly message: string
      readonly cause?: unknown
      /** Default `failed`. */
      readonly reason?: FailureReason | undefined
    }
  /** This call of `resolve` claimed an action, and runs the action's parts from here on. */
  | {
      readonly _tag: "Claimed"
      readonly action: StagedAction
      readonly params: ResolveParams
      readonly parts: ReadonlyArray<PipelinePart<unknown>>
    }
  | { readonly _tag: "Staged"; readonly actionId: string; readonly label: string }
  | { readonly _tag: "Unstaged"; readonly message: string }
  /** The interrupted or closed attempt has ended. */
  | { readonly _tag: "Stopped"; readonly run: number }
  /** The time limit of the current state is over. `message`: the text for the model. */
  | { readonly _tag: "TimedOut"; readonly message: string }
  /** The open gate has reached its next mark: a warning or an escalation. */
  | { readonly _tag: "Marked" }
  | { readonly _tag: "Cancel"; readonly outcome: Stopped }
  | { readonly _tag: "ToBackground" }
  | { readonly _tag: "Judged" }
