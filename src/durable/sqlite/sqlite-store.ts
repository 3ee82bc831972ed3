/** A store in one SQLite file, for whoever has it open. */
import type { ToolCall } from "../../pipeline/model/call.ts"
import { pageSize, type StoredEvent } from "../event-log.ts"
import { type InboxItem, type InboxOptions, inboxPage } from "../inbox.ts"
import type { Request, RequestAnswer } from "../requests.ts"
import { type CallStore, type StoredTaskTexts, type TaskQuery, untilStored } from "../store.ts"
import { unansweredError } from "../store-error.ts"
import { storedTaskTexts } from "../stored-rows.ts"
import { type Row, StoreDatabase, type Value } from "./database.ts"

/** Milliseconds between looks at the store. */
const lookAgain = 50

/** Until the next look, or until one of the signals is aborted. Nothing is left with them: they may outlive many looks. */
const pause = (signals: ReadonlyArray<AbortSignal>): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, lookAgain)
    for (const signal of signals) signal.addEventListener("abort", wake, { once: true })
  })

/** A condition for each that is there. */
const where = (conditions: Readonly<Record<string, Value | undefined>>) => {
  const there = Object.entries(conditions).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return { sql: there.map(([sql]) => ` AND ${sql}`).join(""), values: there.map(([, value]) => value) }
}

const texts = (rows: ReadonlyArray<Row>, column: string): Array<string> =>
  rows.map((row) => String(row[column]))

/** Reads a store, and asks the process that runs its calls. */
export class SqliteStore implements CallStore {
  private readonly database: StoreDatabase
  private readonly closing = new AbortController()

  constructor(database: StoreDatabase) {
    this.database = database
  }

  /** A client's. */
  static async open(path: string): Promise<SqliteStore> {
    return new SqliteStore(await StoreDatabase.open(path, false))
  }

  async enqueue(calls: ReadonlyArray<ToolCall>): Promise<void> {
    await this.ask({ _tag: "Enqueue", calls })
  }

  async ask(request: Request): Promise<unknown> {
    const answer = await this.answerTo(this.put(request))
    if ("error" in answer) throw new Error(answer.error)
    return answer.took
  }

  inbox({ agentId, ...options }: InboxOptions = {}): Promise<Array<InboxItem>> {
    const ofAgent = where({ "agent_id = ?": agentId })
    const reading = `SELECT seq, snapshot, deadline FROM calls WHERE asks = 1 AND seq > ?${ofAgent.sql} ORDER BY seq LIMIT ?`
    const read = (after: number, limit: number) =>
      this.database.all(reading, after, ...ofAgent.values, limit).map(({ seq, snapshot, deadline }) => ({
        seq: Number(seq),
        snapshot: String(snapshot),
        deadline: deadline === null ? null : Number(deadline),
      }))
    return inboxPage(read, options)
  }

  async events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>> {
    const ofAgent = where({ "agent_id = ?": agentId })
    const reading = `SELECT event FROM events WHERE seq > ?${ofAgent.sql} ORDER BY seq LIMIT ${pageSize}`
    const rows = this.database.all(reading, after, ...ofAgent.values)
    return texts(rows, "event").map((text) => JSON.parse(text) as StoredEvent)
  }

  async result(callId: string): Promise<string | undefined> {
    const row = this.database.get("SELECT result FROM calls WHERE call_id = ?", callId)
    return typeof row?.result === "string" ? row.result : undefined
  }

  async tasks({ taskId, agentId }: TaskQuery): Promise<StoredTaskTexts> {
    const finished = where({ "task_id = ?": taskId, "agent_id = ?": agentId })
    const open = where({ "call_id = ?": taskId, "agent_id = ?": agentId })
    const rows = this.database.all(
      `SELECT task AS text, 0 AS open, ended_at AS place FROM tasks WHERE true${finished.sql}
      UNION ALL
      SELECT snapshot, 1, seq FROM calls WHERE background = 1 AND ended_at IS NULL${open.sql}
      ORDER BY open, place`,
      ...finished.values,
      ...open.values,
    )
    return storedTaskTexts(rows.map((row) => ({ text: String(row.text), open: Number(row.open) })))
  }

  /** The greatest place that a call has, 0 where there is none: the next one comes behind it. */
  get lastPlace(): number {
    return Number(this.database.get("SELECT max(seq) AS place FROM calls")?.place ?? 0)
  }

  mark(): number {
    return this.database.version
  }

  async changed(mark: number, signal?: AbortSignal): Promise<void> {
    const ends = signal === undefined ? [this.closed] : [this.closed, signal]
    while (ends.every(({ aborted }) => !aborted) && this.database.version === mark) await pause(ends)
  }

  get isClosed(): boolean {
    return this.closed.aborted
  }

  /** Aborted once it is closed. */
  get closed(): AbortSignal {
    return this.closing.signal
  }

  /** Ends what waits for something to be stored. The database stays open for whoever else has it. */
  leave(): void {
    this.closing.abort()
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.leave()
    this.database.close()
  }

  private put(request: Request): number {
    let id = 0
    this.database.transaction(() => {
      const inserting = "INSERT INTO requests (request, at) VALUES (?, ?)"
      id = this.database.run(inserting, JSON.stringify(request), Date.now())
    })
    return id
  }

  private async answerTo(id: number): Promise<RequestAnswer> {
    const answer = await untilStored(
      this,
      () => this.database.get("SELECT answer FROM requests WHERE id = ?", id)?.answer ?? undefined,
    )
    if (answer === undefined) throw unansweredError()
    return JSON.parse(String(answer)) as RequestAnswer
  }
}
