/** The durable executor as a service of an Effect program. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { ToolRegistry } from "../model/registry.ts"
import { withEnvironment } from "../pipeline/executor-environment.ts"
import type { DurableExecutor as Executor } from "./durable-executor.ts"
import { type OpenDurableOptions, openDurableExecutor } from "./open-durable-executor.ts"
import { StoreError } from "./store-error.ts"

/** Runs the calls of a store, and reads and answers all of them. */
export type DurableExecutor = Executor

/** The options of `openDurableExecutor`, without the registry. */
export type DurableLayerOptions = Omit<OpenDurableOptions, "registry">

const Service = Context.Service<Executor>("stepline/DurableExecutor")

/**
 * A layer of `DurableExecutor`, which is closed with its scope. Its handlers have access to the services of the program.
 * Fails with a StoreError if the store cannot be opened.
 */
const layer = <R>(
  registry: ToolRegistry<R>,
  options: DurableLayerOptions,
): Layer.Layer<Executor, StoreError, Exclude<R, Scope>> =>
  Layer.effect(
    Service,
    Effect.flatMap(Effect.context<R | Scope>(), (context) => {
      const inProgram = withEnvironment(options, context as Context.Context<never>) as DurableLayerOptions
      // Any other error is a defect.
      const open = async () => {
        try {
          const options = { ...inProgram, registry: registry as unknown as ToolRegistry<never> }
          return Effect.succeed(await openDurableExecutor(options))
        } catch (error) {
          if (error instanceof StoreError) return Effect.fail(error)
          throw error
        }
      }
      return Effect.acquireRelease(Effect.flatten(Effect.promise(open)), (durable) =>
        Effect.promise(() => durable.close()),
      )
    }),
  )

/**
 * The service, and its layer.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const durable = yield* DurableExecutor
 *   yield* Effect.promise(() => durable.enqueue([{ callId: "a", name: "forecast", params: { city: "Bern" } }]))
 * })
 * program.pipe(Effect.provide(DurableExecutor.layer(new ToolRegistry([forecast]), { store: "sqlite:./calls.db" })))
 */
export const DurableExecutor = Object.assign(Service, { layer })
