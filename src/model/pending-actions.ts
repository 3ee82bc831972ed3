/** The previews of one agent that wait to be applied or discarded, as hosts and tools use them. */
import type { GivenOutput } from "../output/output.ts"

/** A pending action as hosts see it. `details` are for the host; no result shows them. */
export interface PendingAction {
  readonly actionId: string
  readonly label: string
  readonly sourceToolName: string
  readonly details?: unknown
}

/** The result of applying or discarding an action: an output, its text, or nothing. */
export type ActionResult = GivenOutput | undefined

/** `signal` is aborted when the `resolve` call is cancelled. */
export type ActionFunction = (
  reason: string,
  extra: Readonly<Record<string, unknown>> | undefined,
  context: { readonly signal: AbortSignal },
) => ActionResult | Promise<ActionResult>

/** An action that a host or a foreign tool pushes. */
export interface PushedAction {
  /** A short text, shown with the result. */
  readonly label: string
  /** Default `"custom_tool"`. */
  readonly sourceToolName?: string
  readonly details?: unknown
  /** Makes the changes. Its output is the result; a throw leaves the action pending. */
  readonly apply: ActionFunction
  /** Drops the changes. Undefined means the default text; a throw leaves the action pending. */
  readonly reject?: ActionFunction
}

/** The pending actions of one agent. */
export interface PendingActions {
  /** From the oldest to the latest. */
  list(): Array<PendingAction>
  /** The latest action, which `resolve` takes next. */
  peek(): PendingAction | undefined
  readonly hasPending: boolean
  /** Adds an action and returns its id. Throws if the agent has too many. */
  push(action: PushedAction): string
  /** Drops the pending actions: only the finally handlers of each action run. */
  clear(): void
}
