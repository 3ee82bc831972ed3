/**
 * What keeps the calls of an executor when its process dies. Nothing that follows from a change is done before the change is
 * stored: the mailbox waits, and with it the host, which is told of nothing that could be forgotten.
 */

import type { TaskJournal } from "../../tasks/background-tasks.ts"
import type { EventJournal } from "../events/event-stamps.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Call } from "./call.ts"
import type { Command } from "./command.ts"

/** Where the state of an executor's calls, tasks and actions goes. */
export interface Journal extends EventJournal, TaskJournal {
  /** A call was taken in. */
  added(call: Call): void
  /** Its record has changed. */
  moved(call: Call): void
  /** It has ended, and its end was told. */
  ended(call: Call): void
  /** Whether this may be done: all that it builds on is stored. If not, the mailbox is asked to deliver again once it is. */
  allows(call: Call, command: Command): boolean
  /** The pending actions of an agent have changed. */
  staged(agentId: string): void
  /** An action is dropped: its finally handlers run until the call of its id has ended. */
  dropping(agentId: string, action: StagedAction): void
}
