/**
 * Stores the calls of an executor, so that they survive its process. A command waits in the mailbox until the change that caused it
 * is stored, so that the host never sees an event that a crash could undo.
 */

import type { LimitJournal } from "../../limits/stored-counts.ts"
import type { TaskJournal } from "../../tasks/background-tasks.ts"
import type { EventJournal } from "../events/event-stamps.ts"
import type { BackgroundCompletedEvent, TerminalEvent } from "../model/event.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { KeyJournal } from "../stores/call-keys.ts"
import type { Call } from "./call.ts"
import type { Command } from "./command.ts"

/** How a nested call ended, in an earlier process. */
export interface NestedEnd {
  readonly event: TerminalEvent | BackgroundCompletedEvent
  readonly madeWith: string | undefined
}

/** Receives every change of an executor's calls, tasks and actions. */
export interface Journal extends EventJournal, TaskJournal, KeyJournal, LimitJournal {
  /** A call was added. */
  added(call: Call): void
  /** Calls `join` once every call of its lane that the store has from before is in the lane. */
  joins(call: Call, join: () => void): void
  /** The call's data has changed. */
  moved(call: Call): void
  /** The call has ended, and its terminal event was emitted. */
  ended(call: Call): void
  /** Whether the changes that the command depends on are stored. If not, the journal calls the mailbox's `deliver` later. */
  allows(call: Call, command: Command): boolean
  /**
   * Whether the handler that is next has to wait, because it may end its process as it did before: such handlers run one at a time, so
   * that only the one to blame is blamed. If so, the journal calls `begin` later.
   */
  holdsBack(call: Call, begin: () => void): boolean
  /** Stores the whole text of a call's result, which was cut, with the end of the call; false if it is too long. */
  keepsResult(call: Call, text: string): boolean
  /** The stored end of a nested call, as JSON of its last event and of what it was made with; undefined for a call that has not ended. */
  nestedEnd(callId: string): Promise<NestedEnd | undefined>
  /** The stored whole text of the result of a call of this agent. */
  wholeResult(agentId: string, callId: string): Promise<string | undefined>
  /** The pending actions of an agent have changed. */
  staged(agentId: string): void
  /** An action was dropped. Its finally handlers run in a call with the action's id, until that call ends. */
  dropping(agentId: string, action: StagedAction): void
}
