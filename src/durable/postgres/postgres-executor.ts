/** Runs calls of a Postgres store, as one of its runners. */
import { setTimeout as sleep } from "node:timers/promises"
import type { ToolCall } from "../../model/call.ts"
import { toMillis } from "../../model/duration.ts"
import type { ToolRegistry } from "../../model/registry.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { ownToolNames } from "../../pipeline/stores/agent-tools.ts"
import type { AgentWait, CallNumbers, DurableExecutor } from "../durable-executor.ts"
import { type DurableTasks, StoredTasks } from "../durable-tasks.ts"
import { restoreAll, takeIn, takeInStored } from "../journal/restore.ts"
import type { CallRequest } from "../requests.ts"
import { type DurableOptions, Runner } from "../runner.ts"
import type { RuleRow } from "../store.ts"
import { FencedError, heldUpError, tellStoreError } from "../store-error.ts"
import { StoredCalls } from "../stored-calls.ts"
import type { StoredEvent } from "../stored-event.ts"
import { column } from "./connection.ts"
import { PostgresJournalStore } from "./journal-store.ts"
import { LaneOrder, spansAgents } from "./lane-order.ts"
import { Membership } from "./membership.ts"
import { PostgresStore } from "./postgres-store.ts"
import { prune } from "./prune.ts"
import type { Signs } from "./runner-rows.ts"
import type { Notice } from "./schema.ts"
import { untilTaken } from "./taking-over.ts"

/** The milliseconds until pending work is looked for again, such as an answer to a question that is about to be asked. */
const lookAgain = 50

const pruneEvery = 3_600_000

/** The milliseconds that a silent server has to respond on closing. Other processes detect the end of this one by its lease. */
const leaveTimeout = 20_000

/** The runner of this process, until other processes end it. */
interface Life {
  readonly membership: Membership
  readonly runner: Runner
  /** Requests that were carried out, until the store has recorded this. */
  readonly taken: Set<number>
  readonly order: LaneOrder
  /** The number of rules that the store had when they were read. */
  rules: number
}

/** Frees the agents of a runner. If the store fails, its lease expires. */
const leaveStore = async (membership: Membership, runner: Runner | undefined): Promise<void> => {
  try {
    await runner?.close()
  } finally {
    await membership.leave().catch(() => undefined)
  }
}

/** Runs calls of a Postgres store, and sends requests to the processes that run the others. */
export class PostgresExecutor extends StoredCalls implements DurableExecutor {
  readonly tasks: DurableTasks
  protected override readonly store: PostgresStore
  private readonly registry: ToolRegistry<never>
  private readonly options: DurableOptions
  private readonly retention: number
  private readonly unknownToolTimeout: number
  private pruning: NodeJS.Timeout | undefined
  private life!: Life
  /** The attempts to join again, one after another. */
  private rejoining: Promise<void> = Promise.resolve()
  /** For each running `submit`: calls that were found in the store meanwhile, and may have ended since. */
  private readonly queueing = new Set<Set<string>>()
  private looking: Promise<void> | undefined
  private looksAgain = false
  /** Aborted by `close`. */
  private readonly closes = new AbortController()
  private closing: Promise<void> | undefined

  private constructor(store: PostgresStore, registry: ToolRegistry<never>, options: DurableOptions) {
    super(store)
    this.store = store
    this.registry = registry
    this.options = options
    this.tasks = new StoredTasks(store, (callId) => this.ask({ _tag: "Take", callId }))
    this.retention = toMillis("retention", options.retention, "7 days")
    this.unknownToolTimeout = toMillis("unknownToolTimeout", options.unknownToolTimeout, "1 minute")
  }

  static async open(
    url: string,
    registry: ToolRegistry<never>,
    options: DurableOptions,
  ): Promise<PostgresExecutor> {
    let durable: PostgresExecutor | undefined
    const store = await PostgresStore.open(url, true, (notice) => durable?.hear(notice))
    try {
      durable = new PostgresExecutor(store, registry, options)
      await durable.join()
      durable.pruning = setInterval(prune, pruneEvery, store.sql).unref()
      return durable
    } catch (error) {
      await store.close()
      throw error
    }
  }

  get executor(): ToolExecutor {
    return this.life.runner.executor
  }

