/** The parts that all calls of one executor share: settings, clock, lanes, pool, stores, and the mailbox that delivers commands. */
import type { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Limiter } from "../limits/limiter.ts"
import { expectLimitedTools } from "../limits/limits.ts"
import type { ToolCall, ToolCallInput } from "../model/call.ts"
import { byCall, byTool, type CancellingParty } from "../model/decision.ts"
import type { ToolResult } from "../model/event.ts"
import { expectId, got } from "../model/got.ts"
import type { CallingAgent } from "../model/handler.ts"
import type { CallFilter, ToolExecutorOptions } from "../model/options.ts"
import { cancelled, failed, type Stopped } from "../model/outcome.ts"
import type { ToolRegistry } from "../model/registry.ts"
import { type Settings, toSettings } from "../model/settings.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { ToolFilters } from "../policy/filters.ts"
import { resolveName } from "../resolve/definition.ts"
import { BackgroundTasks } from "../tasks/background-tasks.ts"
import { tracerOf } from "../tracing/effect-tracer.ts"
import { undoOf } from "../undo/receipts.ts"
import { RecordedChanges } from "../undo/recorded-changes.ts"
import { Watchers } from "../watching/watchers.ts"
import { pendingEvent } from "./actions/action-events.ts"
import { type ActionHost, ActionStore, AgentPendingActions } from "./actions/pending-actions.ts"
import { makeResolveTool, type StandingResolveHandler } from "./actions/resolver.ts"
import type { Call } from "./call/call.ts"
import { CallIds, toToolCall } from "./call/call-input.ts"
import { ActiveCalls, type CancelOptions } from "./call/calls.ts"
import type { Command } from "./call/command.ts"
import { isInBackground } from "./call/in-background.ts"
import type { Input } from "./call/input.ts"
import { isRunning } from "./call/inspection.ts"
import type { Journal } from "./call/journal.ts"
import { transition } from "./call/transition.ts"
import { EventQueue } from "./events/event-queue.ts"
import { EventStamps } from "./events/event-stamps.ts"
import { makeReadResultTool, type WholeResultOf } from "./results/result-reader.ts"
import { Lanes } from "./schedule/lanes.ts"
import { Mailbox } from "./schedule/mailbox.ts"
import { Pool } from "./schedule/pool.ts"
import { soon } from "./schedule/soon.ts"
import { StepBudget } from "./schedule/step-budget.ts"
import { AgentSignals } from "./stores/agent-signals.ts"
import { AgentTools, type OwnTools } from "./stores/agent-tools.ts"
import { CallKeys } from "./stores/call-keys.ts"
import { KeptResults } from "./stores/kept-results.ts"
import { ShutdownCleanups } from "./stores/shutdown-cleanups.ts"
import { Deadlines } from "./time/deadlines.ts"

/** An Effect that a handler returned. The executor's context provides the services that it needs. */
export type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

const turn: Input = { _tag: "Turn" }
const placed: Input = { _tag: "Placed" }
const rested: Input = { _tag: "Rested" }
const woken: Input = { _tag: "Woken" }

/** The functions that carry out the work of calls. Passed in, so that the engine need not import them. */
export interface Driver {
  /** Carries out one command of a call. */
  readonly execute: (engine: Engine, call: Call, command: Command) => void
  /** Handles the end of the time limit for a call's current state. */
  readonly timedOut: (engine: Engine, call: Call) => void
  /** Runs the finally handlers of an action that was dropped. */
  readonly dropped: (engine: Engine, agentId: string, action: StagedAction) => void
}

/** The executor's services, clock and journal, from the program that it runs in. */
export interface Environment {
  readonly context: Context.Context<never>
  /** The program's clock; undefined for the system clock. */
  readonly clock: Clock | undefined
  readonly journal: Journal | undefined
}

