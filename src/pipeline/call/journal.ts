/**
 * Stores the calls of an executor, so that they survive its process. A command waits in the mailbox until the change that caused it
 * is stored, so that the host never sees an event that a crash could undo.
 */

import type { LimitJournal } from "../../limits/stored-counts.ts"
import type { BackgroundCompletedEvent, TerminalEvent } from "../../model/event.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { TaskJournal } from "../../tasks/background-tasks.ts"
import type { StoredReceipts } from "../../undo/receipts.ts"
import type { EventJournal } from "../events/event-stamps.ts"
import type { KeyJournal } from "../stores/call-keys.ts"
import type { Call } from "./call.ts"
import type { Command } from "./command.ts"

/** How a nested call ended in an earlier process. */
export interface NestedEnd {
  readonly event: TerminalEvent | BackgroundCompletedEvent
  readonly madeWith: string | undefined
}

/** Receives every change of an executor's calls, tasks and actions. */
export interface Journal extends EventJournal, TaskJournal, KeyJournal, LimitJournal {
  /** A call was added. */
  added(call: Call): void
  /** Calls `join` once the lane contains all of its calls that the store kept from earlier processes. */
  joins(call: Call, join: () => void): void
  /** The call's data has changed. */
  moved(call: Call): void
  /** The call has ended, and its terminal event was emitted. */
  ended(call: Call): void
  /** Whether the changes that the command depends on are stored. If not, the journal calls the mailbox's `deliver` later. */
  allows(call: Call, command: Command): boolean
  /**
   * Whether the next handler has to wait, because it may end its process as it did before. Such handlers run one at a time, so
   * that only the one that ends the process is blamed. If so, the journal calls `begin` later.
   */
  holdsBack(call: Call, begin: () => void): boolean
  /** Stores the full text of a result that was cut, together with the end of the call. Returns false if the text is too long. */
  keepsResult(call: Call, text: string): boolean
  /** Reads the stored end of a nested call: its last event and its fingerprint (`madeWith`). Undefined if the call has not ended. */
  nestedEnd(callId: string): Promise<NestedEnd | undefined>
  /** What handlers of an agent's calls that have ended have done and taken back, the oldest first. */
  receipts(agentId: string): Promise<ReadonlyArray<StoredReceipts>>
  /** Resolves once the call is stored as it is now. Rejects if it never will be. */
  keep(call: Call): Promise<void>
  /** Reads the stored full text of the result of a call of this agent. */
  wholeResult(agentId: string, callId: string): Promise<string | undefined>
  /** The pending actions of an agent have changed. */
  staged(agentId: string): void
  /** An action was dropped. Its finally handlers run in a call with the action's id, until that call ends. */
  dropping(agentId: string, action: StagedAction): void
}
