/** The executor of a store: its calls outlive the process that runs them. */
import type { ToolExecutor } from "../pipeline/executor.ts"
import type { DurableCalls } from "./durable-calls.ts"

/** How `untilTaken` waits for agents that belong to another process. */
export interface AgentWait {
  readonly signal: AbortSignal
  /** Called once, if some of the agents belong to another process. */
  readonly onWait: () => void
}

/** Where a host starts to number its calls, so that no two hosts of a store use the same id. */
export interface CallNumbers {
  /** The text before each number. */
  readonly callPrefix: string
  /** The last number in use: the next call has the number after it. */
  readonly callsBefore: number
}

/** Runs calls of a store, and sees and answers all of them. */
export interface DurableExecutor extends DurableCalls {
  /**
   * The executor itself, for hosts in this process: all that it does is stored. Its `shutdown` ends no call: they continue once the
   * store is opened again. In Postgres a new executor takes its place when other processes took this one for dead, which
   * `onStoreError` reports.
   */
  readonly executor: ToolExecutor
  /** @internal Resolves once each agent has nothing stored, is this process's, or belongs to a process that proves to be alive. */
  untilTaken(agentIds: ReadonlyArray<string>, wait: AgentWait): Promise<void>
  /** @internal */
  callNumbers(): Promise<CallNumbers>
}
