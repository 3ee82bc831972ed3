/** The parts of one executor, joined: calls come in through the intake, and what happens is told through the queue. */
import { ToolFilters } from "../policy/index.ts"
import { resolveName } from "../resolve/definition.ts"
import { BackgroundTasks } from "../tasks/background-tasks.ts"
import { tracerOf } from "../tracing/effect-tracer.ts"
import { Watchers } from "../watching/watchers.ts"
import { type AgentParts, ExecutorAgent } from "./agent.ts"
import type { CallActor } from "./call/actor.ts"
import { CallIds, toToolCall } from "./call/call-input.ts"
import { ActiveCalls, type CancelOptions } from "./call/calls.ts"
import { makeResolveTool, type StandingResolveHandler } from "./call/resolver.ts"
import { pendingEvent } from "./call/telling.ts"
import { ExecutorEngine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { EventQueue } from "./events/event-queue.ts"
import { EventStamps } from "./events/event-stamps.ts"
import { type ExecutorJournal, takeEnvironment } from "./executor-environment.ts"
import { Intake, shutdownReason } from "./intake.ts"
import type { ToolCall, ToolCallInput } from "./model/call.ts"
import { byTool, type CancellingParty } from "./model/decision.ts"
import { expectId, expectText, got } from "./model/got.ts"
import type { CallFilter, ToolExecutorOptions } from "./model/options.ts"
import { failed, type Stopped } from "./model/outcome.ts"
import type { ToolRegistry } from "./model/registry.ts"
import { type Settings, toSettings } from "./model/settings.ts"
import type { Tool } from "./model/tool.ts"
import { runToResult } from "./one-run.ts"
import { LateMap } from "./schedule/late-map.ts"
import { AgentSignals } from "./stores/agent-signals.ts"
import { AgentTools } from "./stores/agent-tools.ts"
import { ActionStore } from "./stores/pending-actions.ts"

const shutdownError = (): DOMException => new DOMException(shutdownReason, "AbortError")

/** All that one executor is made of. Throws a TypeError for options that cannot be meant. */
export class ExecutorParts {
  readonly settings: Settings
  readonly engine: ExecutorEngine
  readonly watchers: Watchers
  readonly stamps: EventStamps
  /** What `next`, `events` and `stream` read. */
  readonly queue: EventQueue
  readonly intake: Intake
  readonly submit: Intake["submit"]
  readonly calls: ActiveCalls
  readonly tasks: BackgroundTasks
  readonly tools: AgentTools
  readonly actions: ActionStore
  readonly signals = new AgentSignals()
  readonly journal: ExecutorJournal | undefined
  private readonly registry: ToolRegistry<unknown>
  private readonly standingHandlers = new LateMap<string, StandingResolveHandler>()
  private readonly ids: CallIds
  private readonly actionIds: CallIds
  private filters: CallFilter | undefined
  private madeAgentParts: AgentParts | undefined

  constructor(registry: ToolRegistry<unknown>, options: ToolExecutorOptions) {
    if (typeof registry?.definitions !== "function")
      throw new TypeError(`Expected a ToolRegistry, ${got(registry)}`)
    const { context, clock, journal } = takeEnvironment(options)
    this.journal = journal
    this.ids = new CallIds("call", journal !== undefined)
    this.actionIds = new CallIds("action", journal !== undefined)
    this.registry = registry
    this.settings = toSettings(options)
    // Where there are no tools yet, all come later.
    options.filters?.expectTools?.(registry.names.length === 0 ? [] : [...registry.names, resolveName])
    this.filters = options.filters?.at?.(this.settings.cwd) ?? options.filters
    this.watchers = new Watchers(tracerOf(this.settings.trace, context))
    this.stamps = new EventStamps(clock, this.watchers, journal)
    this.queue = this.makeQueue(() => this.calls.isEmpty && this.engine.mailbox.isEmpty)
    this.calls = new ActiveCalls(this.queue)
    this.tasks = this.makeTasks()
    this.actions = this.makeActions()
    this.engine = new ExecutorEngine({
      settings: this.settings,
      context,
      clock,
      watchers: this.watchers,
      journal,
      events: this.queue,
      tasks: this.tasks,
      actions: this.actions,
      calls: this.calls,
      toolOf: (name) => this.toolOf(name),
      hasFilters: () => this.filters !== undefined,
      filters: () => (this.filters ??= ToolFilters.compile({}, { cwd: this.settings.cwd })),
      unknownTool: (agentId, name) => this.unknownTool(agentId, name),
      cancelAgent: (agentId, reason) => this.cancelHard({ agentId, reason }, byTool),
    })
    this.tools = new AgentTools(registry, () =>
      makeResolveTool((agentId) => this.standingHandlers.get(agentId)),
    )
    const { engine, calls, tasks, tools, actions } = this
    const intake = new Intake({ engine, calls, tools })
    this.intake = intake
    this.submit = (call, to) => intake.submit(call, to)
    journal?.attach({ mailbox: engine.mailbox, calls, actions, tasks, intake })
  }

  /** A queue of the executor's events, or of one call's. */
  makeQueue(isIdle: () => boolean): EventQueue {
    const { eventBuffer: deltas, eventBufferBytes: bytes } = this.settings
    return new EventQueue({ deltas, bytes }, this.stamps, isIdle)
  }

  private makeTasks(): BackgroundTasks {
    const { taskTtl: ttl, maxTasks: max } = this.settings
    return new BackgroundTasks({
      ttl,
      max,
      now: () => this.engine.deadlines.now(),
      time: () => this.engine.deadlines.time(),
      mayCall: (agentId, name) => this.tools.toolFor(agentId, name) !== undefined,
      forgotten: (id) => this.watchers.forgotten(id),
      starting: (id) => {
        const call = this.calls.get(id)
        return call?.record.call.background === true ? call : undefined
      },
      journal: this.journal,
    })
  }

  private makeActions(): ActionStore {
    return new ActionStore({
      max: this.settings.maxPendingActions,
      choice: this.settings.resolveChoice,
      nextActionId: () => this.actionIds.next(),
      dropped: (agentId, action) => this.intake.drop(agentId, action),
      changed: (agentId) => this.tools.changed(agentId),
      journal: this.journal,
      pushed: (agentId, action) => this.queue.push(pendingEvent(agentId, action)),
    })
  }

  // --- What callers are checked against

  /** Fills in the defaults of a call. Throws a TypeError for what is no call. */
  toToolCall(input: ToolCallInput): ToolCall {
    return toToolCall(input, this.ids)
  }

  /** A call that has not ended. Throws a TypeError for what is no id, such as a whole event. */
  callOf(callId: string): CallActor | undefined {
    const call = this.calls.get(callId)
    if (call === undefined) expectId("call", callId)
    return call
  }

  /** Throws after the shutdown. */
  assertOpen(): void {
    if (this.engine.closing) throw new Error("The executor was shut down: make a new one")
  }

  /** The tool of the registry that has this name. */
  toolOf(name: string): Tool<unknown> | undefined {
    return this.registry.get(name)
  }

  /** What a call of a tool gets that there is not. */
  unknownTool(agentId: string, name: string): Stopped {
    const names = this.agent(agentId)
      .definitions()
      .map((tool) => tool.name)
    const available = names.length === 0 ? "There are no tools." : `Available tools: ${names.join(", ")}`
    return failed("unknown-tool", `Unknown tool "${name}". ${available}`)
  }

  /** Ends foreground calls, and what works for their agents without being a call. Gives how many calls. */
  cancelHard(options: CancelOptions, by?: CancellingParty): number {
    const count = this.calls.cancel(options, false, by)
    this.signals.abort(options.agentId, options.reason ?? "Cancelled")
    return count
  }

  // --- Agents

  /** What belongs to one agent. */
  agent(agentId: string): ExecutorAgent {
    expectText("agentId", agentId)
    this.madeAgentParts ??= this.makeAgentParts()
    return new ExecutorAgent(agentId, this.madeAgentParts)
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
      cancel: (cancelling) => this.cancelHard(cancelling),
      toToolCall: (input) => this.toToolCall(input),
      assertOpen: () => this.assertOpen(),
      enqueue: (call, refusal) => this.submit(call, { sink: this.queue, refusal }).call.callId,
      run: (call, onEvent, { signal }, place) =>
        runToResult(this.submit, call, new CallbackSink(onEvent, this.stamps), signal, place),
    }
  }
}
