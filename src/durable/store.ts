/**
 * The interface between a database and the calls of a store: the rows, the changes to them, and the operations of readers
 * and writers.
 */

import type { FullLimit, LimitUse } from "../limits/stored-counts.ts"
import type { ToolCall } from "../model/call.ts"
import type { InboxItem, InboxOptions, WaitingCall } from "./inbox.ts"
import type { PoisonedCall } from "./poisoned.ts"
import type { Request } from "./requests.ts"
import type { StoredEvent } from "./stored-event.ts"

/** A call that has not ended. */
export interface CallRow {
  readonly callId: string
  readonly agentId: string
  readonly name: string
  /** Whether no data of the call is stored yet. */
  readonly isNew: boolean
  /** Whether a commit of this row failed with an uncertain outcome: the row may be stored all the same. */
  readonly mayBeThere: boolean
  /** Whether the call waits for an answer from its host. */
  readonly asks: boolean
  readonly background: boolean
  /** JSON of a CallSnapshot. */
  readonly snapshot: string
  /** When the wait for an answer ends, in epoch milliseconds. */
  readonly deadline: number | undefined
}

/** The columns of a row that may change until its call ends. */
export type WrittenRow = Pick<CallRow, "snapshot" | "asks" | "deadline">

/** A call that has ended. */
export interface EndedRow extends Pick<CallRow, "callId" | "agentId" | "name" | "isNew" | "mayBeThere"> {
  /** JSON of its last event. */
  readonly result: string | undefined
  /** JSON of the full text of its result, if that was cut: it replaces the snapshot. */
  readonly whole: string | undefined
  readonly endedAt: number
}

/** An event that is emitted once it is stored. */
export interface EventRow {
  /** Grows in the order in which the executor emitted the events. */
  readonly seq: number
  readonly agentId: string
  readonly at: number
  /** JSON of a StoredEvent. */
  readonly event: string
}

/** The result of a background task. */
export interface TaskRow {
  readonly taskId: string
  readonly agentId: string
  readonly endedAt: number
  /** JSON of a BackgroundTask. */
  readonly task: string
}

/** A staged action that is pending, or whose finally handlers run. */
export interface ActionRow {
  readonly actionId: string
  readonly agentId: string
  readonly place: number
  /** Whether the action can no longer be resolved, and its finally handlers run. SQLite has numbers for flags. */
  readonly isDropping: boolean | number
  readonly label: string
  readonly sourceToolName: string
  /** JSON of a CallSnapshot; null if the action was pushed with functions. */
  readonly snapshot: string | null
}

/** A rule that an approval made. All but `cwd` and `tool` are JSON. */
export interface RuleRow {
  readonly cwd: string
  readonly tool: string
  readonly params: string
  readonly choice: string
}

/** The idempotency key of a call that has ended. */
export interface KeyRow {
  readonly key: string
  readonly callId: string
  /** JSON of the output that answers other calls with the key; undefined if there is none, and one of those calls may run. */
  readonly output: string | undefined
  /** For how many milliseconds the output answers other calls. */
  readonly ttl: number
}

/** The changes since the last commit, to be stored together. */
export interface Changes {
  /** The number of the executor's last event. */
  readonly lastSequence: number
  readonly ended: ReadonlyArray<EndedRow>
  readonly calls: ReadonlyArray<CallRow>
  readonly events: ReadonlyArray<EventRow>
  /** By id; undefined for a task to remove. */
  readonly tasks: ReadonlyMap<string, TaskRow | undefined>
  /** All actions of each agent whose actions have changed. */
  readonly actions: ReadonlyMap<string, ReadonlyArray<ActionRow>>
  /** Ids of actions whose finally handlers have run. */
  readonly cleaned: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RuleRow>
  readonly keys: ReadonlyArray<KeyRow>
  /** JSON of a RequestAnswer, by the number of the request. */
  readonly answers: ReadonlyMap<number, string>
}

/** The state that is restored into an executor. */
export interface StoredState {
  /** JSON of each BackgroundTask, in the order in which they ended. */
  readonly tasks: ReadonlyArray<string>
  /** By agent, from the oldest to the latest. */
  readonly actions: ReadonlyArray<ActionRow>
  /** Calls that have not ended, in the order in which they were enqueued. */
  readonly calls: ReadonlyArray<StoredCall>
}

/** The row of a call that has not ended. */
export interface StoredCall extends Pick<CallRow, "callId" | "agentId" | "name"> {
  readonly row: WrittenRow
  /** Whether no executor has taken the call in yet. */
  readonly isFresh?: boolean
  /** Whether only other processes have the tool of the call. */
  readonly isElsewhere?: boolean
}