/** The shared parts of one executor. Throws a TypeError for invalid options. */
export class Engine implements ActionHost, OwnTools {
  readonly settings: Settings
  /** Undefined if calls are not durable. */
  readonly journal: Journal | undefined
  readonly watchers: Watchers
  readonly stamps: EventStamps
  /** The queue that `next`, `events` and `stream` read. */
  readonly events: EventQueue
  readonly calls: ActiveCalls
  readonly tools: AgentTools
  readonly actions: ActionStore
  readonly signals = new AgentSignals()
  /** Each agent's handler for `resolve` while no action is pending. */
  readonly standingHandlers = new Map<string, StandingResolveHandler>()
  readonly deadlines: Deadlines
  readonly budget = new StepBudget()
  readonly mailbox: Mailbox
  readonly lanes: Lanes
  readonly pool: Pool
  /** Undefined if there are no limits. */
  readonly limiter: Limiter | undefined
  /** Undefined while there are none. */
  filters: CallFilter | undefined
  closing = false
  /** Set when a durable executor shuts down: resolves once all changes are stored and the mailbox is emptied. */
  leaving: Promise<void> | undefined
  /** Set when a call was taken out: resolves once the finalizers of such calls have run. */
  released: Promise<void> | undefined
  private madeTasks: BackgroundTasks | undefined
  private madeKeys: CallKeys | undefined
  private madeResults: KeptResults | undefined
  private madeChanges: RecordedChanges | undefined
  private readonly driver: Driver
  private readonly registry: ToolRegistry<unknown>
  private readonly context: Context.Context<unknown>
  private readonly callIds: CallIds
  private readonly actionIds: CallIds
  private cleanups: ShutdownCleanups | undefined
  private forkPlain: ((effect: HandlerEffect) => Fiber<unknown, unknown>) | undefined

  constructor(
    registry: ToolRegistry<unknown>,
    options: ToolExecutorOptions,
    { context, clock, journal }: Environment,
    driver: Driver,
  ) {
    if (typeof registry?.definitions !== "function")
      throw new TypeError(`Expected a ToolRegistry, ${got(registry)}`)
    const settings = toSettings(options)
    this.settings = settings
    // An empty registry gets its tools later, so the filters cannot check the names yet.
    if (registry.names.length > 0) expectLimitedTools(options.limits ?? [], registry.names)
    const ruled = registry.names.flatMap((name) => [name, ...(registry.get(name)?.ruleNames ?? [])])
    options.filters?.expectTools?.(ruled.length === 0 ? [] : [...ruled, resolveName])
    this.filters = options.filters?.at?.(settings.cwd) ?? options.filters
    this.driver = driver
    this.registry = registry
    // The registry's type guarantees that the context has every service that a handler needs.
    this.context = context as Context.Context<unknown>
    this.journal = journal
    this.callIds = new CallIds("call", journal !== undefined)
    this.actionIds = new CallIds("action", journal !== undefined)
    this.watchers = new Watchers(tracerOf(settings.trace, context))
    this.stamps = new EventStamps(clock, this.watchers, journal)
    this.events = this.makeQueue(() => this.calls.isEmpty && this.mailbox.isEmpty)
    this.calls = new ActiveCalls(this.events)
    this.deadlines = new Deadlines(clock)
    this.mailbox = new Mailbox(driver.execute.bind(undefined, this))
    this.lanes = new Lanes(this.budget, settings.parallelReads, this.start.bind(this))
    this.pool = new Pool(settings.backgroundConcurrency, this.placed.bind(this))
    const { limits } = settings
    if (limits.length > 0)
      this.limiter = new Limiter(limits, this.deadlines, this.receive.bind(this), journal)
    this.tools = new AgentTools(registry, this)
    this.actions = new ActionStore(this)
  }

  /** Created when first read: few executors have background tasks. */
  get tasks(): BackgroundTasks {
    this.madeTasks ??= new BackgroundTasks({
      settings: this.settings,
      deadlines: this.deadlines,
      calls: this.calls,
      watchers: this.watchers,
      journal: this.journal,
      mayCall: (agentId, name) => this.tools.toolFor(agentId, name) !== undefined,
      cancel: (call, reason, by) => this.cancelOne(call, reason, by),
    })
    return this.madeTasks
  }

  /** The results that were cut, unless a journal stores them. Created when first read. */
  get results(): KeptResults {
    this.madeResults ??= new KeptResults()
    return this.madeResults
  }

  /** The recorded changes of calls; undefined if none are recorded. Created when first read. */
  get changes(): RecordedChanges | undefined {
    const { undo } = this.settings
    if (undo !== undefined)
      this.madeChanges ??= new RecordedChanges(
        undo,
        () => this.deadlines.time(),
        (stored, given) => undoOf((name, version) => this.registry.get(name, version), stored, given),
      )
    return this.madeChanges
  }

  /** Created when first read: few tools have idempotency keys. */
  get keys(): CallKeys {
    this.madeKeys ??= new CallKeys(this.journal, () => this.deadlines.time())
    return this.madeKeys
  }

