/**
 * Runs tool calls and tells its host what happens. Foreground calls of an agent take turns in its lane; background
 * calls run at once, within a bound. Every call ends with exactly one terminal event.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { type PlacedRule, type RememberChoice, ToolFilters } from "../policy/index.ts"
import { type ResolveParams, resolveName } from "../resolve/definition.ts"
import * as toolChoice from "../resolve/tool-choice.ts"
import { type AgentParts, ExecutorAgent, type SignalOption } from "./agent.ts"
import { failUnread, rulesToRemember } from "./call/asking.ts"
import { CallIds, toToolCall, withBackground } from "./call/call-input.ts"
import { ActiveCalls, type CancelOptions } from "./call/calls.ts"
import { decideCall } from "./call/deciding.ts"
import { tracerOf } from "./call/effect-tracer.ts"
import { type CallDetails, type CallInspection, detailsOf, inspectionOf } from "./call/inspection.ts"
import { makeResolveTool, type StandingResolveHandler } from "./call/resolver.ts"
import { type CallSnapshot, readSnapshot } from "./call/snapshot.ts"
import { writeStaged } from "./call/write-snapshot.ts"
import { ExecutorEngine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { EventIterator, EventQueue } from "./events/event-queue.ts"
import { EventStamps } from "./events/event-stamps.ts"
import { Watchers } from "./events/watchers.ts"
import { type ExecutorJournal, takeEnvironment, withEnvironment } from "./executor-environment.ts"
import { Intake, shutdownReason } from "./intake.ts"
import type { CallOf, ToolCallInput } from "./model/call.ts"
import { byShutdown, byTool, type CallDecision, type CancellingParty } from "./model/decision.ts"
import type { ApproveOptions, ToolEvent, ToolResult } from "./model/event.ts"
import { got } from "./model/got.ts"
import { type CallFilter, type Settings, type ToolExecutorOptions, toSettings } from "./model/options.ts"
import { failed, type Stopped } from "./model/outcome.ts"
import type { GivenOutput } from "./model/output.ts"
import type { ToolRegistry } from "./model/registry.ts"
import type { AnyTools, StructuredOf, ToolTypes } from "./model/tool-types.ts"
import type { ExecutorWatcher } from "./model/watcher.ts"
import { abortError, pullEvents, runToResult } from "./one-run.ts"
import { LateMap } from "./schedule/late-map.ts"
import { AgentSignals } from "./stores/agent-signals.ts"
import { AgentTools } from "./stores/agent-tools.ts"
import { BackgroundTasks } from "./stores/background-tasks.ts"
import { ActionStore } from "./stores/pending-actions.ts"
import { watch } from "./watching.ts"

/** What `resolve` is called with, by the model as by the host. */
export type ResolveRequest = ResolveParams

const untilIdle = { untilIdle: true }

const shutdownError = (): DOMException => new DOMException(shutdownReason, "AbortError")

/**
 * Runs the calls of a registry's tools for a host. Throws a TypeError for options that cannot be meant. `T` are the tools
 * that its types know: those that its registry was made with.
 */
export class ToolExecutor<T extends ToolTypes = AnyTools> implements AsyncDisposable {
  /** Background tasks: running ones, and finished ones until they are taken. */
  readonly tasks: BackgroundTasks
  private readonly registry: ToolRegistry<unknown>
  private readonly settings: Settings
  private readonly engine: ExecutorEngine
  private readonly watchers: Watchers
  private readonly stamps: EventStamps
  private readonly queue: EventQueue
  private readonly intake: Intake
  private readonly submit: Intake["submit"]
  private readonly calls: ActiveCalls
  private readonly tools: AgentTools
  private readonly actions: ActionStore
  private readonly standingHandlers = new LateMap<string, StandingResolveHandler>()
  private readonly signals = new AgentSignals()
  private madeAgentParts: AgentParts | undefined
  private readonly ids: CallIds
  private readonly actionIds: CallIds
  private readonly journal: ExecutorJournal | undefined
  private filters: CallFilter | undefined
  private down: Promise<void> | undefined

