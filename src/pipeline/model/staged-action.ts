/** A pending action with what it takes to end it. */
import type { AsyncResource } from "node:async_hooks"
import type { ToolOutput } from "../../output/output.ts"
import type { ToolCall } from "./call.ts"
import type { CallMemory, EffectHandler } from "./handler.ts"
import type { PendingAction } from "./pending-actions.ts"
import type { FinallyPart, PipelinePart } from "./pipeline.ts"

/** The call that staged an action, and where: what it takes to compose the action's pipeline again. */
export interface Staging {
  readonly call: ToolCall
  /** The index of the part behind its gate. */
  readonly at: number
  /** The kinds and names of the pipeline's parts. */
  readonly shape: string
}

/** An action with what it takes to end it. */
export interface StagedAction extends PendingAction {
  /** The staging call; of a pushed action, one in its name. */
  readonly source: Pick<ToolCall, "name" | "params">
  /** Where it was staged; undefined for a pushed action. */
  readonly staging: Staging | undefined
  /** The output at the gate, which the first handler behind it sees. */
  readonly output: ToolOutput | undefined
  /** What its handlers told each other. */
  readonly memory: CallMemory | undefined
  /** What runs when it is applied. */
  readonly rest: ReadonlyArray<PipelinePart<unknown>>
  readonly onDiscard: EffectHandler<unknown> | undefined
  readonly finals: ReadonlyArray<FinallyPart<unknown>>
  /** The async context of the staging call, for what cleans up where nobody resolves it. Not there once it was restored. */
  readonly asyncContext?: AsyncResource | undefined
}
