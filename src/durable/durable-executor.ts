/** The executor of a store: its calls outlive the process that runs them. */
import type { ToolExecutor } from "../pipeline/executor.ts"
import type { DurableCalls } from "./durable-calls.ts"

/** Runs calls of a store, and sees and answers all of them. */
export interface DurableExecutor extends DurableCalls {
  /**
   * The executor itself, for the hosts that are in this process: all that it does is stored. Its `shutdown` ends no call: they
   * go on once the store is opened again. Where several processes run the calls of a store it is another one after others held
   * this process to be dead: `onStoreError` is told.
   */
  readonly executor: ToolExecutor
  /** @internal The place of the latest call: hosts that make up ids of numbers begin behind it, so that no id is used twice. */
  lastNumber(): Promise<number>
}
