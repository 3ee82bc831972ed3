/** The executor of a store: its calls outlive the process that runs them. */
import type { ToolExecutor } from "../pipeline/executor.ts"
import type { DurableCalls } from "./durable-calls.ts"

/** How it is waited for agents that another process has. */
export interface AgentWait {
  readonly signal: AbortSignal
  /** Called once, where another process has some of them. */
  readonly onWait: () => void
}

/** How hosts that make up ids of numbers number their calls, so that no id is used twice, whoever else does so. */
export interface CallNumbers {
  /** What stands before each number. */
  readonly callPrefix: string
  /** Behind which the numbers begin. */
  readonly callsBefore: number
}

/** Runs calls of a store, and sees and answers all of them. */
export interface DurableExecutor extends DurableCalls {
  /**
   * The executor itself, for the hosts that are in this process: all that it does is stored. Its `shutdown` ends no call: they
   * go on once the store is opened again. Where several processes run the calls of a store it is another one after others held
   * this process to be dead: `onStoreError` is told.
   */
  readonly executor: ToolExecutor
  /** @internal Resolves once these agents are this process's or nobody's, or are found to be those of another that lives. */
  untilTaken(agentIds: ReadonlyArray<string>, wait: AgentWait): Promise<void>
  /** @internal */
  callNumbers(): Promise<CallNumbers>
}
