/** Puts what a store holds back into the executor that runs it now. */
import { type CallSnapshot, readSnapshot, snapshotVersion } from "../pipeline/call/snapshot.ts"
import type { JournaledParts } from "../pipeline/executor-environment.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { CallFilter } from "../pipeline/model/options.ts"
import { failed } from "../pipeline/model/outcome.ts"
import type { ToolRegistry } from "../pipeline/model/registry.ts"
import type { BackgroundTask } from "../pipeline/stores/background-tasks.ts"
import type { Row, StoreDatabase } from "./database.ts"
import type { DatabaseJournal } from "./journal.ts"

const textOf = (row: Row, column: string): string => String(row[column])

/** What is stored of the calls that have not ended, in the order of their enqueueing. */
const openCalls = (
  database: StoreDatabase,
): Array<{ readonly seq: number; readonly snapshot: CallSnapshot }> =>
  database
    .all("SELECT seq, call_id, agent_id, name, snapshot FROM calls WHERE ended_at IS NULL ORDER BY seq")
    .map((row) => ({ seq: Number(row.seq), snapshot: snapshotOf(row) }))

const snapshotOf = (row: Row): CallSnapshot => {
  try {
    return readSnapshot(JSON.parse(textOf(row, "snapshot")))
  } catch (error) {
    return unreadable(row, messageOf(error))
  }
}

/** What stands for a call that cannot be read: it ends as an Error, and the others go on. */
const unreadable = (row: Row, message: string): CallSnapshot => ({
  version: snapshotVersion,
  state: "queued",
  call: {
    agentId: textOf(row, "agent_id"),
    callId: textOf(row, "call_id"),
    name: textOf(row, "name"),
    params: {},
    decision: "deny",
    background: false,
  },
  refusal: failed(
    "failed",
    `What the store holds of this call cannot be read, so it cannot go on, and may have run in part: ${message}`,
  ),
})

/** Actions that calls have applied or discarded already, though the store has not been told. */
const settledActions = (snapshots: ReadonlyArray<CallSnapshot>): ReadonlySet<string> =>
  new Set(
    snapshots.flatMap(({ standing }) =>
      standing?.settled === true && standing.action ? [standing.action.actionId] : [],
    ),
  )

/** Adds the rules that were remembered before in this folder: elsewhere the same rule would allow something else. */
export const restoreRules = (
  database: StoreDatabase,
  filters: CallFilter,
  registry: ToolRegistry<never>,
  cwd: string,
): void => {
  for (const row of database.all("SELECT tool, params, choice FROM rules WHERE cwd = ? ORDER BY id", cwd)) {
    const tool = registry.get(textOf(row, "tool"))
    if (tool === undefined) continue
    try {
      filters.remember?.(tool, JSON.parse(textOf(row, "params")), JSON.parse(textOf(row, "choice")))
    } catch {
      // Without the rule the next call is asked again.
    }
  }
}

/** Tasks first, for ids are theirs; then actions, which calls claim; then calls, in their order. */
export const restoreAll = (
  database: StoreDatabase,
  journal: DatabaseJournal,
  parts: JournaledParts,
): void => {
  for (const row of database.all("SELECT task FROM tasks ORDER BY ended_at")) {
    parts.tasks.putBack(JSON.parse(textOf(row, "task")) as BackgroundTask)
  }
  const calls = openCalls(database)
  restoreActions(database, journal, parts, settledActions(calls.map(({ snapshot }) => snapshot)))
  for (const { seq, snapshot } of calls) {
    journal.restoring(seq, snapshot, () => parts.intake.restoreJournaled(snapshot))
  }
}

const restoreActions = (
  database: StoreDatabase,
  journal: DatabaseJournal,
  { intake, queue }: JournaledParts,
  settled: ReadonlySet<string>,
): void => {
  for (const row of database.all("SELECT * FROM actions ORDER BY agent_id, place")) {
    const agentId = textOf(row, "agent_id")
    const actionId = textOf(row, "action_id")
    if (settled.has(actionId)) {
      journal.staged(agentId)
      continue
    }
    try {
      if (row.snapshot === null) {
        throw new Error("It was pushed with functions, which ended with their process")
      }
      const { call, staged } = readSnapshot(JSON.parse(textOf(row, "snapshot")))
      if (row.dropping === 1) intake.restoreDropped({ ...call, agentId }, staged!)
      else intake.restoreStaged({ ...call, agentId }, staged!)
    } catch (error) {
      journal.staged(agentId)
      queue.push({
        _tag: "ActionResolved",
        agentId,
        actionId,
        label: textOf(row, "label"),
        sourceToolName: textOf(row, "source"),
        outcome: "dropped",
        cleanupErrors: [messageOf(error)],
        seq: 0,
        at: 0,
      })
    }
  }
}
