/** A store in one SQLite file, for every process that has it open. */
import type { ToolCall } from "../../model/call.ts"
import { pageSize } from "../event-log.ts"
import { type InboxItem, type InboxOptions, type InboxRow, inboxItem, pageOf } from "../inbox.ts"
import { PendingReads } from "../pending-reads.ts"
import { type PoisonedCall, type PoisonedRow, poisonedCall, poisonedMark, retryEnd } from "../poisoned.ts"
import type { Request, RequestAnswer } from "../requests.ts"
import type { CallStore, StoredTaskTexts, TaskQuery } from "../store.ts"
import { unansweredError } from "../store-error.ts"
import { readEvent, type StoredEvent } from "../stored-event.ts"
import { storedTaskTexts, type TaskOrCallColumns } from "../stored-rows.ts"
import { toWellFormed } from "../well-formed.ts"
import { StoreDatabase, type Value } from "./database.ts"
import { FileChanges } from "./file-changes.ts"

/** Joins the conditions that have a value. */
const where = (conditions: Readonly<Record<string, Value | undefined>>) => {
  const there = Object.entries(conditions).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return { sql: there.map(([sql]) => ` AND ${sql}`).join(""), values: there.map(([, value]) => value) }
}

/** Reads a store, and sends requests to the process that runs its calls. */
export class SqliteStore implements CallStore {
  private readonly database: StoreDatabase
  private readonly closing = new AbortController()
  private readonly changes: FileChanges
  private readonly answers = new PendingReads(this, (ids: ReadonlyArray<number>) => this.answersTo(ids))

  constructor(database: StoreDatabase) {
    this.database = database
    this.changes = new FileChanges(() => database.version)
  }

  /** Opens a store for a client, or for reading only. */
  static async open(path: string, isReading = false): Promise<SqliteStore> {
    return new SqliteStore(await StoreDatabase.open(path, false, isReading))
  }

  async enqueue(calls: ReadonlyArray<ToolCall>): Promise<void> {
    await this.ask({ _tag: "Enqueue", calls })
  }

  async ask(request: Request): Promise<unknown> {
    const id = await this.database.whenFree(() => this.insert(request))
    if (id === undefined) return false
    const answer = await this.answers.of(id)
    if (answer === undefined) throw unansweredError()
    if ("error" in answer) throw new Error(answer.error)
    return answer.took
  }

  inbox({ agentId, ...options }: InboxOptions = {}): Promise<Array<InboxItem>> {
    const ofAgent = where({ "agent_id = ?": agentId })
    const reading = `SELECT seq, snapshot, deadline FROM calls WHERE asks = 1 AND seq > ?${ofAgent.sql} ORDER BY seq LIMIT ?`
    const read = (after: number, limit: number) =>
      this.database.all<InboxRow>(reading, after, ...ofAgent.values, limit)
    return pageOf(read, inboxItem, options)
  }

  async awaitingTool() {
    return []
  }

  poisoned({ agentId, ...options }: InboxOptions): Promise<Array<PoisonedCall>> {
    const ofAgent = where({ "agent_id = ?": agentId })
    const reading = `SELECT seq, result FROM calls c
      WHERE ended_at IS NOT NULL AND seq > ?${ofAgent.sql} AND instr(result, ?) > 0
      AND NOT EXISTS (SELECT 1 FROM calls WHERE call_id = c.call_id || ?) ORDER BY seq LIMIT ?`
    const read = (after: number, limit: number) =>
      this.database.all<PoisonedRow>(reading, after, ...ofAgent.values, poisonedMark, retryEnd, limit)
    return pageOf(read, poisonedCall, options)
  }

  async events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>> {
    const ofAgent = where({ "agent_id = ?": agentId })
    const reading = `SELECT seq, event FROM events WHERE seq > ?${ofAgent.sql} ORDER BY seq LIMIT ${pageSize}`
    const rows = this.database.all(reading, after, ...ofAgent.values)
    return rows.map(({ seq, event }) => readEvent(String(event), `Row ${seq} of the table events`))
  }

