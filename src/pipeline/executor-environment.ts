/** What `ToolExecutor.make` takes from the program that it runs in: its services and its clock. */
import type { Clock } from "effect/Clock"
import * as Clocks from "effect/Clock"
import * as Context from "effect/Context"
import type { ToolExecutorOptions } from "./model/options.ts"

/** How `make` hands the program's services to the constructor, whose own options never name them. */
const environmentKey = Symbol("stepline.environment")

type Environment = { readonly [environmentKey]?: Context.Context<never> }

/** Options that carry the program's services, for the constructor to take out. */
export const withEnvironment = (
  options: ToolExecutorOptions,
  context: Context.Context<never>,
): ToolExecutorOptions & Environment => ({ ...options, [environmentKey]: context })

/** The program's services and its clock; none, and no clock, for options of a host without Effect. */
export const takeEnvironment = (
  options: ToolExecutorOptions & Environment,
): { readonly context: Context.Context<never>; readonly clock: Clock | undefined } => {
  const context = options[environmentKey]
  if (context === undefined) return { context: Context.empty(), clock: undefined }
  const clock = Context.getOrUndefined(context, Clocks.Clock)
  return { context, clock }
}
