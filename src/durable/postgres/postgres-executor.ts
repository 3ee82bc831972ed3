/** Runs calls of a Postgres store, as one of the processes that do. */
import type { CallSnapshot } from "../../pipeline/call/snapshot.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolCall } from "../../pipeline/model/call.ts"
import { toMillis } from "../../pipeline/model/duration.ts"
import type { ToolRegistry } from "../../pipeline/model/registry.ts"
import type { AgentWait, CallNumbers, DurableExecutor } from "../durable-executor.ts"
import { type DurableTasks, StoredTasks } from "../durable-tasks.ts"
import type { CallRequest } from "../requests.ts"
import { type DurableOptions, Runner } from "../runner.ts"
import { FencedError, heldUpError, tellStoreError } from "../store-error.ts"
import { StoredCalls } from "../stored-calls.ts"
import type { StoredEvent } from "../stored-event.ts"
import { column } from "./connection.ts"
import { PostgresJournalStore } from "./journal-store.ts"
import { Maintenance } from "./maintenance.ts"
import { Membership } from "./membership.ts"
import { PostgresStore } from "./postgres-store.ts"
import { untilTaken } from "./taking-over.ts"

/** Milliseconds until it is looked again for what cannot be taken up yet: an answer, say, whose question is about to be put. */
const lookAgain = 50

/** Milliseconds that a server which says nothing has at the end: others find out by themselves. */
const leaveTimeout = 20_000

/** The runner of this process, as long as others hold it to live. */
interface Life {
  readonly membership: Membership
  readonly runner: Runner
  /** The requests that were taken up, until the store says so. */
  readonly taken: Set<number>
  lastRule: number
}

/** Its calls are with whoever gets them. Where the store is away, others find out by themselves. */
const leaveStore = async (membership: Membership, runner: Runner | undefined): Promise<void> => {
  try {
    await runner?.close()
  } finally {
    await membership.leave().catch(() => undefined)
  }
}

