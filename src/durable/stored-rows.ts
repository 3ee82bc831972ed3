/** The rows of a store's tables. Both databases use the same column names. */
import type { StoredCall, StoredState, StoredTaskTexts } from "./store.ts"

/** The columns of a task. */
export interface TaskColumns {
  readonly task: string
}

/** The columns of an action. */
export interface ActionColumns {
  readonly action_id: string
  readonly agent_id: string
  readonly place: number
  readonly dropping: boolean | number
  readonly label: string
  readonly source: string
  readonly snapshot: string | null
}

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
  tasks: ReadonlyArray<TaskColumns>,
  actions: ReadonlyArray<ActionColumns>,
  calls: ReadonlyArray<CallColumns>,
): StoredState => ({
  tasks: tasks.map(({ task }) => task),
  actions: actions.map((row) => ({
    actionId: row.action_id,
    agentId: row.agent_id,
    place: row.place,
    isDropping: Boolean(row.dropping),
    label: row.label,
    sourceToolName: row.source,
    snapshot: row.snapshot ?? undefined,
  })),
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
