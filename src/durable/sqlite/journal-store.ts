/** The writes and reads of the process that runs the calls of a SQLite store. */
import type { FullLimit, LimitUse } from "../../limits/stored-counts.ts"
import { maxReceiptCalls } from "../poisoned.ts"
import type { OpenRequest } from "../requests.ts"
import type { ActionRow, CallRow, Changes, EndedRow, JournalStore, RuleRow, StoredState } from "../store.ts"
import { FencedError } from "../store-error.ts"
import { type CallColumns, storedState } from "../stored-rows.ts"
import { hasReceipts, isBusy, type StoreDatabase } from "./database.ts"

/** Event numbers that are reserved in the store at a time. */
const sequenceBlock = 100_000

const lastEpoch = "SELECT value FROM meta WHERE key = 'owner'"
const nextEpoch =
  "INSERT INTO meta (key, value) VALUES ('owner', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value"

/** Event numbers for each millisecond: more than any process emits. */
const numbersEach = 1000
const numbersEnd = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"

/** How many pages are given back at once: a few milliseconds' work. */
const pagesAtOnce = 1000

/** The slot of the row of a call that has counted at its limits, and has not ended: its key is the call. */
const countedSlot = -1

/** A time in epoch milliseconds that never comes. */
const latest = Number.MAX_SAFE_INTEGER

/** The id without its last number: for a nested call, the id of its outer call. */
const outerId =
  "substr(rtrim(calls.call_id, '0123456789'), 1, length(rtrim(calls.call_id, '0123456789')) - 1)"
const isUnneeded = `NOT EXISTS (SELECT 1 FROM calls o WHERE o.call_id = ${outerId} AND o.ended_at IS NULL)`

/** Writes to the database as its owner. A commit is stored when it returns, or later if another process locks the database. */
export class SqliteJournalStore implements JournalStore {
  readonly firstSequence: number
  private readonly database: StoreDatabase
  private readonly closing: () => void
  /** The last reserved number: no event has a greater one. */
  private reserved = 0
  /** Grows with each owner. Set when this one opened the store. */
  private epoch = 0
  /** Whether any call may have counted at limits. */
  private hasUses: boolean

  /** `closing` is called before the database is closed. */
  constructor(database: StoreDatabase, closing: () => void) {
    this.database = database
    this.closing = closing
    const last = Number(database.get("SELECT value FROM meta WHERE key = 'events'")?.value ?? 0)
    // Not for a new store, which no backup can replace.
    this.firstSequence = last === 0 ? 0 : Math.max(last, Date.now() * numbersEach)
    this.hasUses = database.get("SELECT 1 AS found FROM uses LIMIT 1") !== undefined
    database.transaction(() => {
      this.epoch = Number(database.get(nextEpoch)?.value)
      if (last > 0) database.run(numbersEnd, `events before ${this.firstSequence}`, last)
      this.reserve(this.firstSequence)
    })
  }

  commit(changes: Changes): void | Promise<void> {
    try {
      this.commitAtOnce(changes)
    } catch (error) {
      if (!isBusy(error)) throw error
      return this.database.whenFree(() => this.commitAtOnce(changes))
    }
  }

  private commitAtOnce(changes: Changes): void {
    const { database } = this
    database.transaction(() => {
      // The lock cannot rule out a second owner: its file may be removed, or the store have another name.
      if (Number(database.get(lastEpoch)?.value) !== this.epoch) throw new FencedError()
      // First: a new call may have the id of one that ends here.
      for (const row of changes.ended) this.end(row)
      if (this.hasUses) for (const row of changes.ended) this.uncount(row)
      for (const row of changes.calls) this.write(row)
      for (const [agentId, rows] of changes.actions) this.writeActions(agentId, rows)
      for (const id of changes.cleaned) database.run("DELETE FROM actions WHERE action_id = ?", id)
      for (const [id, row] of changes.tasks) {
        if (row === undefined) database.run("DELETE FROM tasks WHERE task_id = ?", id)
        else {
          const inserting =
            "INSERT OR REPLACE INTO tasks (task_id, agent_id, ended_at, task) VALUES (?, ?, ?, ?)"
          database.run(inserting, id, row.agentId, row.endedAt, row.task)
        }
      }
      for (const { seq, agentId, at, event } of changes.events) {
        const inserting = "INSERT OR REPLACE INTO events (seq, agent_id, at, event) VALUES (?, ?, ?, ?)"
        database.run(inserting, seq, agentId, at, event)
      }
      for (const { cwd, tool, params, choice } of changes.rules) {
        const inserting = "INSERT INTO rules (cwd, tool, params, choice) VALUES (?, ?, ?, ?)"
        database.run(inserting, cwd, tool, params, choice)
      }
      if (changes.keys.length > 0) this.writeKeys(changes.keys)
      for (const [id, answer] of changes.answers) {
        database.run("UPDATE requests SET answer = ? WHERE id = ?", answer, id)
      }
      if (changes.lastSequence > this.reserved - sequenceBlock / 2) this.reserve(changes.lastSequence)
    })
  }

