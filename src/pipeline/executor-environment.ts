/** Passes the services and the clock of an Effect program, and a journal, to the constructor of `ToolExecutor`. */
import type { Clock } from "effect/Clock"
import * as Clocks from "effect/Clock"
import * as Context from "effect/Context"
import type { ToolExecutorOptions } from "../model/options.ts"
import type { Journal } from "./call/journal.ts"
import type { Engine } from "./engine.ts"

/** A hidden option of the constructor: only `make` sets it. */
const environmentKey = Symbol("stepline.environment")

const journalKey = Symbol("stepline.journal")

type Environment = {
  readonly [environmentKey]?: Context.Context<never>
  readonly [journalKey]?: ExecutorJournal
}

/** The journal of one executor. Attached while the executor is constructed. */
export interface ExecutorJournal extends Journal {
  attach(engine: Engine): void
  /** Stores all changes that it holds, and accepts no more. */
  close(): Promise<void>
  /** Called when no more handlers run. */
  left(): void
}

/** Adds a journal to an executor's options. */
export const withJournal = (
  options: ToolExecutorOptions,
  journal: ExecutorJournal,
): ToolExecutorOptions & Environment => ({ ...options, [journalKey]: journal })

/** Adds the program's services to an executor's options. */
export const withEnvironment = (
  options: ToolExecutorOptions,
  context: Context.Context<never>,
): ToolExecutorOptions & Environment => ({ ...options, [environmentKey]: context })

/** Reads services, clock and journal from an executor's options. A host without Effect has no services and no clock. */
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
