/** What all calls of one executor share, and what a call tells it when it is over. */
import type { Clock } from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import type { EventQueue } from "../events/event-queue.ts"
import type { CallFilter, Settings } from "../model/options.ts"
import type { Stopped } from "../model/outcome.ts"
import type { Tool } from "../model/tool.ts"
import { Deadlines } from "../schedule/deadlines.ts"
import { Pool } from "../schedule/pool.ts"
import { StepBudget } from "../schedule/step-budget.ts"
import type { BackgroundTasks } from "../stores/background-tasks.ts"
import type { ActionStore } from "../stores/pending-actions.ts"
import type { Run } from "./run.ts"

export interface EngineParts {
  readonly settings: Settings
  readonly context: Context.Context<never>
  /** A clock of the context's own; undefined is the system's. */
  readonly clock: Clock | undefined
  readonly events: EventQueue
  readonly tasks: BackgroundTasks
  readonly actions: ActionStore
  readonly filters: () => CallFilter
  readonly hasFilters: () => boolean
  /** The call leaves its lane: it has ended, or it goes on in the background. */
  readonly leaveLane: (run: Run) => void
  readonly ended: (run: Run) => void
  readonly unknownTool: (agentId: string, name: string) => Stopped
  readonly toolOf: (name: string) => Tool<unknown> | undefined
  /** Ends the foreground calls of an agent; gives how many. */
  readonly cancelAgent: (agentId: string, reason: string | undefined) => number
}

export class Engine {
  readonly settings: Settings
  readonly context: Context.Context<never>
  readonly events: EventQueue
  readonly tasks: BackgroundTasks
  readonly actions: ActionStore
  readonly deadlines: Deadlines
  readonly pool: Pool
  readonly leaveLane: (run: Run) => void
  readonly ended: (run: Run) => void
  readonly unknownTool: (agentId: string, name: string) => Stopped
  readonly toolOf: (name: string) => Tool<unknown> | undefined
  readonly cancelAgent: (agentId: string, reason: string | undefined) => number
  readonly fork: (effect: Effect.Effect<unknown, unknown, unknown>) => Fiber<unknown, unknown>
  readonly stepBudget = new StepBudget()
  /** Set by shutdown: nobody may be left to answer. */
  closing = false
  private readonly parts: EngineParts

  constructor(parts: EngineParts) {
    this.parts = parts
    this.settings = parts.settings
    this.context = parts.context
    this.events = parts.events
    this.tasks = parts.tasks
    this.actions = parts.actions
    this.leaveLane = parts.leaveLane
    this.ended = parts.ended
    this.unknownTool = parts.unknownTool
    this.toolOf = parts.toolOf
    this.cancelAgent = parts.cancelAgent
    this.deadlines = new Deadlines(parts.clock)
    this.pool = new Pool(parts.settings.backgroundConcurrency)
    // The registry's type says that the context has every service that a handler needs.
    this.fork = Effect.runForkWith(parts.context as Context.Context<unknown>)
  }

  /** The filters, where there are any. */
  get filters(): CallFilter | undefined {
    return this.parts.hasFilters() ? this.parts.filters() : undefined
  }

  /** The filters to add a rule to: made where there were none. */
  get rememberingFilters(): CallFilter {
    return this.parts.filters()
  }
}