  /** Everything that is restored into an executor. */
  state(): StoredState {
    const { database } = this
    return storedState(
      database.all<{ task: string }>("SELECT task FROM tasks ORDER BY ended_at"),
      database.all<ActionRow>(
        `SELECT action_id AS actionId, agent_id AS agentId, place, dropping AS isDropping, label, source AS sourceToolName, snapshot
        FROM actions ORDER BY agent_id, place`,
      ),
      database.all<CallColumns>(
        "SELECT call_id, agent_id, name, snapshot, asks, deadline FROM calls WHERE ended_at IS NULL ORDER BY seq",
      ),
    )
  }

  wholeResult(agentId: string, callId: string): string | undefined {
    const reading =
      "SELECT snapshot FROM calls WHERE call_id = ? AND agent_id = ? AND ended_at IS NOT NULL AND snapshot IS NOT NULL"
    return this.database.get(reading, callId, agentId)?.snapshot as string | undefined
  }

  result(callId: string): string | undefined {
    const reading = "SELECT result FROM calls WHERE call_id = ? AND ended_at IS NOT NULL"
    return (this.database.get(reading, callId)?.result ?? undefined) as string | undefined
  }

  receipts(agentId?: string): Array<string> {
    const ofAgent = agentId === undefined ? "" : " AND agent_id = ?"
    const reading = `SELECT result FROM calls WHERE ${hasReceipts} AND ended_at IS NOT NULL${ofAgent} ORDER BY ended_at DESC LIMIT ${maxReceiptCalls}`
    const rows = this.database.all(reading, ...(agentId === undefined ? [] : [agentId]))
    return rows.map(({ result }) => String(result)).reverse()
  }

  /** No other process runs calls of the store. */
  claimKey(key: string): string | undefined {
    return this.keyOutput(key)
  }

  keyOutput(key: string): string | undefined {
    const reading = "SELECT output FROM keys WHERE key = ? AND expires_at > ?"
    return this.database.get(reading, key, Date.now())?.output as string | undefined
  }

  takeUses(callId: string, uses: ReadonlyArray<LimitUse>, now: number): Promise<FullLimit | undefined> {
    return this.database.whenFree(() => this.takeUsesAtOnce(callId, uses, now))
  }

  private takeUsesAtOnce(callId: string, uses: ReadonlyArray<LimitUse>, now: number): FullLimit | undefined {
    const { database } = this
    this.hasUses = true
    let full: FullLimit | undefined
    database.transaction(() => {
      const counted = "SELECT 1 AS found FROM uses WHERE key = ? AND slot = ?"
      // By a process that died before the call began.
      if (database.get(counted, callId, countedSlot) !== undefined) return
      for (const [index, { key, cost, max }] of uses.entries()) {
        database.run("DELETE FROM uses WHERE key = ? AND until <= ?", key, now)
        const row = database.get(
          "SELECT total(used) AS used, min(until) AS until FROM uses WHERE key = ?",
          key,
        )
        if (Number(row?.used) + cost > max) full ??= { index, wait: Number(row?.until) - now }
      }
      if (full !== undefined) return
      const marking = "INSERT INTO uses (key, slot, used, at) VALUES (?, ?, 0, ?)"
      database.run(marking, callId, countedSlot, now)
      for (const { key, cost, rate } of uses) {
        const slot = rate === undefined ? 0 : Math.ceil(now / rate.part)
        const until = rate === undefined ? null : Math.ceil(slot * rate.part + rate.per)
        const counting =
          "INSERT INTO uses (key, slot, used, until, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key, slot) DO UPDATE SET used = used + excluded.used, at = excluded.at"
        database.run(counting, key, slot, cost, until, now)
      }
    })
    return full
  }

  /** Whether any result was ever cut. */
  get hasResults(): boolean {
    return this.database.get("SELECT 1 AS found FROM meta WHERE key = 'results'") !== undefined
  }

  /** The rules of a folder. */
  rules(cwd: string): Array<RuleRow> {
    const reading = "SELECT cwd, tool, params, choice FROM rules WHERE cwd = ? ORDER BY id"
    return this.database.all<RuleRow>(reading, cwd)
  }

  /** The unanswered requests after a number, in order. */
  requests(after: number): Array<OpenRequest> {
    const reading = "SELECT id, request AS text FROM requests WHERE answer IS NULL AND id > ? ORDER BY id"
    return this.database.all<OpenRequest>(reading, after)
  }

