/**
 * Keeps an executor's calls in a database. Changes are gathered, and stored together before anything is done that builds on
 * them; what is told waits until it is stored. Where the store fails, the calls wait, and it is tried again.
 */
import { AsyncResource } from "node:async_hooks"
import type { Command } from "../pipeline/call/command.ts"
import type { JournaledCall } from "../pipeline/call/journal.ts"
import type { CallSnapshot } from "../pipeline/call/snapshot.ts"
import type { CallRecord } from "../pipeline/call/state.ts"
import { writeStaged } from "../pipeline/call/write-snapshot.ts"
import type { ExecutorJournal, JournaledParts } from "../pipeline/executor-environment.ts"
import type { ToolEvent } from "../pipeline/model/event.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { StagedAction } from "../pipeline/model/staged-action.ts"
import type { BackgroundTask } from "../pipeline/stores/background-tasks.ts"
import type { StoreDatabase } from "./database.ts"
import { JournalEntry, type Progress } from "./journal-entry.ts"

/** What a journal is told of its executor. */
export interface JournalOptions {
  readonly approvalTimeout: number
  /** Whether functions of the host's are called before and after each call. */
  readonly hooks: { readonly before: boolean; readonly after: boolean }
  /** Told when the store fails, and, with undefined, when it is there again. */
  readonly onStoreError: ((error: unknown) => void) | undefined
}

/** Numbers of events that are given out before the store is told. */
const sequenceBlock = 100_000

/** Milliseconds between attempts to store. */
const retryAfter = 250

const ends: ReadonlySet<ToolEvent["_tag"]> = new Set([
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundCompleted",
])

/** What waits until all before it is stored. */
interface Waiting {
  readonly act: () => void
  /** Told where that will never be. */
  readonly lost?: (error: Error) => void
}

/** A write that belongs into the next transaction. */
type Write = (database: StoreDatabase) => void

/** The journal of one executor, in a database that its process owns. */
export class DatabaseJournal implements ExecutorJournal {
  readonly firstSequence: number
  private readonly database: StoreDatabase
  private readonly options: JournalOptions
  private readonly entries = new Map<string, JournalEntry>()
  private readonly changed = new Set<JournalEntry>()
  private readonly changedAgents = new Set<string>()
  /** What is dropped, and cleaned up after, by its id. */
  private readonly dropped = new Map<string, { readonly agentId: string; readonly action: StagedAction }>()
  private writes: Array<Write> = []
  /** What is done once all before it is stored, in order. */
  private readonly waiting: Array<Waiting> = []
  /** How many of them may be done. */
  private ready = 0
  private readonly listeners = new Set<(event: ToolEvent) => void>()
  private attached: JournaledParts | undefined
  /** The snapshots that calls are being restored from. */
  private restored: { readonly seq: number; readonly snapshot: CallSnapshot } | undefined
  private nextCall: number
  private lastSequence: number
  private reserved = 0
  /** Whether something has changed that has to be stored before the next handler runs. */
  private isUrgent = false
  private scheduled = false
  private delivering = false
  private retry: NodeJS.Timeout | undefined
  private closed = false
  /** Until its host has had the time to attach itself to the executor. */
  private isPaused = true

  constructor(database: StoreDatabase, options: JournalOptions) {
    this.database = database
    this.options = options
    const meta = (key: string) =>
      Number(database.get("SELECT value FROM meta WHERE key = ?", key)?.value ?? 0)
    this.firstSequence = meta("events")
    this.lastSequence = this.firstSequence
    this.nextCall = Number(database.get("SELECT max(seq) AS seq FROM calls")?.seq ?? 0) + 1
    this.reserve(this.firstSequence)
    this.store()
  }

  attach(parts: JournaledParts): void {
    this.attached = parts
    parts.mailbox.gate = (call, command) => this.allows(call as unknown as JournaledCall, command)
  }

  /** Lets the calls go on. */
  begin(): void {
    this.isPaused = false
    if (!this.closed) this.parts.mailbox.deliver()
  }

  /** Of the executor that it was attached to. */
  get parts(): JournaledParts {
    if (this.attached === undefined) throw new Error("This journal has no executor yet")
    return this.attached
  }

