/** What a database does for the calls of a store, whichever database it is. */
import type { ToolCall } from "../pipeline/model/call.ts"
import type { InboxItem, InboxOptions } from "./inbox.ts"
import type { Request } from "./requests.ts"
import type { StoredEvent } from "./stored-event.ts"

/** A call that has not ended. */
export interface CallRow {
  readonly callId: string
  readonly agentId: string
  readonly name: string
  /** Whether nothing is stored of it yet. */
  readonly isNew: boolean
  /** Whether it was to be stored before, and the store has failed: it may be there all the same. */
  readonly mayBeThere: boolean
  /** Whether its host is asked something. */
  readonly asks: boolean
  readonly background: boolean
  /** JSON of a CallSnapshot. */
  readonly snapshot: string
  /** Epoch milliseconds until when an answer is waited for. */
  readonly deadline: number | undefined
}

/** What of a row may change while its call goes on. */
export type WrittenRow = Pick<CallRow, "snapshot" | "asks" | "deadline">

/** A call that has ended. */
export interface EndedRow extends Pick<CallRow, "callId" | "agentId" | "name" | "isNew" | "mayBeThere"> {
  /** JSON of its last event. */
  readonly result: string | undefined
  readonly endedAt: number
}

/** An event that is told once it is stored. */
export interface EventRow {
  /** In the order of the executor that tells it. */
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

/** An action that is pending, or is cleaned up after. */
export interface ActionRow {
  readonly actionId: string
  readonly agentId: string
  readonly place: number
  /** Whether nobody resolves it any more, and its finally handlers run. */
  readonly isDropping: boolean
  readonly label: string
  readonly sourceToolName: string
  /** JSON of a CallSnapshot; undefined where it was pushed with functions. */
  readonly snapshot: string | undefined
}

/** A rule that an approval made. JSON texts. */
export interface RuleRow {
  readonly cwd: string
  readonly tool: string
  readonly params: string
  readonly choice: string
}

/** What has changed since the last time, and is stored together. */
export interface Changes {
  /** The last number that an event of this executor has. */
  readonly lastSequence: number
  readonly ended: ReadonlyArray<EndedRow>
  readonly calls: ReadonlyArray<CallRow>
  readonly events: ReadonlyArray<EventRow>
  /** By id; undefined for one that is forgotten. */
  readonly tasks: ReadonlyMap<string, TaskRow | undefined>
  /** All of each agent whose actions have changed. */
  readonly actions: ReadonlyMap<string, ReadonlyArray<ActionRow>>
  /** Actions that are cleaned up after. */
  readonly cleaned: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RuleRow>
  /** To requests of other processes, by their number: JSON of a RequestAnswer. */
  readonly answers: ReadonlyMap<number, string>
}

/** What is put back into an executor. */
export interface StoredState {
  /** JSON of a BackgroundTask each, in the order of their ending. */
  readonly tasks: ReadonlyArray<string>
  /** In their order. */
  readonly actions: ReadonlyArray<ActionRow>
  /** Those that have not ended, in the order of their enqueueing. */
  readonly calls: ReadonlyArray<StoredCall>
}

/** A call that has not ended, as it is read. */
export interface StoredCall extends Pick<CallRow, "callId" | "agentId" | "name"> {
  readonly row: WrittenRow
  /** Whether no executor has taken it in yet. */
  readonly isFresh?: boolean
}

/** Where the journal of a running executor goes. */
export interface JournalStore {
  /** How many numbers were given to events before. */
  readonly firstSequence: number
  /** Stores all of it, or nothing. At once where the database is in this process. */
  commit(changes: Changes): void | Promise<void>
  /** False while others may hold this process to be dead: then it starts nothing. Default true. */
  readonly isCurrent?: boolean
  close(): void | Promise<void>
}

/** What is read of tasks. */
export interface TaskQuery {
  readonly taskId?: string | undefined
  readonly agentId?: string | undefined
}

/** JSON texts of tasks that have ended, and of the snapshots of background calls that have not, as they stood at one moment. */
export interface StoredTaskTexts {
  readonly finished: ReadonlyArray<string>
  readonly open: ReadonlyArray<string>
}

/** What every process does with a store, whoever runs its calls. */
export interface CallStore {
  /** Queues calls; those whose ids are known are those. */
  enqueue(calls: ReadonlyArray<ToolCall>): Promise<void>
  /** What the process that runs the calls answers; false where nobody can. Rejects with what it throws. */
  ask(request: Request): Promise<unknown>
  inbox(options?: InboxOptions): Promise<Array<InboxItem>>
  /** A page of what was told after a place. */
  events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>>
  /** JSON of the last event of a call that has ended. */
  result(callId: string): Promise<string | undefined>
  tasks(query: TaskQuery): Promise<StoredTaskTexts>
  /** Of tasks that do not run: the JSON of a BackgroundTask of one that has ended, undefined for one that is unknown. */
  endedTasks(taskIds: ReadonlyArray<string>): Promise<ReadonlyMap<string, string | undefined>>
  /** Of what is stored: taken before it is read. */
  mark(): number
  /** Resolves once something may have been stored after the mark, and when the signal is aborted or the store is closed. */
  changed(mark: number, signal?: AbortSignal): Promise<void>
  readonly isClosed: boolean
  close(): Promise<void>
}

/** What is read; undefined where the store is closed meanwhile. Rejects with what else fails. */
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
 * Reads until there is something, each time that something may have been stored. Undefined where the signal is aborted, or the
 * store is closed, before.
 */
export const untilStored = async <T>(
  store: Pick<CallStore, "mark" | "changed" | "isClosed">,
  read: () => Promise<T | undefined> | T | undefined,
  signal?: AbortSignal,
): Promise<T | undefined> => {
  while (signal?.aborted !== true && !store.isClosed) {
    // Taken before it is read: what is stored meanwhile is seen the next time.
    const mark = store.mark()
    const found = await unlessClosed(store, read)
    if (found !== undefined) return found
    await store.changed(mark, signal)
  }
  return undefined
}
