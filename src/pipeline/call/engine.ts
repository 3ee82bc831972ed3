/** What all calls of one executor share. */
import type * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import type { Scope } from "effect/Scope"
import type { BackgroundTasks } from "../../tasks/background-tasks.ts"
import type { Watchers } from "../../watching/watchers.ts"
import type { EventQueue } from "../events/event-queue.ts"
import type { CallingAgent } from "../model/handler.ts"
import type { CallFilter } from "../model/options.ts"
import type { Stopped } from "../model/outcome.ts"
import type { Settings } from "../model/settings.ts"
import type { Tool } from "../model/tool.ts"
import type { Deadlines } from "../schedule/deadlines.ts"
import type { Mailbox, Receiver } from "../schedule/mailbox.ts"
import type { Pool } from "../schedule/pool.ts"
import type { StepBudget } from "../schedule/step-budget.ts"
import type { ActionStore } from "../stores/pending-actions.ts"
import type { Command, Outbox } from "./command.ts"
import type { Journal } from "./journal.ts"
import type { Submission } from "./submission.ts"

/** What a call uses of its executor. */
export interface Engine {
  readonly settings: Settings
  readonly context: Context.Context<never>
  readonly events: EventQueue
  readonly tasks: BackgroundTasks
  readonly actions: ActionStore
  readonly deadlines: Deadlines
  readonly pool: Pool
  readonly budget: StepBudget
  readonly mailbox: Mailbox<Command>
  readonly outbox: CommandOutbox
  /** Runs it with the executor's services, and with this scope for what it acquires. */
  fork(effect: Effect<unknown, unknown, unknown>, scope?: Scope): Fiber<unknown, unknown>
  /** Set by shutdown: nobody may be left to answer. */
  readonly closing: boolean
  /** Those that look on, and those that trace. */
  readonly watchers: Watchers
  /** Not there where calls live as long as their process. */
  readonly journal: Journal | undefined
  /** The filters, where there are any. */
  readonly filters: CallFilter | undefined
  /** The filters to add a rule to: made where there were none. */
  readonly rememberingFilters: CallFilter
  /** The call has ended. False where it never was one of the executor's. */
  ended(call: Submission): boolean
  /** It leaves its lane: it has ended, or it goes on in the background. */
  leaveLane(call: Submission): void
  unknownTool(agentId: string, name: string): Stopped
  toolOf(name: string): Tool<unknown> | undefined
  callingAgent(agentId: string): CallingAgent
  /** Has something done at the shutdown; gives a function that takes it back. */
  readonly onShutdown: (cleanup: () => unknown) => () => void
}

/** Sends the commands of one transition at a time to the call that it was for. */
export class CommandOutbox implements Outbox {
  private receiver: Receiver<Command> | undefined
  private readonly mailbox: Mailbox<Command>

  constructor(mailbox: Mailbox<Command>) {
    this.mailbox = mailbox
  }

  for(receiver: Receiver<Command>): this {
    this.receiver = receiver
    return this
  }

  /** The call that it last was for has ended: nothing is to keep it. */
  release(): void {
    this.receiver = undefined
  }

  push(command: Command): void {
    this.mailbox.send(this.receiver!, command)
  }
}
