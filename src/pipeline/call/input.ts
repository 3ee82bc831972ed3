/** What can happen to a call. `run` and `id` say what is answered: an answer to something earlier changes nothing. */

import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { FailureReason } from "../model/event.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { Stopped } from "../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { DurationInput, Step } from "../model/step.ts"

/** One thing that happens to a call: its turn, an answer, what its handler gave, a time-out, a cancel. */
export type Input =
  /** Its lane's turn has come, or it is a background call. */
  | { readonly _tag: "Turn" }
  | {
      readonly _tag: "Admitted"
      readonly params: unknown
      readonly parts: ReadonlyArray<PipelinePart<unknown>>
      readonly finals: ReadonlyArray<FinallyPart<unknown>>
      /** The number of the last gate at which the host may be asked; 0 where there is none. */
      readonly gates: number
    }
  | { readonly _tag: "Refused"; readonly outcome: Stopped }
  /** Only this action's finally handlers are to run: nobody will resolve it any more. */
  | { readonly _tag: "Drop"; readonly action: StagedAction }
  /** The host is told now that it runs in the background. */
  | { readonly _tag: "Announced" }
  /** There is a place among the background calls. */
  | { readonly _tag: "Placed" }
  /** The handler that runs gave a step; `more`: it is a generator, and may give others. */
  | { readonly _tag: "Returned"; readonly run: number; readonly step: Step; readonly more: boolean }
  /** A generator has no more steps. */
  | { readonly _tag: "Exhausted"; readonly run: number }
  /** The handler that runs threw, rejected, failed or died. */
  | {
      readonly _tag: "Failed"
      readonly run: number
      readonly message: string
      readonly cause: unknown
      /** Thrown, and not worded for the model. */
      readonly thrown: boolean
      /** Default `failed`. */
      readonly reason?: FailureReason | undefined
      /** A generator gave what is no step: it is still open. */
      readonly more: boolean
    }
  /** The consumer has room for what the last step streamed. */
  | { readonly _tag: "Flowed"; readonly run: number }
  /** The running handler asks through its context. */
  | {
      readonly _tag: "Asked"
      readonly run: number
      readonly effect: HostEffect
      readonly timeout: DurationInput | undefined
    }
  /** What rules, and then reviewers, say of the open gate. `review`: no rule decides, and there are reviewers to ask. */
  | {
      readonly _tag: "Ruled"
      readonly id: number
      readonly outcome: Stopped | "pass" | "ask" | "review"
      /** Who passes it. */
      readonly decidedBy?: DecidedBy | undefined
      /** Why it is asked on. */
      readonly because?: string | undefined
    }
  /** The host's decision; without `id`, of whatever gate is open. */
  | {
      readonly _tag: "Approve"
      readonly id?: number | undefined
      readonly params?: unknown
      readonly edit: boolean
      readonly reason?: string | undefined
      /** What a rule is to be made of. */
      readonly remember: RememberChoice | false
    }
  | { readonly _tag: "Deny"; readonly id?: number | undefined; readonly outcome: Stopped }
  | { readonly _tag: "Answered"; readonly id: number; readonly output: ToolOutput | undefined }
  | {
      readonly _tag: "AnswerFailed"
      readonly id: number
      readonly message: string
      readonly cause?: unknown
      /** Default `failed`. */
      readonly reason?: FailureReason | undefined
    }
  /** A call of `resolve` took an action: its parts are the call's from here on. */
  | {
      readonly _tag: "Claimed"
      readonly action: StagedAction
      readonly params: ResolveParams
      readonly parts: ReadonlyArray<PipelinePart<unknown>>
    }
  | { readonly _tag: "Staged"; readonly actionId: string; readonly label: string }
  | { readonly _tag: "Unstaged"; readonly message: string }
  /** What was interrupted has ended. */
  | { readonly _tag: "Stopped"; readonly run: number }
  /** The time that the state allows is over. `message` says so. */
  | { readonly _tag: "TimedOut"; readonly message: string }
  | { readonly _tag: "Cancel"; readonly outcome: Stopped }
  | { readonly _tag: "ToBackground" }
  | { readonly _tag: "Judged" }
