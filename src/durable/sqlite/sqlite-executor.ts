/** Runs the calls of a SQLite store. One process does, at a time. */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolCall, ToolCallInput } from "../../pipeline/model/call.ts"
import { toMillis } from "../../pipeline/model/duration.ts"
import { expectId } from "../../pipeline/model/got.ts"
import type { ToolRegistry } from "../../pipeline/model/registry.ts"
import type { BackgroundTask, WaitOptions } from "../../tasks/background-tasks.ts"
import type { CallNumbers, DurableExecutor } from "../durable-executor.ts"
import type { DurableTasks } from "../durable-tasks.ts"
import { type EventsOptions, expectReading, readEvents } from "../event-log.ts"
import type { InboxItem, InboxOptions } from "../inbox.ts"
import type { CallRequest } from "../requests.ts"
import { type DurableOptions, Runner } from "../runner.ts"
import { closedError } from "../store-error.ts"
import { StoredCalls } from "../stored-calls.ts"
import type { StoredEvent } from "../stored-event.ts"
import { StoreDatabase } from "./database.ts"
import { SqliteJournalStore } from "./journal-store.ts"
import { SqliteStore } from "./sqlite-store.ts"

/** Milliseconds between looks for what other processes ask. */
const sweepEvery = 100

const pruneEvery = 3_600_000

/** Tasks as the executor in this process has them. */
class LocalTasks implements DurableTasks {
  private readonly store: SqliteStore
  private readonly runner: Runner

  constructor(store: SqliteStore, runner: Runner) {
    this.store = store
    this.runner = runner
  }

  async get(taskId: string): Promise<BackgroundTask | undefined> {
    return this.tasks.get(taskId)
  }

  async list(agentId?: string): Promise<Array<BackgroundTask>> {
    return this.tasks.list(agentId)
  }

  async take(taskId: string): Promise<BackgroundTask | undefined> {
    expectId("task", taskId)
    const took = await this.runner.stored({ _tag: "Take", callId: taskId })
    return (took ?? undefined) as BackgroundTask | undefined
  }

  async wait(taskId: string, options?: WaitOptions): Promise<BackgroundTask | undefined> {
    return this.tasks.wait(taskId, options)
  }

  /** None are here once it is closed, though they are in the store. */
  private get tasks(): ToolExecutor["tasks"] {
    if (this.store.isClosed) throw closedError()
    return this.runner.executor.tasks
  }
}

/** Runs the calls of a SQLite store, and does what other processes ask. */
export class SqliteExecutor extends StoredCalls implements DurableExecutor {
  readonly tasks: DurableTasks
  protected override readonly store: SqliteStore
  private readonly runner: Runner
  private readonly rows: SqliteJournalStore
  private readonly timers: ReadonlyArray<NodeJS.Timeout>
  private version = -1
  /** The last request that was looked at: its answer may be on its way to the store. */
  private lastRequest = 0

  private constructor(database: StoreDatabase, registry: ToolRegistry<never>, options: DurableOptions) {
    const store = new SqliteStore(database)
    super(store)
    this.store = store
    const kept = toMillis("retention", options.retention, "7 days")
    this.rows = new SqliteJournalStore(database, () => store.leave())
    this.runner = new Runner({ store: this.rows, registry, take: (calls) => this.takeInputs(calls) }, options)
    this.tasks = new LocalTasks(store, this.runner)
    this.runner.restoreRules(this.rows.rules(this.runner.folder))
    this.prune(kept)
    this.runner.restore(this.rows.state())
    this.timers = [
      setInterval(() => this.sweep(), sweepEvery).unref(),
      setInterval(() => this.prune(kept), pruneEvery).unref(),
    ]
  }

  static async open(
    path: string,
    registry: ToolRegistry<never>,
    options: DurableOptions,
  ): Promise<SqliteExecutor> {
    const database = await StoreDatabase.open(path, true)
    try {
      const durable = new SqliteExecutor(database, registry, options)
      await durable.runner.journal.stored()
      durable.runner.begin()
      return durable
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Over a new store that is open, for who cannot wait: its calls go on at once. */
  static over(
    database: StoreDatabase,
    registry: ToolRegistry<never>,
    options: DurableOptions,
  ): SqliteExecutor {
    const durable = new SqliteExecutor(database, registry, options)
    durable.runner.journal.begin()
    return durable
  }

  get executor(): ToolExecutor {
    return this.runner.executor
  }

  override async inbox(options?: InboxOptions): Promise<Array<InboxItem>> {
    await this.runner.journal.stored()
    return super.inbox(options)
  }

  override events(options: EventsOptions = {}): AsyncGenerator<StoredEvent, undefined, undefined> {
    expectReading(options)
    return readEvents(this.store, this.runner.journal, this.store.closed, options)
  }

  override async result(callId: string): Promise<StoredEvent | undefined> {
    await this.runner.journal.stored()
    return super.result(callId)
  }

  /** @internal All of a file are its one owner's. */
  async untilTaken(): Promise<void> {}

  /** @internal */
  async callNumbers(): Promise<CallNumbers> {
    return { callPrefix: "", callsBefore: this.store.lastPlace }
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    this.store.leave()
    await this.runner.close()
  }

  protected async submit(calls: ReadonlyArray<ToolCall>): Promise<void> {
    this.take(calls)
    await this.runner.journal.stored()
  }

  protected ask(request: CallRequest): Promise<unknown> {
    return this.runner.stored(request)
  }

  /** Queues those that the store does not know. */
  private take(calls: ReadonlyArray<ToolCall>): void {
    for (const call of calls) {
      if (!this.runner.hasHad(call.callId) && !this.rows.has(call.callId)) this.executor.enqueue([call])
    }
  }

  private takeInputs(calls: ReadonlyArray<ToolCallInput>): Array<string> {
    const toolCalls = this.toToolCalls(calls)
    this.take(toolCalls)
    return toolCalls.map(({ callId }) => callId)
  }

  /** Does what other processes ask. What fails is tried again with the next look. */
  private sweep(): void {
    this.runner.dropOldTasks()
    this.runner.journal.endings.forget()
    try {
      const version = this.store.mark()
      if (version === this.version) return
      for (const { id, text } of this.rows.requests(this.lastRequest)) {
        if (!this.runner.answer(id, text)) return
        this.lastRequest = id
      }
      this.version = version
    } catch {
      // The store is away: its next writer is told.
    }
  }

  /** What fails is tried again an hour later. */
  private prune(kept: number): void {
    if (!Number.isFinite(kept)) return
    try {
      this.rows.prune(Date.now() - kept)
    } catch {
      // The store is away: its next writer is told.
    }
  }
}
