/** An executor whose time is a TestClock: it passes when the test says so. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { onTestFinished } from "vitest"
import { type DurationInput, ToolExecutor, type ToolExecutorOptions } from "../../src/index.ts"
import { withEnvironment } from "../../src/pipeline/executor-environment.ts"
import { turn } from "./deferred.ts"
import { type Plan, registryOf } from "./executor-of.ts"
import { newDurable } from "./new-durable.ts"

export interface VirtualTime {
  readonly executor: ToolExecutor
  /** Lets time pass, and all that is due happen. */
  advance(time: DurationInput): Promise<void>
}

export const virtualTime = async (
  plans: Readonly<Record<string, Plan>>,
  options?: ToolExecutorOptions,
): Promise<VirtualTime> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(
    Layer.buildWithScope(TestClock.layer({ warningDelay: "1 hour" }), scope),
  )
  const inContext = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.provideContext(Effect.provideService(effect, Scope.Scope, scope), context))
  const make = newDurable
  const executor = await inContext(
    make === undefined
      ? ToolExecutor.make(registryOf(plans), options)
      : Effect.map(Effect.context<Scope.Scope>(), (services) => {
          const own = services as Context.Context<never>
          return make(registryOf(plans), withEnvironment(options ?? {}, own)).executor
        }),
  )
  onTestFinished(() => executor.shutdown())
  return {
    executor,
    async advance(time) {
      // What was just asked for must have begun to wait before time passes.
      await turn()
      await inContext(TestClock.adjust(time))
      await turn()
    },
  }
}
