/** What goes on in a store, as the columns of its tables say it: in both databases they have the same names. */
import type { StoredState } from "./store.ts"

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

/** The columns of a call. `fresh`: where several processes run the calls of a store. */
export interface CallColumns {
  readonly call_id: string
  readonly agent_id: string
  readonly name: string
  readonly snapshot: string
  readonly fresh?: boolean
}

/** What is put back into an executor. */
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
  calls: calls.map((row) => ({
    callId: row.call_id,
    agentId: row.agent_id,
    name: row.name,
    snapshot: row.snapshot,
    isFresh: row.fresh === true,
  })),
})
