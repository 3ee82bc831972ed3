/** A pending action as hosts see it, and with what it takes to end it. */
import type { ToolCall } from "./call.ts"
import type { EffectHandler } from "./handler.ts"
import type { ToolOutput } from "./output.ts"
import type { FinallyPart, PipelinePart } from "./pipeline.ts"

/** A pending action as hosts see it. `details` are the host's; no result shows them. */
export interface PendingAction {
  readonly actionId: string
  readonly label: string
  readonly sourceToolName: string
  readonly details?: unknown
}

/** An action with what it takes to end it. */
export interface StagedAction extends PendingAction {
  /** The staging call; of a pushed action, one in its name. */
  readonly source: Pick<ToolCall, "name" | "params">
  /** The staging call as it was composed, and the index of the part behind its gate; undefined for a pushed action. */
  readonly staging: { readonly call: ToolCall; readonly at: number } | undefined
  /** The output at the gate, which the first handler behind it sees. */
  readonly output: ToolOutput | undefined
  /** What runs when it is applied. */
  readonly rest: ReadonlyArray<PipelinePart<unknown>>
  readonly onDiscard: EffectHandler<unknown> | undefined
  readonly finals: ReadonlyArray<FinallyPart<unknown>>
}
