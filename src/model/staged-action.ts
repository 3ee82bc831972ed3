/** A pending action with the parts that apply, discard and clean up. */
import type { AsyncResource } from "node:async_hooks"
import type { ToolOutput } from "../output/output.ts"
import type { ToolCall } from "./call.ts"
import type { CallMemory, EffectHandler } from "./handler.ts"
import type { PendingAction } from "./pending-actions.ts"
import type { FinallyPart, PipelinePart } from "./pipeline.ts"

/** The call that staged an action, and the position in its pipeline, from which the pipeline is composed again. */
export interface Staging {
  readonly call: ToolCall
  /** The index of the part after the gate that staged the action. */
  readonly at: number
  /** The kinds and names of the pipeline's parts. */
  readonly shape: string
  /** The version of the tool that composed them, if it has one. */
  readonly toolVersion: string | undefined
  /** Names the call's span, to which that of `resolve` links. */
  readonly traceParent?: string | undefined
}

/** A pending action with the parts that apply, discard and clean up. */
export interface StagedAction extends PendingAction {
  /** The name and parameters of the staging call; for a pushed action, those of a call in its name. */
  readonly source: Pick<ToolCall, "name" | "params">
  /** The staging call and position; undefined for a pushed action. */
  readonly staging: Staging | undefined
  /** The output at the gate, which the first handler after it sees. */
  readonly output: ToolOutput | undefined
  /** The memory of the staging call. */
  readonly memory: CallMemory | undefined
  /** The parts that run when the action is applied. */
  readonly rest: ReadonlyArray<PipelinePart<unknown>>
  readonly onDiscard: EffectHandler<unknown> | undefined
  readonly finals: ReadonlyArray<FinallyPart<unknown>>
  /** The async context of the staging call, for the cleanup of a dropped action. Absent for a restored action. */
  readonly asyncContext?: AsyncResource | undefined
}
