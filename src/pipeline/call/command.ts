/**
 * What `transition` wants done. Commands carry no data but where the record does not hold it: the actor reads the record.
 */
import type { RememberChoice } from "../../policy/index.ts"
import type { StagedAction } from "../model/staged-action.ts"

/** One thing that a call wants done, by its tag. */
export type Command =
  /** Validate, ask the host's hook and deny rules, compose. */
  | { readonly _tag: "Prepare" }
  | { readonly _tag: "TellStarted" }
  /** Tell that it runs in the background. */
  | { readonly _tag: "Announce" }
  /** Run the handler at `at`, or read on in its generator. */
  | { readonly _tag: "Run" }
  /** Tell the handler that asked through its context. */
  | { readonly _tag: "Reply" }
  | { readonly _tag: "Stream"; readonly content: string; readonly partial: unknown }
  /** Ask the rules about the open gate. */
  | { readonly _tag: "Rule" }
  /** Ask the reviewers about it. */
  | { readonly _tag: "Review" }
  /** Ask the host. */
  | { readonly _tag: "Ask" }
  /** Nobody waits for the answer any more. */
  | { readonly _tag: "CloseQuestion" }
  /** Make a rule of the approval. */
  | { readonly _tag: "Remember"; readonly choice: RememberChoice }
  | { readonly _tag: "TakePlace" }
  | { readonly _tag: "ReleasePlace" }
  | { readonly _tag: "LeaveLane" }
  /** Make a pending action of the parts that are left. */
  | { readonly _tag: "Stage" }
  /** The action was applied or discarded. */
  | { readonly _tag: "SettleAction"; readonly action: StagedAction }
  /** It was not: it is pending again. */
  | { readonly _tag: "RestoreAction"; readonly action: StagedAction }
  /** End what runs, because the call will not go on. */
  | { readonly _tag: "Interrupt" }
  /** End what the attempt left open, such as a generator, and wait for it. */
  | { readonly _tag: "Close" }
  | { readonly _tag: "RunFinal" }
  | { readonly _tag: "Judge" }
  /** Tell the end, and leave. */
  | { readonly _tag: "TellEnd" }

const of = <Tag extends Command["_tag"]>(_tag: Tag) => ({ _tag }) as const

/** The commands that carry no data, made once. */
export const prepare: Command = of("Prepare")
export const tellStarted: Command = of("TellStarted")
export const announce: Command = of("Announce")
export const run: Command = of("Run")
export const reply: Command = of("Reply")
export const rule: Command = of("Rule")
export const review: Command = of("Review")
export const ask: Command = of("Ask")
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

/** Where commands go: done in the order of their coming. */
export interface Outbox {
  push(command: Command): unknown
}
