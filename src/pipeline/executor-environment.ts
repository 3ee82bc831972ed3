/** What `ToolExecutor.make` takes from the program that it runs in: its services and its clock. */
import type { Clock } from "effect/Clock"
import * as Clocks from "effect/Clock"
import * as Context from "effect/Context"
import type { Journal } from "./call/journal.ts"
import type { Engine } from "./engine.ts"
import type { ToolExecutorOptions } from "./model/options.ts"

/** How `make` hands the program's services to the constructor, whose own options never name them. */
const environmentKey = Symbol("stepline.environment")

const journalKey = Symbol("stepline.journal")

type Environment = {
  readonly [environmentKey]?: Context.Context<never>
  readonly [journalKey]?: ExecutorJournal
}

/** The journal of one executor, which it is attached to while that is made. */
export interface ExecutorJournal extends Journal {
  attach(engine: Engine): void
  /** Stores what it holds, and nothing any more. */
  close(): Promise<void>
  /** Told once nothing runs here any more. */
  left(): void
}

/** Options of an executor whose calls are kept in a journal. */
export const withJournal = (
  options: ToolExecutorOptions,
  journal: ExecutorJournal,
): ToolExecutorOptions & Environment => ({ ...options, [journalKey]: journal })

/** Options that carry the program's services, for the constructor to take out. */
export const withEnvironment = (
  options: ToolExecutorOptions,
  context: Context.Context<never>,
): ToolExecutorOptions & Environment => ({ ...options, [environmentKey]: context })

/** The program's services and its clock; none, and no clock, for options of a host without Effect. And its journal. */
export const takeEnvironment = (
  options: ToolExecutorOptions & Environment,
): {
  readonly context: Context.Context<never>
  readonly clock: Clock | undefined
  readonly journal: ExecutorJournal | undefined
} => {
  const { [environmentKey]: context, [journalKey]: journal } = options
  if (context === undefined) return { context: Context.empty(), clock: undefined, journal }
  const clock = Context.getOrUndefined(context, Clocks.Clock)
  return { context, clock, journal }
}
