/** Runs the calls of a SQLite store, which only one process at a time may do. */

import type { ToolCall, ToolCallInput } from "../../model/call.ts"
import { toMillis } from "../../model/duration.ts"
import { expectId } from "../../model/got.ts"
import type { ToolRegistry } from "../../model/registry.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import type { CallNumbers, DurableExecutor } from "../durable-executor.ts"
import type { DurableTasks } from "../durable-tasks.ts"
import { type EventsOptions, expectReading, readEvents } from "../event-log.ts"
import type { InboxItem, InboxOptions } from "../inbox.ts"
import { restoreAll } from "../journal/restore.ts"
import type { CallRequest } from "../requests.ts"
import { type DurableOptions, Runner } from "../runner.ts"
import { closedError, StoreError, tellStoreError } from "../store-error.ts"
import { StoredCalls } from "../stored-calls.ts"
import type { StoredEvent } from "../stored-event.ts"
import { StoreDatabase } from "./database.ts"
import { SqliteJournalStore } from "./journal-store.ts"
import { SqliteStore } from "./sqlite-store.ts"

/** Milliseconds between two looks for requests of other processes. */
const sweepEvery = 100

const pruneEvery = 3_600_000

const ownedElsewhere = (path: string): StoreError =>
  new StoreError(
    `Another process has opened ${path} as its owner, and runs its calls from here on: this one has stopped. Start one process a store, and leave the file ${path}-owner alone`,
  )

/** Runs the calls of a SQLite store, and carries out the requests of other processes. */
export class SqliteExecutor extends StoredCalls implements DurableExecutor {
  /** The tasks of the executor in this process. */
  readonly tasks: DurableTasks = {
    get: async (taskId) => this.open.tasks.get(taskId),
    list: async (agentId) => this.open.tasks.list(agentId),
    wait: async (taskId, options) => this.open.tasks.wait(taskId, options),
    take: async (taskId) => {
      expectId("task", taskId)
      const took = await this.runner.stored({ _tag: "Take", callId: taskId })
      return (took ?? undefined) as BackgroundTask | undefined
    },
  }
  protected override readonly store: SqliteStore
  private readonly runner: Runner
  private readonly rows: SqliteJournalStore
  private readonly timers: ReadonlyArray<NodeJS.Timeout>
  private version = -1
  /** The last request that was carried out: its answer may not be stored yet. */
  private lastRequest = 0

  private constructor(database: StoreDatabase, registry: ToolRegistry<never>, options: DurableOptions) {
    const store = new SqliteStore(database)
    super(store)
    this.store = store
    const kept = toMillis("retention", options.retention, "7 days")
    this.rows = new SqliteJournalStore(database, () => store.leave())
    const take = (calls: ReadonlyArray<ToolCallInput>) => this.takeInputs(calls)
    const onFenced = () => {
      tellStoreError(options.onStoreError, ownedElsewhere(database.path))
      void this.close()
    }
    this.runner = new Runner({ store: this.rows, registry, take, onFenced }, options)
    this.runner.restoreRules(this.rows.rules(this.runner.folder))
    if (this.rows.hasResults) this.runner.journal.engine.tools.offerReadResult()
    this.prune(kept)
    this.runner.restoreReceipts(this.rows.receipts())
    restoreAll(this.rows.state(), this.runner.journal)
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
      // The first statement fails while another process locks the store.
      const durable = await database.whenFree(() => new SqliteExecutor(database, registry, options))
      await durable.runner.journal.stored()
      durable.runner.begin()
      return durable
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Runs the calls of an open, new store, for callers that cannot wait: calls begin at once. */
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

  /** Throws once the store is closed: then the executor has no tasks, although the store does. */
  private get open(): ToolExecutor {
    if (this.store.isClosed) throw closedError()
    return this.executor
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

  /** @internal The owner of a file has all of its agents. */
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

  /** Queues the calls that the store does not know. */
  private take(calls: ReadonlyArray<ToolCall>): void {
    for (const call of calls) {
      if (!this.runner.isKnown(call.callId) && !this.rows.has(call.callId)) this.executor.enqueue([call])
    }
  }

  private takeInputs(calls: ReadonlyArray<ToolCallInput>): Array<string> {
    const toolCalls = this.toToolCalls(calls)
    this.take(toolCalls)
    return toolCalls.map(({ callId }) => callId)
  }

  /** Carries out the requests of other processes. After a failure the next sweep tries again. */
  private sweep(): void {
    this.runner.dropOldTasks()
    this.runner.journal.forgetEndings()
    try {
      const version = this.store.mark()
      if (version === this.version) return
      for (const { id, text } of this.rows.requests(this.lastRequest)) {
        if (!this.runner.answer(id, text)) return
        this.lastRequest = id
      }
      this.version = version
    } catch {
      // The store fails, which its next write reports.
    }
  }

  /** Deletes old calls. After a failure, the next run, an hour later, tries again. */
  private prune(kept: number): void {
    if (!Number.isFinite(kept)) return
    this.rows.pruneWhenFree(kept).catch(() => undefined)
  }
}