  /** @internal The number of the runner distinguishes its calls from those of other runners. */
  async callNumbers(): Promise<CallNumbers> {
    return { callPrefix: `${this.life.membership.id}-`, callsBefore: 0 }
  }

  /** @internal A killed runner counts as alive until its lease expires. */
  untilTaken(agentIds: ReadonlyArray<string>, wait: AgentWait): Promise<void> {
    return untilTaken(agentIds, this.store, () => this.life.membership, wait)
  }

  override async result(callId: string): Promise<StoredEvent | undefined> {
    // The end of a call may not be stored yet. If it cannot be stored, the call has not ended for the store.
    await this.life.runner.journal.stored().catch(() => undefined)
    return super.result(callId)
  }

  close(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }

  private async leave(): Promise<void> {
    this.closes.abort()
    clearInterval(this.pruning)
    // Cuts the connections to a silent server, but not because a runner ends slowly.
    const late = setInterval(() => {
      if (!this.life.membership.isCurrent()) this.store.sql.cut()
    }, leaveTimeout).unref()
    try {
      // A new runner may be joining: then that one leaves.
      await Promise.all([this.rejoining, this.looking])
      await leaveStore(this.life.membership, this.life.runner)
      await this.store.tellWork(["work"])
    } finally {
      clearInterval(late)
      await this.store.close()
    }
  }

  protected async submit(calls: ReadonlyArray<ToolCall>): Promise<void> {
    await this.joined(this.life)
    const { membership, runner } = this.life
    const found = new Set<string>()
    this.queueing.add(found)
    const snapshots = runner.queuedSnapshots(calls)
    const queue = async () => {
      const queued = await this.store.submit(snapshots, membership)
      // Waits for the current release: an agent that was idle may stay with this runner.
      await membership.settled()
      return queued
    }
    const { added, agents, notices } = await queue().finally(() => this.queueing.delete(found))
    membership.got(agents)
    if (added.length < calls.length) membership.onMaybeIdle(agents)
    const places = new Map(added.map((row) => [row.callId, row]))
    let isElsewhere = false
    /** Agents with calls for other runners: later calls of these agents keep their places behind them. */
    const foreign = new Set<string>()
    for (const snapshot of snapshots) {
      const { call } = snapshot
      const agentId = column(call.agentId)
      const place = places.get(column(call.callId))
      // If several calls have the same id, the first is stored.
      if (place === undefined || !places.delete(place.callId)) continue
      if (runner.journal.isClosed || !membership.agents.has(agentId)) isElsewhere = true
      else if (place.isBehind || spansAgents(call) || foreign.has(agentId) || !runner.hasTool(call)) {
        foreign.add(agentId)
        this.lookSoon()
      } else {
        membership.tookIn(agentId, place.seq)
        if (!found.has(place.callId) && !runner.isKnown(call.callId)) takeIn(snapshot, runner.journal)
      }
    }
    if (isElsewhere) await this.store.tellWork(notices)
  }

  /** Resolves once the calls that the executor received before are stored and in their lanes, or never will be. */
  private async joined({ runner: { journal } }: Life): Promise<void> {
    const upTo = journal.joined.asked
    const isOver = () => journal.joined.done >= upTo || journal.isClosed
    while (!isOver()) {
      await journal.stored().catch(() => undefined)
      if (!isOver()) await (this.looking ?? sleep(lookAgain))
    }
  }

  protected async ask(request: CallRequest): Promise<unknown> {
    const { runner } = this.life
    if (runner.journal.isClosed || !runner.has(request.callId)) return this.store.ask(request)
    try {
      return await runner.stored(request)
    } catch (error) {
      // The process that runs the call has not received the request.
      if (error instanceof FencedError) return this.store.ask(request)
      throw error
    }
  }