  constructor(registry: ToolRegistry<never, T>, options: ToolExecutorOptions = {}) {
    const { context, clock, journal } = takeEnvironment(options)
    this.journal = journal
    this.ids = new CallIds("call", journal !== undefined)
    this.actionIds = new CallIds("action", journal !== undefined)
    this.registry = registry as unknown as ToolRegistry<unknown>
    this.settings = toSettings(options)
    this.filters = options.filters?.at?.(this.settings.cwd) ?? options.filters
    const { trace } = this.settings
    this.watchers = new Watchers(tracerOf(trace, context))
    this.stamps = new EventStamps(clock, this.watchers, journal)
    const { eventBuffer: deltas, eventBufferBytes: bytes } = this.settings
    this.queue = new EventQueue(
      { deltas, bytes },
      this.stamps,
      () => this.calls.isEmpty && engine.mailbox.isEmpty,
    )
    this.calls = new ActiveCalls(this.queue)
    this.tasks = new BackgroundTasks({
      ttl: this.settings.taskTtl,
      max: this.settings.maxTasks,
      now: () => engine.deadlines.now(),
      time: () => engine.deadlines.time(),
      forgotten: (id) => this.watchers.forgotten(id),
      starting: (id) => {
        const call = this.calls.get(id)
        return call?.record.call.background === true ? call : undefined
      },
      journal,
    })
    this.actions = new ActionStore({
      max: this.settings.maxPendingActions,
      choice: this.settings.resolveChoice,
      nextActionId: () => this.actionIds.next(),
      dropped: (agentId, action) => this.intake.drop(agentId, action),
      changed: (agentId) => this.tools.changed(agentId),
      journal,
      pushed: (agentId, { actionId, label, sourceToolName }) =>
        this.queue.push({ _tag: "ActionPending", agentId, actionId, label, sourceToolName, seq: 0, at: 0 }),
    })
    const engine = new ExecutorEngine({
      settings: this.settings,
      context,
      clock,
      watchers: this.watchers,
      journal,
      events: this.queue,
      tasks: this.tasks,
      actions: this.actions,
      calls: this.calls,
      toolOf: (name) => this.registry.get(name),
      hasFilters: () => this.filters !== undefined,
      filters: () => (this.filters ??= ToolFilters.compile({}, { cwd: this.settings.cwd })),
      unknownTool: (agentId, name) => this.unknownTool(agentId, name),
      cancelAgent: (agentId, reason) =>
        this.cancelHard({ agentId, ...(reason !== undefined && { reason }) }, byTool),
    })
    this.engine = engine
    this.tools = new AgentTools(this.registry, () =>
      makeResolveTool((agentId) => this.standingHandlers.get(agentId)),
    )
    const { calls, tasks, tools, actions, queue } = this
    this.intake = new Intake({ engine, calls, tools })
    const { intake } = this
    journal?.attach({ mailbox: engine.mailbox, calls, actions, tasks, intake, queue })
    this.submit = (call, to) => this.intake.submit(call, to)
  }

