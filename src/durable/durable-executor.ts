/** The executor of a store: its calls outlive the process that runs them. */

import { resolve } from "node:path"
import { ToolExecutor } from "../pipeline/executor.ts"
import { withJournal } from "../pipeline/executor-environment.ts"
import type { ToolCallInput } from "../pipeline/model/call.ts"
import { toMillis } from "../pipeline/model/duration.ts"
import type { ApproveOptions } from "../pipeline/model/event.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { ToolExecutorOptions } from "../pipeline/model/options.ts"
import type { ToolRegistry } from "../pipeline/model/registry.ts"
import type { DurationInput } from "../pipeline/model/step.ts"
import type { BackgroundTasks } from "../pipeline/stores/background-tasks.ts"
import { ToolFilters } from "../policy/index.ts"
import { StoreDatabase } from "./database.ts"
import { type DurableCalls, storedResult } from "./durable-calls.ts"
import { type EventsOptions, readEvents, type StoredEvent } from "./event-log.ts"
import { type InboxItem, type InboxOptions, readInbox } from "./inbox.ts"
import { DatabaseJournal } from "./journal.ts"
import { rememberingFilter } from "./remembering-filter.ts"
import { type EffectAnswer, openRequests, readRequest } from "./requests.ts"
import { restoreAll, restoreRules } from "./restore.ts"

/** The options of a durable executor, beside those of every executor. */
export interface DurableOptions extends ToolExecutorOptions {
  /** How long calls that have ended are kept, and their events. Default 7 days. */
  readonly retention?: DurationInput
  /** Told when the store fails, with the error, and once it is there again, with undefined. Meanwhile the calls wait. */
  readonly onStoreError?: ((error: unknown) => void) | undefined
  /** Whether rules that approvals make are kept in the store. Default true: false where `filters` keeps them elsewhere. */
  readonly keepsRules?: boolean
}

/** Milliseconds between looks for what other processes ask. */
const sweepEvery = 100

const pruneEvery = 3_600_000

/** Runs the calls of a store. One process does, at a time. */
export class DurableExecutor implements DurableCalls {
  /**
   * The executor itself, for the hosts that are in this process: all that it does is stored. Its `shutdown` ends no call: they
   * go on once the store is opened again.
   */
  readonly executor: ToolExecutor
  private readonly database: StoreDatabase
  private readonly journal: DatabaseJournal
  private readonly closing = new AbortController()
  private readonly timers: ReadonlyArray<NodeJS.Timeout>
  private readonly isTaken: (callId: string) => boolean
  private version = -1
  /** The last request that was looked at: its answer may be on its way to the store. */
  private lastRequest = 0

  private constructor(
    database: StoreDatabase,
    registry: ToolRegistry<never>,
    { retention, onStoreError, keepsRules = true, ...options }: DurableOptions,
  ) {
    const kept = toMillis("retention", retention, "7 days")
    const { hooks, approvalTimeout, cwd = process.cwd() } = options
    this.database = database
    this.journal = new DatabaseJournal(database, {
      approvalTimeout: toMillis("approvalTimeout", approvalTimeout),
      hooks: { before: hooks?.beforeCall !== undefined, after: hooks?.afterCall !== undefined },
      onStoreError,
    })
    const rules = options.filters?.at?.(cwd) ?? options.filters ?? ToolFilters.compile({}, { cwd })
    const folder = resolve(cwd)
    if (keepsRules) restoreRules(database, rules, registry, folder)
    const keeping = rememberingFilter(rules, ({ name }, params, choice) =>
      this.journal.write((store) => {
        const inserting = "INSERT INTO rules (cwd, tool, params, choice) VALUES (?, ?, ?, ?)"
        store.run(inserting, folder, name, JSON.stringify(params), JSON.stringify(choice))
      }),
    )
    const filters = keepsRules ? keeping : rules
    this.executor = new ToolExecutor(registry, withJournal({ ...options, cwd, filters }, this.journal))
    const { intake } = this.journal.parts
    this.isTaken = (callId) => intake.isTaken(callId)
    this.prune(kept)
    restoreAll(database, this.journal, this.journal.parts)
    this.timers = [
      setInterval(() => this.sweep(), sweepEvery).unref(),
      setInterval(() => this.prune(kept), pruneEvery).unref(),
    ]
  }

