/** The rows of a store's tables. Both databases use the same column names. */
import type { ActionRow, StoredCall, StoredState, StoredTaskTexts } from "./store.ts"

/** The columns of a call. `fresh` and `elsewhere` exist if several processes run the calls of the store. */
export interface CallColumns {
  readonly call_id: string
  readonly agent_id: string
  readonly name: string
  readonly snapshot: string
  readonly asks: boolean | number
  readonly deadline: number | null
  readonly fresh?: boolean
  readonly elsewhere?: boolean
}

/** Converts rows to the state that is restored into an executor. */
export const storedState = (
  tasks: ReadonlyArray<{ readonly task: string }>,
  actions: ReadonlyArray<ActionRow>,
  calls: ReadonlyArray<CallColumns>,
): StoredState => ({
  tasks: tasks.map(({ task }) => task),
  actions,
  calls: calls.map(storedCall),
})

export const storedCall = (row: CallColumns): StoredCall => ({
  callId: row.call_id,
  agentId: row.agent_id,
  name: row.name,
  row: { snapshot: row.snapshot, asks: Boolean(row.asks), deadline: row.deadline ?? undefined },
  isFresh: row.fresh === true,
  isElsewhere: row.elsewhere === true,
})

/** The columns of an ended task, or of an open background call. */
export interface TaskOrCallColumns {
  readonly text: string
  readonly open: boolean | number
}

/**
 * Sorts rows by whether the task is open. A single statement reads all rows: a task that ended between two would be in neither
 * result.
 */
export const storedTaskTexts = (rows: ReadonlyArray<TaskOrCallColumns>): StoredTaskTexts => {
  const finished: Array<string> = []
  const open: Array<string> = []
  for (const row of rows) (row.open ? open : finished).push(row.text)
  return { finished, open }
}