  has(callId: string): boolean {
    return this.database.get("SELECT 1 AS found FROM calls WHERE call_id = ?", callId) !== undefined
  }

  /**
   * Deletes rows older than this many milliseconds, and makes the file smaller, in steps that hold up nothing else. The age is relative
   * to the last event, because the clock may be wrong when the store is opened, and there is no other clock.
   */
  async pruneWhenFree(retention: number): Promise<void> {
    const { database } = this
    await database.whenFree(() => this.prune(retention))
    const freePages = () => Number(database.get("PRAGMA freelist_count")?.freelist_count)
    for (let last = Number.POSITIVE_INFINITY, left = freePages(); left < last; left = freePages()) {
      last = left
      await database.whenFree(() => database.all(`PRAGMA incremental_vacuum(${pagesAtOnce})`))
      await new Promise(setImmediate)
    }
  }

  private prune(retention: number): void {
    const { database } = this
    const last = Number(database.get("SELECT max(at) AS at FROM events")?.at ?? 0)
    const before = Math.min(Date.now(), last) - retention
    database.transaction(() => {
      // The end of a nested call answers the handler of its outer call, which may run again.
      database.run(`DELETE FROM calls WHERE ended_at < ? AND ${isUnneeded}`, before)
      database.run("DELETE FROM events WHERE at < ?", before)
      database.run(
        "DELETE FROM meta WHERE key LIKE 'events before %' AND CAST(substr(key, 15) AS INTEGER) < ?",
        before * numbersEach,
      )
      database.run("DELETE FROM uses WHERE until <= ? OR until IS NULL AND at < ?", Date.now(), before)
      database.run("DELETE FROM requests WHERE answer IS NOT NULL AND at < ?", before)
    })
  }

  close(): void {
    this.closing()
    this.database.close()
  }

  private reserve(from: number): void {
    const reserved = from + sequenceBlock
    this.database.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('events', ?)", reserved)
    this.reserved = reserved
  }

  private write(row: CallRow): void {
    const { callId, agentId, name, isNew, snapshot } = row
    const deadline = row.deadline ?? null
    const [asks, background] = [row.asks ? 1 : 0, row.background ? 1 : 0]
    const inserting =
      "INSERT OR REPLACE INTO calls (call_id, agent_id, name, asks, background, snapshot, deadline) VALUES (?, ?, ?, ?, ?, ?, ?)"
    const updating = "UPDATE calls SET asks = ?, background = ?, snapshot = ?, deadline = ? WHERE call_id = ?"
    if (isNew) this.database.run(inserting, callId, agentId, name, asks, background, snapshot, deadline)
    else this.database.run(updating, asks, background, snapshot, deadline, callId)
  }

  /** Forgets whether an ended call has counted at its limits. */
  private uncount({ callId }: EndedRow): void {
    this.database.run("DELETE FROM uses WHERE key = ? AND slot = ?", callId, countedSlot)
  }

  private end({ callId, agentId, name, isNew, result: text, whole, endedAt }: EndedRow): void {
    const result = text ?? null
    const snapshot = whole ?? null
    if (whole !== undefined)
      this.database.run("INSERT OR IGNORE INTO meta (key, value) VALUES ('results', 1)")
    const inserting =
      "INSERT OR REPLACE INTO calls (call_id, agent_id, name, snapshot, result, ended_at) VALUES (?, ?, ?, ?, ?, ?)"
    const ending =
      "UPDATE calls SET asks = 0, deadline = NULL, snapshot = ?, result = ?, ended_at = ? WHERE call_id = ?"
    if (isNew) this.database.run(inserting, callId, agentId, name, snapshot, result, endedAt)
    else this.database.run(ending, snapshot, result, endedAt, callId)
  }

  private writeKeys(keys: Changes["keys"]): void {
    const now = Date.now()
    this.database.run("DELETE FROM keys WHERE expires_at <= ?", now)
    for (const { key, output, ttl } of keys) {
      const inserting = "INSERT OR REPLACE INTO keys (key, output, expires_at) VALUES (?, ?, ?)"
      if (output !== undefined) this.database.run(inserting, key, output, Math.min(now + ttl, latest))
    }
  }

  private writeActions(agentId: string, rows: ReadonlyArray<ActionRow>): void {
    this.database.run("DELETE FROM actions WHERE agent_id = ?", agentId)
    for (const { actionId, place, isDropping, label, sourceToolName, snapshot } of rows) {
      const inserting =
        "INSERT OR REPLACE INTO actions (action_id, agent_id, place, dropping, label, source, snapshot) VALUES (?, ?, ?, ?, ?, ?, ?)"
      const dropping = isDropping ? 1 : 0
      this.database.run(inserting, actionId, agentId, place, dropping, label, sourceToolName, snapshot)
    }
  }
}
