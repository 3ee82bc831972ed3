/**
 * The commands that `transition` emits. A command carries only data that the call does not hold: the driver reads the call itself.
 */

import type { StagedAction } from "../../model/staged-action.ts"
import type { RememberChoice } from "../../policy/index.ts"

/** One command for the driver, by its tag. */
export type Command =
  /** Validate the parameters, ask the `beforeCall` hook and the deny rules, and compose the pipeline. */
  | { readonly _tag: "Prepare" }
  | { readonly _tag: "TellStarted" }
  /** Emit `BackgroundStarted`. */
  | { readonly _tag: "Announce" }
  /** Run the handler at `at`, or read the next step of its generator. */
  | { readonly _tag: "Run" }
  /** Resolve the `context.delegate` of the running handler with the host's answer. */
  | { readonly _tag: "Reply" }
  | { readonly _tag: "Stream"; readonly content: string; readonly partial: unknown }
  /** Ask the rules about the open gate. */
  | { readonly _tag: "Rule" }
  /** Ask the reviewers about the open gate. */
  | { readonly _tag: "Review" }
  /** Ask the host the open question. */
  | { readonly _tag: "Ask" }
  /** Emit `GateExpiring`: the open gate's time is nearly over. */
  | { readonly _tag: "Warn" }
  /** Escalate the open gate, whose time is over. */
  | { readonly _tag: "Escalate" }
  /** Abort the function that is answering the open question: its answer is no longer needed. */
  | { readonly _tag: "CloseQuestion" }
  /** Add an allow rule for the approved call. */
  | { readonly _tag: "Remember"; readonly choice: RememberChoice }
  | { readonly _tag: "TakePlace" }
  | { readonly _tag: "ReleasePlace" }
  | { readonly _tag: "LeaveLane" }
  /** Stage the remaining parts as a pending action. */
  | { readonly _tag: "Stage" }
  /** Remove the action: it was applied or discarded. */
  | { readonly _tag: "SettleAction"; readonly action: StagedAction }
  /** Make the action pending again: it was neither applied nor discarded. */
  | { readonly _tag: "RestoreAction"; readonly action: StagedAction }
  /** Abort the running handler or hook. */
  | { readonly _tag: "Interrupt" }
  /** Close what a finished attempt left open, such as a generator, and wait until it is closed. */
  | { readonly _tag: "Close" }
  | { readonly _tag: "RunFinal" }
  | { readonly _tag: "Judge" }
  /** Emit the terminal event, and remove the call. */
  | { readonly _tag: "TellEnd" }

const of = <Tag extends Command["_tag"]>(_tag: Tag) => ({ _tag }) as const

/** The commands without data, created once. */
export const prepare: Command = of("Prepare")
export const tellStarted: Command = of("TellStarted")
export const announce: Command = of("Announce")
export const run: Command = of("Run")
export const reply: Command = of("Reply")
export const rule: Command = of("Rule")
export const review: Command = of("Review")
export const ask: Command = of("Ask")
export const warn: Command = of("Warn")
export const escalate: Command = of("Escalate")
export const closeQuestion: Command = of("CloseQuestion")
export const takePlace: Command = of("TakePlace")
export const releasePlace: Command = of("ReleasePlace")
export const leaveLane: Command = of("LeaveLane")
export const stage: Command = of("Stage")
export const interrupt: Command = of("Interrupt")
export const close: Command = of("Close")
export const runFinal: Command = of("RunFinal")
export const judge: Command = of("Judge")
export const tellEnd: Command = of("TellEnd")

/** Receives commands. They are carried out in the order in which they were pushed. */
export interface Outbox {
  push(command: Command): unknown
}