  /** Becomes a runner, and claims free agents. If this fails, no trace of the runner remains. */
  private async join(): Promise<void> {
    const { sql } = this.store
    let life: Life | undefined
    const membership = await Membership.join(sql, {
      retention: this.retention,
      unknownToolTimeout: this.unknownToolTimeout,
      tools: () => [...this.registry.names, ...ownToolNames].sort(),
      beaten: async (signs) => life && this.beaten(life, signs),
    })
    const order = new LaneOrder(membership, () => this.lookSoon())
    try {
      const store = new PostgresJournalStore(membership, this.store)
      const runner = new Runner(
        {
          store,
          registry: this.registry,
          behindOthers: (call, join) => order.join(call, join),
          onFenced: () => this.fenced(membership),
          onLeft: () => this.giveBack(membership),
        },
        this.options,
      )
      life = { membership, runner, taken: new Set(), order, rules: 0 }
      runner.restoreReceipts(await store.receipts())
      await this.learn(life, await membership.showLife())
      await this.look(life)
      await runner.journal.stored()
      if (runner.journal.isClosed) throw new FencedError()
    } catch (error) {
      await leaveStore(membership, life?.runner)
      throw error
    }
    this.life = life
    life.runner.begin()
    void prune(sql)
    // Handles notices that arrived before this.
    this.hear("work")
  }

  /** Joins again. `join` itself gives up a runner that is still joining. */
  private fenced(membership: Membership): void {
    if (this.life?.membership === membership) this.rejoining = this.rejoining.then(() => this.rejoin())
  }

  /** Frees the agents of a runner whose executor was shut down. If the store fails, its lease expires. */
  private giveBack(membership: Membership): void {
    membership.leave().then(
      () => this.store.tellWork(["work"]),
      () => undefined,
    )
  }

  /** Joins as a new runner as soon as the store works: other processes have the agents of the old one. */
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

  private hear(notice: Notice): void {
    const { membership } = this.life ?? {}
    if (membership === undefined) return
    if (notice === "work") membership.onFree()
    if (notice === `free ${membership.id}`) membership.onOwed()
    if (notice === "work" || notice === `free ${membership.id}` || notice === `work ${membership.id}`)
      this.lookSoon()
  }

  /** Called after a heartbeat. */
  private async beaten(life: Life, signs: Signs): Promise<void> {
    const { membership } = life
    const { journal } = life.runner
    if (!signs.isAlive) return journal.fence()
    journal.resume()
    life.runner.dropOldTasks()
    await this.learn(life, signs)
    if (signs.hasEnded) await this.store.tellWork(["work"])
    if (signs.hasFree || signs.hasWork || membership.hasSurplus) this.lookSoon()
  }

  /** Reads the rules that other processes added, if their number has grown, and records whether any process has cut results. */
  private async learn(life: Life, { rules, hasResults }: Pick<Signs, "rules" | "hasResults">): Promise<void> {
    if (hasResults) life.runner.journal.engine.tools.offerReadResult()
    if (rules === life.rules) return
    const found = await this.store.sql<Array<RuleRow>>`
      SELECT cwd, tool, params, choice FROM stepline_rules WHERE cwd = ${life.runner.folder} ORDER BY id`
    life.runner.restoreRules(found)
    life.rules = rules
  }

  /** Looks for work, and once more if it is called in the meantime. */
  private lookSoon(): void {
    // Only a runner that has joined, and was not ended by other processes, looks for work.
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

  private async look({ membership, runner, taken, order }: Life): Promise<void> {
    if (runner.journal.isRefusing) return this.lookLater()
    runner.journal.forgetEndings()
    const before = [...taken]
    const looked = order.looks()
    const { state, fresh, requests } = await membership.look()
    if (runner.journal.isClosed) return
    for (const callIds of this.queueing) {
      for (const { callId } of [...(state?.calls ?? []), ...fresh]) callIds.add(callId)
    }
    if (state !== undefined) {
      restoreAll(
        { ...state, calls: state.calls.filter(({ callId }) => !runner.isKnown(callId)) },
        runner.journal,
      )
    }
    for (const call of fresh) if (!runner.isKnown(call.callId)) takeInStored(call, runner.journal)
    looked()
    const still = new Set(requests.map(({ id }) => id))
    for (const id of before) if (!still.has(id)) taken.delete(id)
    for (const { id, text } of requests) {
      if (taken.has(id)) continue
      if (runner.answer(id, text)) taken.add(id)
      else this.lookLater()
    }
    // After the requests: those of agents that are given up now are left to their next runner.
    if (await membership.handOn(runner)) await this.store.tellWork(["work"])
  }

  private lookLater(): void {
    setTimeout(() => this.lookSoon(), lookAgain).unref()
  }

  private report(error: unknown): void {
    tellStoreError(this.options.onStoreError, error)
  }
}