/** Runs calls of a Postgres store, and asks the processes that run the others. */
export class PostgresExecutor extends StoredCalls implements DurableExecutor {
  readonly tasks: DurableTasks
  protected override readonly store: PostgresStore
  private readonly registry: ToolRegistry<never>
  private readonly options: DurableOptions
  private readonly maintenance: Maintenance
  private life!: Life
  /** What was begun of it; one after the other. */
  private rejoining: Promise<void> = Promise.resolve()
  /** Of each time that calls are being queued: calls that were found in the store meanwhile, and may have ended since. */
  private readonly queueing = new Set<Set<string>>()
  private looking: Promise<void> | undefined
  private looksAgain = false
  /** Aborted once it is being closed. */
  private readonly closes = new AbortController()
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
      return durable
    } catch (error) {
      durable?.maintenance.close()
      await store.close()
      throw error
    }
  }

  get executor(): ToolExecutor {
    return this.life.runner.executor
  }

  /** @internal Each runner has a number of its own. */
  async callNumbers(): Promise<CallNumbers> {
    return { callPrefix: `${this.life.membership.id}-`, callsBefore: 0 }
  }

  /** @internal A runner that was killed is held to live for a while. */
  untilTaken(agentIds: ReadonlyArray<string>, wait: AgentWait): Promise<void> {
    return untilTaken(agentIds, this.store, () => this.life.membership, wait)
  }

  override async result(callId: string): Promise<StoredEvent | undefined> {
    // What has ended here may not be stored yet. Where it cannot be, what the store says is what is true.
    await this.life.runner.journal.stored().catch(() => undefined)
    return super.result(callId)
  }

  close(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }

  private async leave(): Promise<void> {
    this.closes.abort()
    this.maintenance.close()
    // What ends slowly here is no reason.
    const late = setInterval(() => {
      if (!this.life.membership.isCurrent()) this.store.sql.cut()
    }, leaveTimeout).unref()
    try {
      // Whoever it is by then leaves.
      await Promise.all([this.rejoining, this.looking])
      await leaveStore(this.life.membership, this.life.runner)
      await this.store.tell("work")
    } finally {
      clearInterval(late)
      await this.store.close()
    }
  }

  protected async submit(calls: ReadonlyArray<ToolCall>): Promise<void> {
    const { membership, runner } = this.life
    const found = new Set<string>()
    this.queueing.add(found)
    const queue = async () => {
      const queued = await this.store.submit(calls, membership.id)
      // One that it was giving back, for it was idle, is its own all the same.
      await membership.settled()
      return queued
    }
    const { added, agents } = await queue().finally(() => this.queueing.delete(found))
    membership.got(agents)
    if (added.size < calls.length) membership.onMaybeIdle(agents)
    let isElsewhere = false
    for (const call of calls) {
      // Of several with one id, the first is stored.
      if (!added.delete(column(call.callId))) continue
      const isOurs = !runner.journal.isClosed && membership.agents.has(column(call.agentId))
      if (!isOurs) isElsewhere = true
      else if (!found.has(column(call.callId)) && !runner.hasHad(call.callId)) runner.takeIn(call)
    }
    if (isElsewhere) await this.store.tell("work")
  }

  protected async ask(request: CallRequest): Promise<unknown> {
    const { runner } = this.life
    if (runner.journal.isClosed || !runner.has(request.callId)) return this.store.ask(request)
    try {
      return await runner.stored(request)
    } catch (error) {
      // Whoever has the call now has not been told.
      if (error instanceof FencedError) return this.store.ask(request)
      throw error
    }
  }

  // --- Among the runners

  /** Becomes a runner, which has what nobody runs. Where that fails, nothing of it is left. */
  private async join(): Promise<void> {
    const { sql } = this.store
    let life: Life | undefined
    const membership = await Membership.join(sql, async (isAlive) => life && this.beaten(life, isAlive))
    try {
      const runner = new Runner(
        {
          store: new PostgresJournalStore(sql, membership),
          registry: this.registry,
          onFenced: () => this.fenced(membership),
          onLeft: () => this.giveBack(membership),
        },
        this.options,
      )
      life = { membership, runner, taken: new Set(), lastRule: 0 }
      await this.learn(life)
      await this.look(life)
      await runner.journal.stored()
      if (runner.journal.isClosed) throw new FencedError()
    } catch (error) {
      await leaveStore(membership, life?.runner)
      throw error
    }
    this.life = life
    life.runner.begin()
    // What was told meanwhile.
    this.lookSoon()
  }

  /** One that has not joined yet is given up by whoever waits for that. */
  private fenced(membership: Membership): void {
    if (this.life?.membership === membership) this.rejoining = this.rejoining.then(() => this.rejoin())
  }

  /** Its calls are with whoever gets them, also where only its executor was shut down. Where that fails, others find out. */
  private giveBack(membership: Membership): void {
    membership.leave().then(
      () => this.store.tell("work"),
      () => undefined,
    )
  }

  /** What it had is with others: it begins anew, as soon as the store lets it. */
  private async rejoin(): Promise<void> {
    const { signal } = this.closes
    if (signal.aborted) return
    this.report(heldUpError())
    await leaveStore(this.life.membership, this.life.runner)
    while (!signal.aborted) {
      try {
        await this.join()
        return this.report(undefined)
      } catch (error) {
        this.report(error)
        await this.store.changed(this.store.mark(), signal)
      }
    }
  }

  /** It has shown that it lives; false where others have ended it. */
  private async beaten(life: Life, isAlive: boolean): Promise<void> {
    const { journal } = life.runner
    if (!isAlive) return journal.fence()
    journal.goOn()
    life.runner.dropOldTasks()
    await this.learn(life)
    this.lookSoon()
  }

  /** Rules that others made. */
  private async learn(life: Life): Promise<void> {
    const rules = await this.maintenance.rules(life.runner.folder, life.lastRule)
    life.runner.restoreRules(rules)
    life.lastRule = rules.at(-1)?.id ?? life.lastRule
  }

  /** Looks for work; what comes up meanwhile is looked for afterwards. */
  private lookSoon(): void {
    // Who has joined, and was not fenced.
    if (this.life?.runner.journal.isClosed !== false || this.closes.signal.aborted) return
    if (this.looking !== undefined) {
      this.looksAgain = true
      return
    }
    this.looking = this.look(this.life)
      .catch(() => undefined)
      .then(() => {
        this.looking = undefined
        if (!this.looksAgain) return
        this.looksAgain = false
        this.lookSoon()
      })
  }

  private async look({ membership, runner, taken }: Life): Promise<void> {
    if (runner.journal.isRefusing) return this.lookLater()
    runner.journal.endings.forget()
    const before = [...taken]
    const { state, fresh, requests } = await membership.look()
    if (runner.journal.isClosed) return
    if (state !== undefined) {
      runner.restore({ ...state, calls: state.calls.filter(({ callId }) => !runner.hasHad(callId)) })
    }
    for (const callIds of this.queueing) {
      for (const { callId } of [...(state?.calls ?? []), ...fresh]) callIds.add(callId)
    }
    for (const { callId, snapshot } of fresh) {
      if (!runner.hasHad(callId)) runner.takeIn((JSON.parse(snapshot) as CallSnapshot).call)
    }
    const still = new Set(requests.map(({ id }) => id))
    for (const id of before) if (!still.has(id)) taken.delete(id)
    for (const { id, text } of requests) {
      if (taken.has(id)) continue
      if (runner.answer(id, text)) taken.add(id)
      else this.lookLater()
    }
  }

  private lookLater(): void {
    setTimeout(() => this.lookSoon(), lookAgain).unref()
  }

  private report(error: unknown): void {
    tellStoreError(this.options.onStoreError, error)
  }
}
