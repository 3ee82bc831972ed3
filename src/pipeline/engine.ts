/** Joins what the calls of one executor share: clock, pool, lanes, stores and the mailbox. */
import type { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { BackgroundTasks } from "../tasks/background-tasks.ts"
import type { Watchers } from "../watching/watchers.ts"
import type { ActiveCalls } from "./call/calls.ts"
import type { Command } from "./call/command.ts"
import { CommandOutbox, type Engine } from "./call/engine.ts"
import type { EnqueuedCall } from "./call/enqueued.ts"
import type { Journal } from "./call/journal.ts"
import type { Submission } from "./call/submission.ts"
import type { EventQueue } from "./events/event-queue.ts"
import type { ToolCall } from "./model/call.ts"
import type { CallingAgent } from "./model/handler.ts"
import type { CallFilter } from "./model/options.ts"
import type { Stopped } from "./model/outcome.ts"
import type { Settings } from "./model/settings.ts"
import type { Tool } from "./model/tool.ts"
import { Deadlines } from "./schedule/deadlines.ts"
import { Lanes } from "./schedule/lanes.ts"
import { Mailbox } from "./schedule/mailbox.ts"
import { Pool } from "./schedule/pool.ts"
import { soon } from "./schedule/soon.ts"
import { StepBudget } from "./schedule/step-budget.ts"
import { type ActionStore, AgentPendingActions } from "./stores/pending-actions.ts"
import { ShutdownCleanups } from "./stores/shutdown-cleanups.ts"

type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

/** What the executor brings. */
export interface EngineParts {
  readonly settings: Settings
  readonly context: Context.Context<never>
  /** A clock of the context's own; undefined is the system's. */
  readonly clock: Clock | undefined
  readonly watchers: Watchers
  readonly journal: Journal | undefined
  readonly events: EventQueue
  readonly tasks: BackgroundTasks
  readonly actions: ActionStore
  readonly calls: ActiveCalls
  readonly filters: () => CallFilter
  readonly hasFilters: () => boolean
  readonly unknownTool: (agentId: string, name: string) => Stopped
  readonly toolOf: (name: string) => Tool<unknown> | undefined
  /** Ends the foreground calls of an agent; gives how many. */
  readonly cancelAgent: (agentId: string, reason: string | undefined) => number
}

/** The shared parts of one executor: made with it, and used by all its calls. */
export class ExecutorEngine implements Engine {
  readonly settings: Settings
  readonly context: Context.Context<never>
  readonly watchers: Watchers
  readonly journal: Journal | undefined
  readonly events: EventQueue
  readonly tasks: BackgroundTasks
  readonly actions: ActionStore
  readonly deadlines: Deadlines
  readonly pool: Pool
  private forkPlain: ((effect: HandlerEffect) => Fiber<unknown, unknown>) | undefined
  readonly budget = new StepBudget()
  readonly mailbox = new Mailbox<Command>()
  readonly outbox = new CommandOutbox(this.mailbox)
  closing = false
  /** Set where its calls go on in another process: resolves once all is stored and nothing waits in the mailbox. */
  leaving: Promise<void> | undefined
  private cleanups: ShutdownCleanups | undefined
  private readonly parts: EngineParts
  private readonly lanes: Lanes<EnqueuedCall>

  constructor(parts: EngineParts) {
    this.parts = parts
    this.settings = parts.settings
    this.context = parts.context
    this.watchers = parts.watchers
    this.events = parts.events
    this.journal = parts.journal
    this.tasks = parts.tasks
    this.actions = parts.actions
    this.deadlines = new Deadlines(parts.clock)
    this.pool = new Pool(parts.settings.backgroundConcurrency)
    this.lanes = new Lanes(this.budget)
  }

  /** The filters, where there are any. */
  get filters(): CallFilter | undefined {
    return this.parts.hasFilters() ? this.parts.filters() : undefined
  }

  /** The filters to add a rule to: made where there were none. */
  get rememberingFilters(): CallFilter {
    return this.parts.filters()
  }

  /** Whether a foreground call would have to wait for its turn. */
  isBusy({ lane, agentId }: ToolCall): boolean {
    return this.lanes.isBusy(lane ?? agentId)
  }

  /** Starts a call in its lane, or at once: then in a microtask, when the caller's code has ended. */
  start(call: EnqueuedCall, inLane: boolean): void {
    if (inLane) this.lanes.join(call)
    else void soon.then(() => call.start(true))
  }

  fork(effect: HandlerEffect, scope?: Scope.Scope): Fiber<unknown, unknown> {
    // The registry's type says that the context has every service that a handler needs.
    const context = this.context as Context.Context<unknown>
    if (scope !== undefined) {
      return Effect.runForkWith(Context.add(context, Scope.Scope, scope) as Context.Context<unknown>)(effect)
    }
    this.forkPlain ??= Effect.runForkWith(context)
    return this.forkPlain(effect)
  }

  /** Bound, and made when first read: few executors have something to clean up. */
  get onShutdown(): Engine["onShutdown"] {
    this.cleanups ??= new ShutdownCleanups()
    const { cleanups } = this
    return (cleanup) => cleanups.add(cleanup)
  }

  /** Does what was to be done at the shutdown. Resolves when that is done, or when `finallyTimeout` is over. */
  async cleanUp(): Promise<void> {
    this.cleanups ??= new ShutdownCleanups()
    const done = this.cleanups.run()
    if (!this.cleanups.isOver) await this.atMost(done)
  }

  /** Resolves when it is done, or when `finallyTimeout` is over. */
  async atMost(done: Promise<void>): Promise<void> {
    const late = new Promise<void>((resolve) => this.deadlines.after(this.settings.finallyTimeout, resolve))
    await Promise.race([done, late])
  }

  leaveLane(call: Submission): void {
    this.lanes.leave(call as EnqueuedCall)
  }

  ended(call: Submission): boolean {
    this.outbox.release()
    return this.parts.calls.delete(call as EnqueuedCall)
  }

  unknownTool(agentId: string, name: string): Stopped {
    return this.parts.unknownTool(agentId, name)
  }

  toolOf(name: string): Tool<unknown> | undefined {
    return this.parts.toolOf(name)
  }

  callingAgent(agentId: string): CallingAgent {
    return {
      agentId,
      pendingActions: new AgentPendingActions(this.actions, agentId),
      cancel: (reason) => this.parts.cancelAgent(agentId, reason),
    }
  }
}