/** The store that the journal of a running executor writes to. */
export interface JournalStore {
  /** The number of the last event before this executor's first. */
  readonly firstSequence: number
  /** Stores all changes or none; synchronously if the database is in this process. */
  commit(changes: Changes): void | Promise<void>
  /** JSON of the full text of the result of an ended call, if that was cut. */
  wholeResult?(agentId: string, callId: string): string | undefined | Promise<string | undefined>
  /** JSON of the last event of a call that has ended. */
  result?(callId: string): string | undefined | Promise<string | undefined>
  /** The same of the latest calls that have receipts, the oldest first: of all agents, or of one. */
  receipts?(agentId?: string): ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  /**
   * Takes an idempotency key for a call: waits while a call of another process has it. Returns JSON of that call's output, or
   * undefined if this call has to run or is no longer `isWanted`.
   */
  claimKey?(
    key: string,
    callId: string,
    isWanted: () => boolean,
  ): string | undefined | Promise<string | undefined>
  /** JSON of the output that answers calls with this key. */
  keyOutput?(key: string): string | undefined | Promise<string | undefined>
  /** Whether other processes run calls of the store. Default false. */
  readonly isShared?: boolean
  /**
   * Counts a call, whose row is stored, at all of its limits; or at none, if one of them is full, and returns that one. `now`:
   * epoch milliseconds, for a store without its own clock.
   */
  takeUses?(
    callId: string,
    uses: ReadonlyArray<LimitUse>,
    now: number,
  ): FullLimit | undefined | Promise<FullLimit | undefined>
  /** Stops counting a call that has not ended among the running ones. */
  leaveUses?(callId: string): void
  /** False while other processes may consider this one dead: then it starts no work. Default true. */
  readonly isCurrent?: boolean
  close(): void | Promise<void>
}

/** Selects the tasks to read. */
export interface TaskQuery {
  readonly taskId?: string | undefined
  readonly agentId?: string | undefined
}

/** JSON texts of the ended tasks and of the snapshots of open background calls, read at the same moment. */
export interface StoredTaskTexts {
  readonly finished: ReadonlyArray<string>
  readonly open: ReadonlyArray<string>
}

/** The operations of every process on a store, whichever process runs its calls. */
export interface CallStore {
  /** Queues calls, except those whose ids are known. */
  enqueue(calls: ReadonlyArray<ToolCall>): Promise<void>
  /**
   * Sends a request to the process that runs the calls; false if no process can answer. Rejects with the error of that
   * process.
   */
  ask(request: Request): Promise<unknown>
  inbox(options?: InboxOptions): Promise<Array<InboxItem>>
  awaitingTool(options: InboxOptions): Promise<Array<WaitingCall>>
  poisoned(options: InboxOptions): Promise<Array<PoisonedCall>>
  /** A page of the events after a cursor. */
  events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>>
  /**
   * The last number of those among which a cursor is. Each process that opens a store continues at the numbers of its time, which no
   * process used before the store was restored from a backup: a cursor after the last of them is of an event that was lost.
   */
  lastSequence(after: number): Promise<number>
  /** JSON of the last event of a call that has ended. */
  result(callId: string): Promise<string | undefined>
  tasks(query: TaskQuery): Promise<StoredTaskTexts>
  /** For each task that is not running: JSON of its BackgroundTask, or undefined if the task is unknown. */
  endedTasks(taskIds: ReadonlyArray<string>): Promise<ReadonlyMap<string, string | undefined>>
  /** The state of the store before a read, for `changed`. */
  mark(): number
  /** Resolves once something may have been stored after the mark, and when the signal is aborted or the store is closed. */
  changed(mark: number, signal?: AbortSignal): Promise<void>
  readonly isClosed: boolean
  close(): Promise<void>
}

/** Reads; undefined if the store is closed meanwhile. Rejects with any other failure. */
export const unlessClosed = async <T>(
  store: Pick<CallStore, "isClosed">,
  read: () => Promise<T> | T,
): Promise<T | undefined> => {
  try {
    return await read()
  } catch (error) {
    if (store.isClosed) return undefined
    throw error
  }
}

/**
 * Reads until there is a value, each time that something may have been stored. Undefined if the signal is aborted or the store is
 * closed first.
 */
export const untilStored = async <T>(
  store: Pick<CallStore, "mark" | "changed" | "isClosed">,
  read: () => Promise<T | undefined> | T | undefined,
  signal?: AbortSignal,
): Promise<T | undefined> => {
  while (signal?.aborted !== true && !store.isClosed) {
    // Marked before the read, so that `changed` detects what is stored during it.
    const mark = store.mark()
    const found = await unlessClosed(store, read)
    if (found !== undefined) return found
    await store.changed(mark, signal)
  }
  return undefined
}