  async lastSequence(after: number): Promise<number> {
    const reading = `SELECT min(value) AS last FROM meta WHERE key = 'events'
      OR key LIKE 'events before %' AND CAST(substr(key, 15) AS INTEGER) >= ?`
    return Number(this.database.get(reading, after)?.last ?? 0)
  }

  async result(callId: string): Promise<string | undefined> {
    const reading = "SELECT result FROM calls WHERE call_id = ?"
    return this.database.get<{ result: string | null }>(reading, callId)?.result ?? undefined
  }

  async tasks({ taskId, agentId }: TaskQuery): Promise<StoredTaskTexts> {
    const finished = where({ "task_id = ?": taskId, "agent_id = ?": agentId })
    const open = where({ "call_id = ?": taskId, "agent_id = ?": agentId })
    const rows = this.database.all<TaskOrCallColumns>(
      `SELECT task AS text, 0 AS open, ended_at AS place FROM tasks WHERE true${finished.sql}
      UNION ALL
      SELECT snapshot, 1, seq FROM calls WHERE background = 1 AND ended_at IS NULL${open.sql}
      ORDER BY open, place`,
      ...finished.values,
      ...open.values,
    )
    return storedTaskTexts(rows)
  }

  async endedTasks(taskIds: ReadonlyArray<string>): Promise<ReadonlyMap<string, string | undefined>> {
    const rows = this.database.all<{ place: number; task: string | null }>(
      `SELECT key AS place, task FROM json_each(?) LEFT JOIN tasks ON task_id = value
      WHERE task IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM calls WHERE call_id = value AND background = 1 AND ended_at IS NULL)`,
      // JSON escapes an unpaired surrogate, which SQLite decodes to invalid bytes.
      JSON.stringify(taskIds.map(toWellFormed)),
    )
    return new Map(rows.map(({ place, task }) => [taskIds[place]!, task ?? undefined]))
  }

  /** The greatest `seq` of a call, 0 if there is none: the next call gets a greater one. */
  get lastPlace(): number {
    return Number(this.database.get("SELECT max(seq) AS place FROM calls")?.place ?? 0)
  }

  mark(): number {
    return this.database.version
  }

  async changed(mark: number, signal?: AbortSignal): Promise<void> {
    if (!this.isClosed) await this.changes.after(mark, signal)
  }

  get isClosed(): boolean {
    return this.closed.aborted
  }

  /** Aborted once the store is closed. */
  get closed(): AbortSignal {
    return this.closing.signal
  }

  /** Ends all waits for changes. The database stays open for its other users in this process. */
  leave(): void {
    this.closing.abort()
    this.changes.end()
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.leave()
    this.database.close()
  }

  /** Undefined for a request about a call that has ended or is unknown: no process would have anything to answer. */
  private insert(request: Request): number | undefined {
    let id: number | undefined
    this.database.transaction(() => {
      if (request._tag !== "Enqueue" && !this.isOpen(request.callId)) return
      const inserting = "INSERT INTO requests (request, at) VALUES (?, ?)"
      id = this.database.run(inserting, JSON.stringify(request), Date.now())
    })
    return id
  }

  /** Whether a call has not ended, is about to be queued, or has left a task. */
  private isOpen(callId: string): boolean {
    const reading = `SELECT 1 FROM calls WHERE call_id = ?1 AND ended_at IS NULL
      UNION ALL SELECT 1 FROM tasks WHERE task_id = ?1
      UNION ALL SELECT 1 FROM requests, json_each(request, '$.calls') WHERE answer IS NULL AND value ->> 'callId' = ?1
      LIMIT 1`
    return this.database.get(reading, callId) !== undefined
  }

  private answersTo(ids: ReadonlyArray<number>): ReadonlyMap<number, RequestAnswer> {
    const reading =
      "SELECT id, answer FROM requests WHERE id IN (SELECT value FROM json_each(?)) AND answer IS NOT NULL"
    const rows = this.database.all(reading, JSON.stringify(ids))
    return new Map(rows.map(({ id, answer }) => [Number(id), JSON.parse(String(answer)) as RequestAnswer]))
  }
}