  /** Makes a queue for the executor's events, or for the events of one call. */
  makeQueue(isIdle: () => boolean): EventQueue {
    const { eventBuffer: deltas, eventBufferBytes: bytes } = this.settings
    return new EventQueue({ deltas, bytes }, this.stamps, isIdle)
  }

  // --- Input for a call

  /** Applies input from inside the executor. Its commands are carried out at once, or after the command that is being carried out. */
  receive(call: Call, input: Input): boolean {
    const took = this.apply(call, input)
    this.mailbox.deliver()
    return took
  }

  /** Like `receive`, for input that arrives in the call's own async context, such as a handler's result. */
  receiveHere(call: Call, input: Input): boolean {
    const took = this.apply(call, input)
    this.mailbox.deliver(call)
    return took
  }

  /** Applies input from the host. Its commands are carried out after the host's code has returned. */
  answer(call: Call, input: Input): boolean {
    const took = this.apply(call, input)
    this.mailbox.schedule()
    return took
  }

  /** Applies input to a call. Its commands wait in the mailbox. */
  apply(call: Call, input: Input): boolean {
    if (call.isLeft) return false
    this.mailbox.sender = call
    const took = transition(call, input, this.mailbox)
    call.timer?.follow(call.state)
    call.span?.moved(call)
    this.journal?.moved(call)
    if (call.to.outer !== undefined) this.nestedMoved(call)
    return took
  }

  /** Pauses the running time of an outer call while its nested calls wait. */
  nestedMoved(call: Call): void {
    const { outer } = call.to
    const nested = outer?.nested
    if (outer === undefined || nested === undefined) return
    nested.moved(call)
    const { areWaiting } = nested
    if (areWaiting === nested.wereWaiting) return
    nested.wereWaiting = areWaiting
    if (areWaiting) outer.timer?.pause()
    else outer.timer?.resume()
    // Also stores whether the outer call waits, and updates its own outer call.
    this.apply(outer, areWaiting ? rested : woken)
  }

  /** Passes the result of a nested call, which has ended or become a task, to its outer call, which no longer waits for it. */
  nestedEnded(call: Call, result: ToolResult): void {
    const { outer } = call.to
    outer?.nested?.ended(call, result, outer.place === "asked")
    this.nestedMoved(call)
    this.mailbox.deliver()
  }

  /** Gives a call its turn. Returns false if the call has ended. */
  start(call: Call, inContext: boolean): boolean {
    if (!call.isActive) return false
    const isLate = call.to.signal?.aborted === true
    const input: Input = isLate ? { _tag: "Cancel", outcome: cancelled(undefined, byCall) } : turn
    return inContext ? this.receiveHere(call, input) : this.receive(call, input)
  }

  /** Starts a call outside of its lane: in a microtask, when the caller's code has returned. */
  startSoon(call: Call): void {
    void soon.then(() => this.start(call, true))
  }

  /** Gives a call its place in the background pool. */
  placed(call: Call): boolean {
    return this.receive(call, placed)
  }

  timedOut(call: Call): void {
    this.driver.timedOut(this, call)
  }

  /** Removes a call that has ended. Returns false for a refused call, which was never active. */
  ended(call: Call): boolean {
    // The mailbox must not keep the last call alive.
    this.mailbox.sender = undefined
    const { outer } = call.to
    if (outer !== undefined && outer.attempts > 1) {
      // A handler that makes progress does not cause the end of its processes. Stored together with the end of the call.
      outer.attempts = 1
      this.journal?.moved(outer)
    }
    return this.calls.delete(call)
  }

  /** Cancels one call. Returns false if the call is ending already. */
  cancelOne(call: Call, reason?: string, by?: CancellingParty): boolean {
    return this.answer(call, { _tag: "Cancel", outcome: cancelled(reason, by) })
  }

  /** Cancels foreground calls, and returns their number. `running`: only calls whose handlers are running. */
  cancel({ agentId, reason }: CancelOptions, running: boolean, by?: CancellingParty): number {
    let count = 0
    for (const call of this.calls.all()) {
      const { agentId: ofAgent } = call.toolCall
      if (isInBackground(call) || (agentId !== undefined && ofAgent !== agentId)) continue
      if (running && !isRunning(call)) continue
      if (this.cancelOne(call, reason, by)) count += 1
    }
    return count
  }

