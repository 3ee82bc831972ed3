/** Runs calls of a Postgres store, as one of the processes that do. */
import type { CallSnapshot } from "../../pipeline/call/snapshot.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolCall } from "../../pipeline/model/call.ts"
import { toMillis } from "../../pipeline/model/duration.ts"
import type { ToolRegistry } from "../../pipeline/model/registry.ts"
import type { DurableExecutor } from "../durable-executor.ts"
import { type DurableTasks, StoredTasks } from "../durable-tasks.ts"
import type { CallRequest } from "../requests.ts"
import { type DurableOptions, Runner } from "../runner.ts"
import { FencedError, StoreError, tellStoreError } from "../store-error.ts"
import { StoredCalls } from "../stored-calls.ts"
import { column } from "./connection.ts"
import { PostgresJournalStore } from "./journal-store.ts"
import { Maintenance } from "./maintenance.ts"
import { Membership } from "./membership.ts"
import { PostgresStore } from "./postgres-store.ts"

/** Milliseconds between the signs of life of a process, and between looks for what nobody told of. */
const beatEvery = 750

/** Milliseconds until a request is looked at again whose question is about to be put. */
const lookAgain = 50

const fencedError = () =>
  new StoreError(
    "This process was held up for so long that others run its calls now. It goes on as a new one, with a new executor",
  )

/** The runner of this process, as long as others hold it to live. */
interface Life {
  readonly membership: Membership
  readonly runner: Runner
  /** The requests that were taken up, until the store says so. */
  readonly taken: Set<number>
  lastRule: number
}

/** Runs calls of a Postgres store, and asks the processes that run the others. */
export class PostgresExecutor extends StoredCalls implements DurableExecutor {
  readonly tasks: DurableTasks
  protected override readonly store: PostgresStore
  private readonly registry: ToolRegistry<never>
  private readonly options: DurableOptions
  private readonly maintenance: Maintenance
  private life!: Life
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined
  private looksAgain = false
  private isClosing = false
  private closing: Promise<void> | undefined

  private constructor(store: PostgresStore, registry: ToolRegistry<never>, options: DurableOptions) {
    super(store)
    this.store = store
    this.registry = registry
    this.options = options
    this.tasks = new StoredTasks(store, (callId) => this.ask({ _tag: "Take", callId }))
    this.maintenance = new Maintenance(store.sql, toMillis("retention", options.retention, "7 days"))
  }

  static async open(
    url: string,
    registry: ToolRegistry<never>,
    options: DurableOptions,
  ): Promise<PostgresExecutor> {
    let durable: PostgresExecutor | undefined
    const store = await PostgresStore.open(url, true, (notice) => {
      if (notice === "work") durable?.lookSoon()
    })
    try {
      durable = new PostgresExecutor(store, registry, options)
      await durable.join()
      durable.timer = setInterval(() => void durable?.beat(), beatEvery)
      durable.life.runner.begin()
      return durable
    } catch (error) {
      await store.close()
      throw error
    }
  }

  get executor(): ToolExecutor {
    return this.life.runner.executor
  }

  close(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }

  private async leave(): Promise<void> {
    this.isClosing = true
    clearInterval(this.timer)
    this.maintenance.close()
    await this.looking
    await this.life.runner.close()
    await this.life.membership.leave().catch(() => undefined)
    await this.store.tell("work").catch(() => undefined)
    await this.store.close()
  }

  protected async submit(calls: ReadonlyArray<ToolCall>): Promise<void> {
    const { membership, runner } = this.life
    const { added, agents } = await this.store.submit(calls, membership.id)
    membership.got(agents)
    let isElsewhere = false
    for (const call of calls) {
      if (!added.has(column(call.callId))) continue
      const isOurs = this.life.runner === runner && membership.agents.has(column(call.agentId))
      if (!isOurs) isElsewhere = true
      else if (!runner.hasHad(call.callId)) runner.takeIn(call)
    }
    if (isElsewhere) await this.store.tell("work")
  }

  protected async ask(request: CallRequest): Promise<unknown> {
    const { runner } = this.life
    if (!runner.has(request.callId)) return this.store.ask(request)
    try {
      return await runner.stored(request)
    } catch (error) {
      // Whoever has the call now has not been told.
      if (error instanceof FencedError) return this.store.ask(request)
      throw error
    }
  }

  // --- Among the runners

  private async join(): Promise<void> {
    const { sql } = this.store
    const membership = await Membership.join(sql)
    const runner = new Runner(
      {
        store: new PostgresJournalStore(sql, membership),
        registry: this.registry,
        onFenced: () => void this.rejoin(),
      },
      this.options,
    )
    this.life = { membership, runner, taken: new Set(), lastRule: 0 }
    await this.learn(this.life)
    await this.look()
    await runner.journal.stored()
  }

  /** What it had is with others: it begins anew, as soon as the store lets it. */
  private async rejoin(): Promise<void> {
    const { runner } = this.life
    this.report(fencedError())
    await runner.close()
    while (!this.isClosing) {
      try {
        await this.join()
        this.life.runner.begin()
        return this.report(undefined)
      } catch (error) {
        this.report(error)
        await this.store.changed(this.store.mark())
      }
    }
  }

  /** What fails is tried again with the next one. */
  private async beat(): Promise<void> {
    const { membership, runner } = this.life
    try {
      const isAlive = await membership.beat()
      if (membership !== this.life.membership) return
      if (!isAlive) return runner.journal.fence()
      runner.journal.goOn()
      await this.learn(this.life)
      this.lookSoon()
    } catch {
      // The store is away: its next writer is told.
    }
  }

  /** Rules that others made. */
  private async learn(life: Life): Promise<void> {
    const rules = await this.maintenance.rules(life.runner.folder, life.lastRule)
    life.runner.restoreRules(rules)
    life.lastRule = rules.at(-1)?.id ?? life.lastRule
  }

  /** Looks for work; what comes up meanwhile is looked for afterwards. */
  private lookSoon(): void {
    if (this.isClosing) return
    if (this.looking !== undefined) {
      this.looksAgain = true
      return
    }
    this.looking = this.look()
      .catch(() => undefined)
      .then(() => {
        this.looking = undefined
        if (!this.looksAgain) return
        this.looksAgain = false
        this.lookSoon()
      })
  }

  private async look(): Promise<void> {
    const { membership, runner, taken } = this.life
    runner.journal.forgetEndings()
    const before = [...taken]
    const { state, fresh, requests } = await membership.look()
    if (this.life.runner !== runner) return
    if (state !== undefined) {
      runner.restore({ ...state, calls: state.calls.filter(({ callId }) => !runner.hasHad(callId)) })
    }
    for (const { callId, snapshot } of fresh) {
      if (!runner.hasHad(callId)) runner.takeIn((JSON.parse(snapshot) as CallSnapshot).call)
    }
    const still = new Set(requests.map(({ id }) => id))
    for (const id of before) if (!still.has(id)) taken.delete(id)
    for (const { id, text } of requests) {
      if (taken.has(id)) continue
      if (runner.answer(id, text)) taken.add(id)
      else setTimeout(() => this.lookSoon(), lookAgain).unref()
    }
  }

  private report(error: unknown): void {
    tellStoreError(this.options.onStoreError, error)
  }
}
