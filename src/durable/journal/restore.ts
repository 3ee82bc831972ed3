/** Restores the contents of a store into the executor that runs its calls. */

import type { CallFilter } from "../../model/options.ts"
import { failed } from "../../model/outcome.ts"
import type { ToolRegistry } from "../../model/registry.ts"
import {
  enqueue,
  restoreDropped,
  restoreJournaled,
  restoreStaged,
  tellDropped,
} from "../../pipeline/intake.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { readSnapshot } from "../../snapshots/check-snapshot.ts"
import { type CallSnapshot, queuedSnapshot } from "../../snapshots/snapshot.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ActionRow, RuleRow, StoredCall, StoredState } from "../store.ts"
import type { StoreJournal } from "./journal.ts"

const snapshotOf = (call: StoredCall): CallSnapshot => {
  try {
    return readSnapshot(JSON.parse(call.row.snapshot))
  } catch (error) {
    return unreadable(call, messageOf(error))
  }
}

/** Replaces a call that cannot be read: the call ends as an Error, and the others continue. */
const unreadable = ({ agentId, callId, name }: StoredCall, message: string): CallSnapshot =>
  queuedSnapshot(
    { agentId, callId, name, params: {}, decision: "deny", background: false },
    undefined,
    failed(
      "failed",
      `What the store holds of this call cannot be read, so it cannot go on, and may have run in part: ${message}`,
    ),
  )

/** The actions that calls have applied or discarded, although their rows still exist. */
const settledActions = (calls: ReadonlyArray<StoredCall>): ReadonlySet<string> =>
  new Set(
    calls.flatMap((call) => {
      const { settled, action } = snapshotOf(call)
      return settled === true && action ? [action.actionId] : []
    }),
  )

/** Adds rules that were remembered in this folder: in another folder the same rule would allow something else. */
export const restoreRules = (
  rules: ReadonlyArray<RuleRow>,
  filters: CallFilter,
  registry: ToolRegistry<never>,
): void => {
  for (const { tool: name, params, choice } of rules) {
    const tool = registry.get(name)
    if (tool === undefined) continue
    try {
      filters.remember?.(tool, JSON.parse(params), JSON.parse(choice))
    } catch {
      // Without the rule, the next call asks again.
    }
  }
}

/** Restores tasks first, because they reserve their ids; then actions, because calls claim them; then calls, in order. */
export const restoreAll = (state: StoredState, journal: StoreJournal): void => {
  const { engine } = journal
  for (const text of state.tasks) {
    const task = readTask(text)
    if (task !== undefined) engine.tasks.putBack(task)
  }
  if (state.actions.length > 0) restoreActions(state.actions, journal, settledActions(state.calls))
  // Read one by one, so that the snapshots of thousands of calls are never in memory together.
  for (const call of state.calls) {
    const snapshot = snapshotOf(call)
    if (call.isFresh && snapshot.attempts === undefined) takeInStored(call, journal, snapshot)
    else goOn(call, journal, snapshot)
  }
}

const goOn = ({ row }: StoredCall, journal: StoreJournal, snapshot: CallSnapshot): void =>
  journal.takingIn(snapshot, row, () => restoreJournaled(journal.engine, snapshot, journal.maxAttemptsOf))

/** Takes in the row of a call that no executor has received before. */
export const takeInStored = (call: StoredCall, journal: StoreJournal, snapshot = snapshotOf(call)): void => {
  if (snapshot.refusal === undefined) takeIn(snapshot, journal)
  else goOn(call, journal, snapshot)
}

/** Takes in a stored call that no executor has received before. */
export const takeIn = (snapshot: CallSnapshot, journal: StoreJournal): void =>
  journal.takingIn(snapshot, undefined, () => enqueue(journal.engine, [snapshot.call]))

/** A stored task; undefined for one that cannot be read. */
const readTask = (text: string): BackgroundTask | undefined => {
  try {
    const task: unknown = JSON.parse(text)
    const isTask = isPlainObject(task) && typeof task.id === "string" && typeof task.agentId === "string"
    return isTask ? (task as unknown as BackgroundTask) : undefined
  } catch {
    return undefined
  }
}

const restoreActions = (
  rows: ReadonlyArray<ActionRow>,
  journal: StoreJournal,
  settled: ReadonlySet<string>,
): void => {
  const { engine } = journal
  for (const row of rows) {
    const { agentId, actionId } = row
    if (settled.has(actionId)) {
      journal.staged(agentId)
      continue
    }
    try {
      if (row.snapshot === null) {
        throw new Error(
          "It was pushed with functions, which ended with their process, or was too long to be kept",
        )
      }
      const { call, action } = readSnapshot(JSON.parse(row.snapshot))
      if (row.isDropping) restoreDropped(engine, { ...call, agentId }, action!)
      else restoreStaged(engine, { ...call, agentId }, action!)
    } catch (error) {
      journal.staged(agentId)
      tellDropped(engine, agentId, row, [messageOf(error)])
    }
  }
}