  /**
   * An executor whose handlers may need services of `R`; the scope shuts it down, and time comes from the program's Clock.
   * Options that cannot be meant are a defect.
   */
  static make<R, T extends ToolTypes = AnyTools>(
    registry: ToolRegistry<R, T>,
    options: ToolExecutorOptions = {},
  ): Effect.Effect<ToolExecutor<T>, never, R | Scope> {
    return Effect.flatMap(Effect.context<R | Scope>(), (context) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const services = context as Context.Context<never>
          return new ToolExecutor(
            registry as unknown as ToolRegistry<never, T>,
            withEnvironment(options, services),
          )
        }),
        (executor) => Effect.promise(() => executor.shutdown()),
      ),
    )
  }

  // --- Calls

  /**
   * Queues calls and gives their ids. Nothing of a tool runs before the caller's synchronous code has ended.
   * Throws at once for what is no call, and after shutdown.
   */
  enqueue(calls: ReadonlyArray<ToolCallInput>): Array<string> {
    if (!Array.isArray(calls)) throw new TypeError("Expected `enqueue` to be given an array of calls")
    this.assertOpen()
    const toolCalls = calls.map((input) => toToolCall(input, this.ids))
    if (!this.actions.isEmpty) {
      for (const { agentId, name } of toolCalls) {
        if (name !== resolveName)
          this.actions.setTurn(agentId, toolChoice.unwatched(this.actions.turn(agentId)))
      }
    }
    return this.intake.enqueue(toolCalls)
  }

  /**
   * Runs one call to its result; in the background, to the moment when it runs there. It takes its place in its lane.
   * Its events go to `onEvent` alone; without one, gates are denied and effects fail.
   * Rejects with an `AbortError` if `signal` is aborted, once the call is over. Throws at once for what is no call. After
   * shutdown every call is cancelled.
   */
  run<const Name extends string>(
    call: CallOf<T, Name>,
    onEvent?: (event: ToolEvent<T>) => unknown,
    options: SignalOption = {},
  ): Promise<ToolResult<StructuredOf<T, Name>>> {
    const told = onEvent as ((event: ToolEvent) => unknown) | undefined
    const sink = new CallbackSink(told, this.stamps)
    const result = runToResult(this.submit, toToolCall(call, this.ids), sink, options.signal)
    return result as Promise<ToolResult<StructuredOf<T, Name>>>
  }

  /**
   * Runs one call and gives its events as they are pulled, then its result. The call is enqueued when the first event is
   * asked for. A background call's events end with its task. Whoever leaves the loop cancels the call, and waits for its
   * cleanup. Throws an `AbortError` if `signal` is aborted, once the call is over.
   */
  async *runEvents<const Name extends string>(
    call: CallOf<T, Name>,
    { signal }: SignalOption = {},
  ): AsyncGenerator<ToolEvent<T>, ToolResult<StructuredOf<T, Name>>, undefined> {
    const input = toToolCall(call, this.ids)
    const { eventBuffer: deltas, eventBufferBytes: bytes } = this.settings
    const queue = new EventQueue({ deltas, bytes }, this.stamps, () => false)
    const events = pullEvents(this.submit, input, queue, signal)
    const result = yield* events as AsyncGenerator<ToolEvent<T>, ToolResult, undefined>
    return result as ToolResult<StructuredOf<T, Name>>
  }

  /**
   * What would happen to a call, were it queued now: its parameters are checked, `beforeCall` and the rules are asked, its
   * pipeline is composed and its gates are looked at. Nothing of it runs, and nothing is changed; reviewers are not asked, and
   * what a handler asks for while it runs is not known. Rejects for what is no call, and after shutdown.
   */
  async decide(input: ToolCallInput): Promise<CallDecision> {
    this.assertOpen()
    const call = toToolCall(input, this.ids)
    const { agentId, callId, name } = call
    const tool = this.tools.toolFor(agentId, name)
    return decideCall({
      call: withBackground(call, tool),
      tool,
      filters: this.engine.filters,
      hooks: this.settings.hooks,
      isTaken: this.intake.isTaken(callId),
      unknownTool: () => this.unknownTool(agentId, name),
      pending: this.actions.latest(agentId),
      toolOf: (toolName) => this.registry.get(toolName),
    })
  }

  // --- Agents

  /** What belongs to one agent: its tools, its pending actions, its turns. A view: there is nothing to keep or to close. */
  agent(agentId = "main"): ExecutorAgent {
    return new ExecutorAgent(agentId, this.agentParts)
  }

  // --- Events

  /** The next event; undefined once nothing is queued, running, waiting or undelivered. */
  next(options?: SignalOption): Promise<ToolEvent<T> | undefined> {
    const signal = options?.signal
    const next =
      signal === undefined
        ? this.queue.next(untilIdle)
        : this.queue.next({ untilIdle: true, signal }).catch(() => Promise.reject(abortError(signal)))
    return next as Promise<ToolEvent<T> | undefined>
  }

  /** The same events, as long as the executor lives. Each event goes to one reader, once. */
  get events(): AsyncIterableIterator<ToolEvent<T>> {
    return new EventIterator(this.queue) as AsyncIterableIterator<ToolEvent<T>>
  }

  /** The same events as an Effect Stream. */
  get stream(): Stream.Stream<ToolEvent<T>> {
    // An iterator of its own for each run: a Stream may be run again.
    return Stream.suspend(() => Stream.orDie(Stream.fromAsyncIterable(this.events, (error) => error)))
  }

  // --- Answers

  /** Approves a call that waits at a gate, or that is `requested`. True if it took effect. */
  approve(callId: string, options?: ApproveOptions): boolean {
    return this.calls.get(callId)?.approve(options) ?? false
  }

  /**
   * The allow rules that `approve(callId, { remember: choice })` would add, to show before it is done; undefined where the call
   * waits at no gate, where only a person passes that, and where no such rule fits the call.
   */
  wouldRemember(
    callId: string,
    choice: RememberChoice = "call",
  ): ReadonlyArray<string | PlacedRule> | undefined {
    const call = this.calls.get(callId)
    return call && rulesToRemember(call, choice)
  }

  /** Denies a call that waits at a gate, or that is `requested`. True if it took effect. */
  deny(callId: string, reason?: string): boolean {
    return this.calls.get(callId)?.deny(reason) ?? false
  }

  /** Answers the effect that a call waits for. True if it took effect. */
  respond(callId: string, answer: { readonly output?: GivenOutput } | { readonly error: string }): boolean {
    if (typeof answer !== "object" || answer === null) {
      throw new TypeError(`Expected an answer with an \`output\` or an \`error\`, ${got(answer)}`)
    }
    return this.calls.get(callId)?.respond(answer) ?? false
  }

  // --- Cancellation

  /** Hard: ends all foreground calls, queued, running and waiting. Gives how many. */
  cancel(options: CancelOptions = {}): number {
    return this.cancelHard(options)
  }

  /** Soft: ends the handlers that run now; gates and the queue go on. Gives how many. */
  cancelForeground(options: CancelOptions = {}): number {
    return this.calls.cancel(options, true)
  }

  /** Ends one call, also in the background. True if it took effect. */
  cancelCall(callId: string, reason?: string): boolean {
    return this.calls.get(callId)?.cancel(reason) ?? false
  }

  /** A started foreground call becomes a background task. False where it is queued, ending, or not allowed. */
  toBackground(callId: string): boolean {
    return this.calls.get(callId)?.toBackground() ?? false
  }

  /**
   * Cancels everything, runs all cleanup and ends the events; what is undelivered stays readable. Where calls are durable, nothing
   * is cancelled: they go on once their store is opened again.
   */
  shutdown(): Promise<void> {
    this.down ??= this.close()
    return this.down
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  /** What every call is doing, in the order of enqueueing. */
  inspect(): Array<CallInspection> {
    return this.calls.all().map((call) => inspectionOf(call.record))
  }

  /** What one call is doing, with its plan and where it stands; undefined for one that is not active. */
  inspectCall(callId: string): CallDetails | undefined {
    const call = this.calls.get(callId)
    return call && detailsOf(call)
  }

  /**
   * Has somebody told what the executor does, beside those that read its events, until the function that it gives is called.
   * What is active already is told first, as if it began now; such events have the `seq` 0. What its
   * tracer has begun is told to the end.
   */
  watch(watcher: ExecutorWatcher): () => void {
    const { calls, actions, stamps, watchers } = this
    return watch(watcher, { calls, actions, stamps, watchers })
  }

  // --- Written down and read back

  /**
   * A call at rest as plain JSON: queued, held, waiting for its host at a gate or for an effect, or staged (by the id of the
   * staging call, or of its action). The call goes on here; what is to go on elsewhere is cancelled, or its process ends.
   * Throws an Error that says why for a call that is unknown, or not at rest, and for an action that was pushed.
   */
  snapshot(callId: string): CallSnapshot {
    const call = this.calls.get(callId)
    if (call !== undefined) return call.snapshot()
    const action = this.actions.find(callId)
    if (action === undefined)
      throw new Error(`There is no call "${callId}" that is active, and no action that it staged`)
    return writeStaged(action)
  }

  /**
   * Goes on with a call that `snapshot` wrote down, in this process or another: the same future follows, its question is
   * asked again, and what ran before does not run again. Gives its id, or the action's. Throws an Error where its tool is gone
   * or composes another pipeline now, and where the id is in use.
   */
  restore(snapshot: CallSnapshot): string {
    this.assertOpen()
    const read = readSnapshot(snapshot)
    const call = toToolCall(read.call, this.ids)
    if (read.staged !== undefined) return this.intake.restoreStaged(call, read.staged)
    if (this.intake.isTaken(call.callId)) {
      throw new Error(`Cannot restore "${call.callId}": the id is in use`)
    }
    return this.intake.restoreCall({ ...read, call })
  }

  // --- Inside

  /** Made when an agent is first asked for. */
  private get agentParts(): AgentParts {
    this.madeAgentParts ??= this.makeAgentParts()
    return this.madeAgentParts
  }

  private makeAgentParts(): AgentParts {
    return {
      tools: this.tools,
      actions: this.actions,
      standingHandlers: this.standingHandlers,
      choice: this.settings.resolveChoice,
      signal: (agentId) =>
        this.engine.closing ? AbortSignal.abort(shutdownError()) : this.signals.of(agentId),
      forget: (agentId) => {
        this.standingHandlers.delete(agentId)
        this.tools.forget(agentId)
        this.signals.forget(agentId)
      },
      cancel: (cancelling) => this.cancel(cancelling),
      toToolCall: (input) => toToolCall(input, this.ids),
      assertOpen: () => this.assertOpen(),
      enqueue: (call, refusal) => this.submit(call, { sink: this.queue, refusal }).call.callId,
      run: (call, onEvent, { signal }, place) =>
        runToResult(this.submit, call, new CallbackSink(onEvent, this.stamps), signal, place),
    }
  }

  private cancelHard(options: CancelOptions, by?: CancellingParty): number {
    const count = this.calls.cancel(options, false, by)
    this.signals.abort(options.agentId, options.reason ?? "Cancelled")
    return count
  }

  private unknownTool(agentId: string, name: string): Stopped {
    const names = this.agent(agentId)
      .definitions()
      .map((tool) => tool.name)
    const available = names.length === 0 ? "There are no tools." : `Available tools: ${names.join(", ")}`
    return failed("unknown-tool", `Unknown tool "${name}". ${available}`)
  }

  /** The calls go on in another process: what runs here is ended, and nobody is told. */
  private async leave(journal: ExecutorJournal): Promise<void> {
    await journal.close()
    this.engine.mailbox.leave()
    const ended = this.calls.leave(
      new Error("The executor was shut down: the call goes on once its store is opened again"),
    )
    this.tasks.leave()
    this.actions.leave()
    this.signals.abort(undefined, shutdownReason)
    await this.engine.atMost(ended)
    // What results name, such as files, is kept with them.
    this.engine.deadlines.dispose()
    this.queue.close()
  }

  private async close(): Promise<void> {
    this.engine.closing = true
    if (this.journal !== undefined) return this.leave(this.journal)
    for (const { actor } of this.calls.all()) {
      // Those that are cleaning up are helped on where they wait for a host that is gone.
      if (!actor.cancel(shutdownReason, byShutdown)) failUnread(actor)
    }
    this.signals.abort(undefined, shutdownReason)
    await this.calls.allEnded()
    // Only now: what was being applied is pending again.
    this.actions.close()
    await this.calls.allEnded()
    await this.engine.cleanUp()
    this.engine.deadlines.dispose()
    this.queue.close()
  }

  private assertOpen(): void {
    if (this.engine.closing) throw new Error("The executor was shut down: make a new one")
  }
}
