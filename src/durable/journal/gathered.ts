/** The changes since the last commit. */

import type { StagedAction } from "../../model/staged-action.ts"
import { writeStagedText } from "../../snapshots/write-snapshot.ts"
import { withinBounds } from "../kept-text.ts"
import type { ActionRow, Changes, EventRow, KeyRow, RuleRow, TaskRow } from "../store.ts"
import type { JournalEntry } from "./journal-entry.ts"

/** Rows that are stored as they are gathered. */
const noRows = () => ({
  events: [] as Array<EventRow>,
  tasks: new Map<string, TaskRow | undefined>(),
  cleaned: [] as Array<string>,
  rules: [] as Array<RuleRow>,
  keys: [] as Array<KeyRow>,
  answers: new Map<number, string>(),
})

/** The changes of one commit, and the calls that they belong to. */
export interface Taken {
  readonly changes: Changes
  readonly entries: ReadonlyArray<JournalEntry>
  readonly ended: ReadonlyArray<JournalEntry>
}

/** Gathers changes that are stored together. */
export class Gathered {
  /** The actions of an agent, from the oldest to the latest. */
  private readonly actionsOf: (agentId: string) => ReadonlyArray<StagedAction>
  rows = noRows()
  private readonly changed = new Set<JournalEntry>()
  private ended: Array<JournalEntry> = []
  private readonly agents = new Set<string>()
  /** Dropped actions whose finally handlers run, by their ids. */
  private readonly dropping = new Map<string, { readonly agentId: string; readonly action: StagedAction }>()

  /** Agents that belong to other processes: their changes are not stored. */
  private readonly foreignAgents = new Set<string>()
  /** Ids of refused calls that have not ended: other calls of the store have these ids. */
  private readonly refusedIds = new Set<string>()
  /** Whether the last event number has to be stored by itself. */
  private isTouched = false

  constructor(actionsOf: (agentId: string) => ReadonlyArray<StagedAction>) {
    this.actionsOf = actionsOf
  }

  get isEmpty(): boolean {
    const { events, tasks, cleaned, rules, keys, answers } = this.rows
    const gathered = [this.changed, this.ended, this.agents, events, tasks, cleaned, rules, keys, answers]
    return !this.isTouched && gathered.every((rows) => ("size" in rows ? rows.size : rows.length) === 0)
  }

  /** The agents of all changes, and of those being stored; undefined if these may be of any agent. */
  agentIds(storing: Taken | undefined): Set<string> | undefined {
    const { changed, agents } = this
    const { changes, entries = [], ended = [] } = storing ?? {}
    const rows = [...changed, ...this.ended, ...this.rows.events, ...this.rows.tasks.values()]
    rows.push(...entries, ...ended, ...(changes?.events ?? []), ...(changes?.tasks.values() ?? []))
    if (rows.includes(undefined)) return undefined
    return new Set([...rows.map((row) => row!.agentId), ...agents, ...(changes?.actions.keys() ?? [])])
  }

  /** Stores no changes of these agents until `admit` is called for them. */
  leaveOut(agentIds: Iterable<string>): void {
    for (const agentId of agentIds) this.foreignAgents.add(agentId)
  }

  /** Stores no changes of a call. `isOpen`: whether the call has not ended yet. */
  refuse(callId: string, isOpen: boolean): void {
    if (isOpen) this.refusedIds.add(callId)
    this.ended = this.ended.filter((entry) => entry.callId !== callId)
    this.rows.tasks.delete(callId)
  }

  /** Stores the changes of an agent from here on. */
  admit(agentId: string): void {
    this.foreignAgents.delete(agentId)
  }

  /** Whether a call was refused and has not ended. */
  isRefused(callId: string): boolean {
    return this.refusedIds.has(callId)
  }

  /** Whether any refused call has not ended. */
  get isRefusing(): boolean {
    return this.refusedIds.size > 0
  }

  /** Requires the last event number to be stored. */
  touch(): void {
    this.isTouched = true
  }

  call(entry: JournalEntry): void {
    this.changed.add(entry)
  }

  /** Returns false for a refused call: its end is not stored, because its id belongs to another call. */
  end(entry: JournalEntry): boolean {
    this.changed.delete(entry)
    if (this.refusedIds.delete(entry.callId)) return false
    this.ended.push(entry)
    return true
  }

  staged(agentId: string): void {
    this.agents.add(agentId)
  }

  drop(agentId: string, action: StagedAction): void {
    this.dropping.set(action.actionId, { agentId, action })
    this.agents.add(agentId)
  }

  /** Records that a dropped action is cleaned up. Returns false if the id belongs to no such action. */
  clean(actionId: string): boolean {
    if (!this.dropping.delete(actionId)) return false
    this.rows.cleaned.push(actionId)
    return true
  }

  /** Returns all changes, and starts again. */
  take(lastSequence: number): Taken {
    const now = Date.now()
    const entries: Array<JournalEntry> = []
    const isOurs = ({ agentId }: { readonly agentId: string }) => !this.foreignAgents.has(agentId)
    const calls = [...this.changed].flatMap((entry) => {
      if (!isOurs(entry) || this.refusedIds.has(entry.callId)) return []
      const row = entry.row(now)
      if (row === undefined) return []
      entries.push(entry)
      return [row]
    })
    const ended = this.ended.filter(isOurs)
    const { rows } = this
    const tasks = new Map([...rows.tasks].filter(([, row]) => row === undefined || isOurs(row)))
    const agents = [...this.agents].filter((agentId) => !this.foreignAgents.has(agentId))
    const actions = new Map(agents.map((agentId) => [agentId, this.actionRows(agentId)]))
    this.isTouched = false
    this.changed.clear()
    this.agents.clear()
    this.ended = []
    this.rows = noRows()
    const endedRows = ended.map((entry) => entry.endedRow)
    return { changes: { ...rows, tasks, lastSequence, ended: endedRows, calls, actions }, entries, ended }
  }

  /** Gathers the changes of a failed commit again. `isSure`: whether it is certain that nothing was stored. */
  putBack({ changes, entries, ended }: Taken, isSure: boolean): void {
    this.isTouched = true
    for (const entry of [...entries, ...ended]) {
      entry.commitFailed(isSure)
      if (!entry.isOver) this.changed.add(entry)
    }
    this.ended.unshift(...ended)
    for (const agentId of changes.actions.keys()) this.agents.add(agentId)
    const { rows } = this
    this.rows = {
      events: [...changes.events, ...rows.events],
      tasks: new Map([...changes.tasks, ...rows.tasks]),
      cleaned: [...changes.cleaned, ...rows.cleaned],
      rules: [...changes.rules, ...rows.rules],
      keys: [...changes.keys, ...rows.keys],
      answers: new Map([...changes.answers, ...rows.answers]),
    }
  }

  private actionRows(agentId: string): Array<ActionRow> {
    const rows = this.actionsOf(agentId).map((action, place) => actionRow(agentId, place, action, false))
    for (const dropped of this.dropping.values()) {
      if (dropped.agentId === agentId) rows.push(actionRow(agentId, 0, dropped.action, true))
    }
    return rows
  }
}

const actionRow = (agentId: string, place: number, action: StagedAction, isDropping: boolean): ActionRow => {
  const { actionId, label, sourceToolName } = action
  return { actionId, agentId, place, isDropping, label, sourceToolName, snapshot: actionText(action) }
}

const actionText = (action: StagedAction): string | null => {
  try {
    return withinBounds(writeStagedText(action))
  } catch {
    // An action that has functions, or is too long, is reported as dropped by the next process.
    return null
  }
}