  /** Cancels foreground calls, and aborts the signals of their agents. Returns the number of cancelled calls. */
  cancelHard(options: CancelOptions, by?: CancellingParty): number {
    const count = this.cancel(options, false, by)
    this.signals.abort(options.agentId, options.reason ?? "Cancelled")
    return count
  }

  // --- Calls, ids, filters and tools

  /** Fills in the defaults of a call. Throws a TypeError for an invalid call. */
  toToolCall(input: ToolCallInput): ToolCall {
    return toToolCall(input, this.callIds)
  }

  /** Looks up an active call. Throws a TypeError for anything but an id, such as a whole event. */
  callOf(callId: string): Call | undefined {
    const call = this.calls.get(callId)
    if (call === undefined) expectId("call", callId)
    return call
  }

  /** Whether a call or a kept task has this id. */
  isTaken(callId: string): boolean {
    return this.calls.has(callId) || this.madeTasks?.has(callId) === true
  }

  /** Throws after the shutdown. */
  assertOpen(): void {
    if (this.closing) throw new Error("The executor was shut down: make a new one")
  }

  /** The filters to add a rule to. Created if there are none. */
  get rememberingFilters(): CallFilter {
    this.filters ??= ToolFilters.compile({}, { cwd: this.settings.cwd })
    return this.filters
  }

  /** The registry's tool with this name. */
  toolOf(name: string): Tool<unknown> | undefined {
    return this.registry.get(name)
  }

  /** The definitions of an agent's tools, and of `resolve` while it can be called. */
  definitions(agentId: string, withResolve = false): Array<ToolDefinition> {
    const canResolve =
      withResolve || this.actions.latest(agentId) !== undefined || this.standingHandlers.has(agentId)
    return this.tools.definitions(agentId, canResolve, withResolve)
  }

  /** The outcome of a call of an unknown tool. */
  unknownTool(agentId: string, name: string): Stopped {
    const names = this.definitions(agentId).map((tool) => tool.name)
    const available = names.length === 0 ? "There are no tools." : `Available tools: ${names.join(", ")}`
    return failed("unknown-tool", `Unknown tool "${name}". ${available}`)
  }

  makeResolve(): Tool<unknown> {
    return makeResolveTool((agentId) => this.standingHandlers.get(agentId))
  }

  makeReadResult(): Tool<unknown> {
    const { journal, settings } = this
    const wholeOf: WholeResultOf = (agentId, callId) =>
      journal === undefined ? this.results.get(agentId, callId) : journal.wholeResult(agentId, callId)
    return makeReadResultTool(wholeOf, settings.maxOutputBytes)
  }

  // --- Pending actions

  nextActionId(): string {
    return this.actionIds.next()
  }

  actionDropped(agentId: string, action: StagedAction): void {
    this.driver.dropped(this, agentId, action)
  }

  actionPushed(agentId: string, action: StagedAction): void {
    this.events.push(pendingEvent(agentId, action))
  }

  actionsChanged(agentId: string): void {
    this.tools.changed(agentId)
  }

  // --- For handlers

  fork(effect: HandlerEffect, scope?: Scope.Scope): Fiber<unknown, unknown> {
    if (scope !== undefined) return Effect.runForkWith(Context.add(this.context, Scope.Scope, scope))(effect)
    this.forkPlain ??= Effect.runForkWith(this.context)
    return this.forkPlain(effect)
  }

  callingAgent(agentId: string): CallingAgent {
    return {
      agentId,
      pendingActions: new AgentPendingActions(this.actions, agentId),
      definitions: () => this.definitions(agentId),
      cancel: (reason) => this.cancelHard({ agentId, reason }, byTool),
    }
  }

  /**
   * Created when first read, because few executors have cleanups. Bound, so that handlers can destructure it, and always the same
   * function: handlers recognize their executor by it.
   */
  get onShutdown(): (cleanup: () => unknown) => () => void {
    this.cleanups ??= new ShutdownCleanups()
    return this.cleanups.add
  }

  /** Runs the shutdown cleanups. Resolves when they are done, or when `finallyTimeout` is over. */
  async cleanUp(): Promise<void> {
    this.cleanups ??= new ShutdownCleanups()
    const done = this.cleanups.run()
    if (!this.cleanups.isOver) await this.atMost(done)
  }

  /** Resolves when the work is done, or when `finallyTimeout` is over. */
  async atMost(done: Promise<unknown>): Promise<void> {
    const late = new Promise<void>((resolve) => this.deadlines.after(this.settings.finallyTimeout, resolve))
    await Promise.race([done, late])
  }
}