  /** @internal */
  static async open(
    path: string,
    registry: ToolRegistry<never>,
    options: DurableOptions,
  ): Promise<DurableExecutor> {
    const database = await StoreDatabase.open(path, true)
    try {
      const durable = new DurableExecutor(database, registry, options)
      await durable.journal.stored()
      // Whoever opened it may attach to its executor before anything runs.
      setImmediate(() => durable.journal.begin())
      return durable
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Background tasks, as the executor has them; finished ones are kept in the store. */
  get tasks(): BackgroundTasks {
    return this.executor.tasks
  }

  async enqueue(calls: ReadonlyArray<ToolCallInput>): Promise<Array<string>> {
    const ids = this.take(calls)
    await this.journal.stored()
    return ids
  }

  approve(callId: string, options?: ApproveOptions): Promise<boolean> {
    return this.stored(this.executor.approve(callId, options))
  }

  deny(callId: string, reason?: string): Promise<boolean> {
    return this.stored(this.executor.deny(callId, reason))
  }

  async respond(callId: string, answer: EffectAnswer): Promise<boolean> {
    return this.stored(this.executor.respond(callId, answer))
  }

  cancel(callId: string, reason?: string): Promise<boolean> {
    return this.stored(this.executor.cancelCall(callId, reason))
  }

  async inbox(options?: InboxOptions): Promise<Array<InboxItem>> {
    await this.journal.stored()
    return readInbox(this.database, options)
  }

  events(options: EventsOptions = {}): AsyncGenerator<StoredEvent, undefined, undefined> {
    return readEvents(this.database, this.journal, this.closing.signal, options)
  }

  async result(callId: string): Promise<StoredEvent | undefined> {
    await this.journal.stored()
    return storedResult(this.database.get("SELECT result FROM calls WHERE call_id = ?", callId))
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    this.closing.abort()
    await this.executor.shutdown()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async stored(took: boolean): Promise<boolean> {
    await this.journal.stored()
    return took
  }

  /** Queues those that the store does not know. */
  private take(calls: ReadonlyArray<ToolCallInput>): Array<string> {
    if (!Array.isArray(calls)) throw new TypeError("Expected `enqueue` to be given an array of calls")
    return calls.map((call: ToolCallInput) => {
      const callId = call?.callId
      if (typeof callId === "string" && this.knows(callId)) return callId
      return this.executor.enqueue([call])[0]!
    })
  }

  private knows(callId: string): boolean {
    if (this.isTaken(callId)) return true
    return this.database.get("SELECT 1 AS found FROM calls WHERE call_id = ?", callId) !== undefined
  }

  /** Does what other processes ask. What fails is tried again with the next look. */
  private sweep(): void {
    try {
      const version = this.database.dataVersion
      if (version === this.version) return
      for (const { id, text } of openRequests(this.database, this.lastRequest)) {
        this.lastRequest = id
        const answer = JSON.stringify(this.answer(text))
        this.journal.write((store) => store.run("UPDATE requests SET answer = ? WHERE id = ?", answer, id))
      }
      this.version = version
    } catch {
      // The store is away: its next writer is told.
    }
  }

  private answer(text: string): { readonly took: unknown } | { readonly error: string } {
    const { executor } = this
    try {
      const request = readRequest(text)
      switch (request._tag) {
        case "Enqueue":
          return { took: this.take(request.calls) }
        case "Approve":
          return { took: executor.approve(request.callId, request.options) }
        case "Deny":
          return { took: executor.deny(request.callId, request.reason) }
        case "Respond":
          return { took: executor.respond(request.callId, request.answer) }
        case "Cancel":
          return { took: executor.cancelCall(request.callId, request.reason) }
      }
    } catch (error) {
      return { error: messageOf(error) }
    }
    return { error: "This request is not known: use the same version of stepline on both sides" }
  }

  private prune(kept: number): void {
    if (!Number.isFinite(kept)) return
    const before = Date.now() - kept
    this.journal.write((store) => {
      store.run("DELETE FROM calls WHERE ended_at < ?", before)
      store.run("DELETE FROM events WHERE at < ?", before)
      store.run("DELETE FROM requests WHERE answer IS NOT NULL AND at < ?", before)
    })
  }
}