  /** Tells each event once it is stored, and deltas; gives a function that ends it. */
  listen(listener: (event: ToolEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Has a write made with the next ones. */
  write(write: Write): void {
    this.writes.push(write)
    this.schedule()
  }

  /** Resolves once all that has changed so far is stored. */
  stored(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new Error("The store was closed: open it again"))
      this.after(resolve, reject)
      this.commit()
    })
  }

  // --- What the executor tells

  added(call: JournaledCall): void {
    const { restored } = this
    const seq = restored?.seq ?? this.nextCall++
    const entry = new JournalEntry(call, seq, restored?.snapshot)
    this.entries.set(call.callId, entry)
    this.note(entry, true)
  }

  /** Has a call restored that is stored as this. */
  restoring(seq: number, snapshot: CallSnapshot, restore: () => void): void {
    this.restored = { seq, snapshot }
    restore()
    this.restored = undefined
  }

  moved(call: JournaledCall): void {
    const entry = this.entries.get(call.callId)
    if (entry?.call === call) this.note(entry, this.matters(call.record))
  }

  /** Whether what follows must not be done before it is stored: all but what is found out again. */
  private matters({ state, at, passed, edited, action, resume }: CallRecord): boolean {
    switch (state._tag) {
      case "Queued":
        return resume === undefined
      case "Preparing":
        return edited
      case "Running":
        return at > 0 || passed > 0 || edited || action !== undefined
      case "Judging":
        return this.options.hooks.after
      case "Ended":
        return false
      default:
        return true
    }
  }

  ended(call: JournaledCall): void {
    if (this.dropped.delete(call.callId)) {
      this.write((database) => database.run("DELETE FROM actions WHERE action_id = ?", call.callId))
      return
    }
    const entry = this.entries.get(call.callId)
    if (entry?.call !== call) return
    this.entries.delete(call.callId)
    this.changed.delete(entry)
    this.isUrgent = true
    const { result = null, seq } = entry
    const { agentId, name, callId } = call.record.call
    const at = Date.now()
    this.write((database) => {
      if (entry.stored !== undefined) {
        const ending =
          "UPDATE calls SET asks = 0, deadline = NULL, snapshot = NULL, result = ?, ended_at = ? WHERE seq = ?"
        database.run(ending, result, at, seq)
      } else {
        const inserting =
          "INSERT OR REPLACE INTO calls (seq, call_id, agent_id, name, result, ended_at) VALUES (?, ?, ?, ?, ?, ?)"
        database.run(inserting, seq, callId, agentId, name, result, at)
      }
    })
  }

  allows(call: JournaledCall, command: Command): boolean {
    if (this.closed || this.isPaused) return false
    if (!this.isOutward(command)) return true
    const isRun = command._tag === "Run" || command._tag === "RunFinal"
    const entry = isRun ? this.entries.get(call.callId) : undefined
    if (entry?.begin() === true) this.note(entry, true)
    return !this.isUrgent || this.commit()
  }

  /** Whether it reaches out of the executor: to a handler, to a function of the host's, or to what rules are kept in. */
  private isOutward({ _tag }: Command): boolean {
    switch (_tag) {
      case "Run":
      case "RunFinal":
      case "Reply":
      case "Review":
      case "Ask":
      case "Remember":
        return true
      case "Prepare":
        return this.options.hooks.before
      case "Judge":
        return this.options.hooks.after
      default:
        return false
    }
  }

  kept(task: BackgroundTask): void {
    const { id, endedAt = Date.now() } = task
    const text = JSON.stringify({ ...task, cause: undefined })
    this.write((database) =>
      database.run(
        "INSERT OR REPLACE INTO tasks (task_id, ended_at, task) VALUES (?, ?, ?)",
        id,
        endedAt,
        text,
      ),
    )
  }

  forgot(taskId: string): void {
    this.write((database) => database.run("DELETE FROM tasks WHERE task_id = ?", taskId))
  }

  staged(agentId: string): void {
    this.changedAgents.add(agentId)
    this.isUrgent = true
    this.schedule()
  }

  dropping(agentId: string, action: StagedAction): void {
    this.dropped.set(action.actionId, { agentId, action })
    this.staged(agentId)
  }

  // --- What is told

  get isHolding(): boolean {
    return this.waiting.length > 0
  }

  told(event: ToolEvent, give: () => void): void {
    this.lastSequence = Math.max(this.lastSequence, event.seq)
    if (this.lastSequence > this.reserved - sequenceBlock / 2) this.reserve(this.lastSequence)
    if (event._tag === "Delta") {
      if (this.waiting.length === 0) return this.give(event, give)
    } else this.noteEvent(event)
    this.waiting.push({ act: AsyncResource.bind(() => this.give(event, give)) })
    this.schedule()
  }

  private give(event: ToolEvent, give: () => void): void {
    give()
    for (const listener of this.listeners) listener(event)
  }

  private noteEvent(event: ToolEvent): void {
    const { agentId, seq, at } = event
    const text = eventText(event)
    this.writes.push((database) =>
      database.run(
        "INSERT OR REPLACE INTO events (seq, agent_id, at, event) VALUES (?, ?, ?, ?)",
        seq,
        agentId,
        at,
        text,
      ),
    )
    if (!("callId" in event)) return
    const entry = this.entries.get(event.callId)
    if (entry === undefined) return
    if (event._tag === "Started") {
      entry.toldStarted = true
      // Its row says so in the same transaction.
      this.changed.add(entry)
    }
    if (ends.has(event._tag)) entry.result = text
  }

  after(act: () => void, lost?: (error: Error) => void): void {
    if (!this.isDirty && this.waiting.length === 0) return act()
    this.waiting.push({ act: AsyncResource.bind(act), ...(lost && { lost }) })
    this.schedule()
  }

  // --- Storing

  private reserve(from: number): void {
    const reserved = from + sequenceBlock
    this.reserved = reserved
    this.writes.push((database) =>
      database.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('events', ?)", reserved),
    )
  }

  private note(entry: JournalEntry, isUrgent: boolean): void {
    this.changed.add(entry)
    if (isUrgent) this.isUrgent = true
    this.schedule()
  }

  private get isDirty(): boolean {
    return this.writes.length > 0 || this.changed.size > 0 || this.changedAgents.size > 0
  }

  private schedule(): void {
    if (this.scheduled || this.retry !== undefined || this.closed) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.commit()
    })
  }

  /** Stores all that has changed, and then tells what waits for it. False where the store fails: it is tried again. */
  private commit(): boolean {
    if (this.closed || this.retry !== undefined) return false
    if (this.isDirty) {
      try {
        this.store()
      } catch (error) {
        this.failed(error)
        return false
      }
    }
    this.isUrgent = false
    this.ready = this.waiting.length
    this.deliver()
    return true
  }

  private store(): void {
    const { approvalTimeout } = this.options
    const now = Date.now()
    const rows = [...this.changed].map((entry) => ({ entry, progress: entry.progress(now, approvalTimeout) }))
    const news = rows.filter(({ entry, progress }) => progress.snapshot !== entry.stored)
    if (news.length + this.changedAgents.size + this.writes.length > 0) {
      this.database.transaction(() => {
        for (const { entry, progress } of news) this.storeCall(entry, progress)
        for (const agentId of this.changedAgents) this.storeActions(agentId)
        for (const write of this.writes) write(this.database)
      })
    }
    for (const { entry, progress } of news) entry.stored = progress.snapshot
    this.changed.clear()
    this.changedAgents.clear()
    this.writes = []
  }

  private storeCall(entry: JournalEntry, { snapshot, asks, deadline: until }: Progress): void {
    const { agentId, callId, name } = entry.call.record.call
    const deadline = until ?? null
    const inserting =
      "INSERT OR REPLACE INTO calls (seq, call_id, agent_id, name, asks, snapshot, deadline) VALUES (?, ?, ?, ?, ?, ?, ?)"
    const updating = "UPDATE calls SET asks = ?, snapshot = ?, deadline = ? WHERE seq = ?"
    if (entry.stored === undefined) {
      this.database.run(inserting, entry.seq, callId, agentId, name, asks ? 1 : 0, snapshot, deadline)
    } else this.database.run(updating, asks ? 1 : 0, snapshot, deadline, entry.seq)
  }

  private storeActions(agentId: string): void {
    const { database } = this
    database.run("DELETE FROM actions WHERE agent_id = ?", agentId)
    const pending = this.parts.actions.all(agentId)
    for (const [place, action] of pending.entries()) this.storeAction(agentId, place, action, false)
    for (const dropped of this.dropped.values()) {
      if (dropped.agentId === agentId) this.storeAction(agentId, 0, dropped.action, true)
    }
  }

  private storeAction(agentId: string, place: number, action: StagedAction, isDropping: boolean): void {
    const { actionId, label, sourceToolName } = action
    const inserting =
      "INSERT OR REPLACE INTO actions (action_id, agent_id, place, dropping, label, source, snapshot) VALUES (?, ?, ?, ?, ?, ?, ?)"
    const snapshot = actionText(action)
    this.database.run(
      inserting,
      actionId,
      agentId,
      place,
      isDropping ? 1 : 0,
      label,
      sourceToolName,
      snapshot,
    )
  }

  private failed(error: unknown): void {
    this.retry = setTimeout(() => {
      this.retry = undefined
      if (!this.commit()) return
      this.report(undefined)
      this.attached?.mailbox.deliver()
    }, retryAfter)
    this.report(error)
  }

  private report(error: unknown): void {
    try {
      this.options.onStoreError?.(error)
    } catch {
      // The calls wait, whatever those do who are told.
    }
  }

  /** In order, also what is told meanwhile, once that is stored. */
  private deliver(): void {
    if (this.delivering) return
    this.delivering = true
    try {
      while (this.ready > 0) {
        this.ready -= 1
        this.waiting.shift()!.act()
      }
    } finally {
      this.delivering = false
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    const wasAway = this.retry !== undefined
    this.stopRetry()
    if (this.commit() && wasAway) this.report(undefined)
    this.closed = true
    this.stopRetry()
    const error = new Error(
      "The store failed until it was closed: this was not stored. Open it again, and ask again",
    )
    for (const { lost } of this.waiting.splice(this.ready)) lost?.(error)
    this.database.close()
  }

  private stopRetry(): void {
    clearTimeout(this.retry)
    this.retry = undefined
  }
}

/** Its answer functions are not data, nor is a cause. */
const eventText = (event: ToolEvent): string => {
  const isOutcome = "cause" in event
  try {
    return JSON.stringify(isOutcome ? { ...event, cause: undefined } : event)
  } catch (error) {
    const { _tag, agentId, seq, at } = event
    const callId = "callId" in event ? { callId: event.callId } : {}
    return JSON.stringify({
      _tag,
      agentId,
      ...callId,
      seq,
      at,
      content: `This is no JSON: ${messageOf(error)}`,
    })
  }
}

const actionText = (action: StagedAction): string | null => {
  try {
    return JSON.stringify(writeStaged(action))
  } catch {
    // It was pushed with functions: it is told as dropped when its process has died.
    return null
  }
}
