/** The executor of a store: its calls outlive the process that runs them. */
import type { ToolExecutor } from "../pipeline/executor.ts"
import type { DurableCalls } from "./durable-calls.ts"

/** How `untilTaken` waits for agents that belong to another process. */
export interface AgentWait {
  readonly signal: AbortSignal
  /** Called once if some of the agents belong to another process. */
  readonly onWait: () => void
}

/** The start of the numbers of a host's calls, so that no two hosts of a store use the same id. */
export interface CallNumbers {
  /** The text before each number. */
  readonly callPrefix: string
  /** The last number in use: the next call has the number after it. */
  readonly callsBefore: number
}

/** Runs the calls of a store, and reads and answers all of them. */
export interface DurableExecutor extends DurableCalls {
  /**
   * The executor itself, for hosts in this process: everything that it does is stored. Its `shutdown` does not end calls: they
   * continue once the store is opened again. With Postgres, a new executor replaces it if other processes considered this process
   * dead, which `onStoreError` reports.
   */
  readonly executor: ToolExecutor
  /** @internal Resolves once each agent has nothing stored, belongs to this process, or belongs to a process that is alive. */
  untilTaken(agentIds: ReadonlyArray<string>, wait: AgentWait): Promise<void>
  /** @internal */
  callNumbers(): Promise<CallNumbers>
}
