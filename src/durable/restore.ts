/** Puts what a store holds back into the executor that runs it now. */
import { type CallSnapshot, readSnapshot } from "../pipeline/call/snapshot.ts"
import type { JournaledParts } from "../pipeline/executor-environment.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { CallFilter } from "../pipeline/model/options.ts"
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
    .all("SELECT seq, snapshot FROM calls WHERE ended_at IS NULL ORDER BY seq")
    .map((row) => ({ seq: Number(row.seq), snapshot: readSnapshot(JSON.parse(textOf(row, "snapshot"))) }))

/** Actions that calls have applied or discarded already, though the store has not been told. */
const settledActions = (snapshots: ReadonlyArray<CallSnapshot>): ReadonlySet<string> =>
  new Set(
    snapshots.flatMap(({ standing }) =>
      standing?.settled === true && standing.action ? [standing.action.actionId] : [],
    ),
  )

/** Adds the rules that were remembered before. */
export const restoreRules = (
  database: StoreDatabase,
  filters: CallFilter,
  registry: ToolRegistry<never>,
): void => {
  for (const row of database.all("SELECT tool, params, choice FROM rules ORDER BY id")) {
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
