/** An executor as a service of an Effect program: the layer owns the executor, and its calls can be interrupted. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ToolCallInput } from "../model/call.ts"
import type { ToolEvent, ToolResult } from "../model/event.ts"
import type { ToolExecutorOptions } from "../model/options.ts"
import type { ToolRegistry } from "../model/registry.ts"
import type { ToolTypes } from "../model/tool-types.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import { EventConsumer } from "./event-consumer.ts"

/** The services that the Effects among `A` need. */
export type ServicesOf<A> = Effect.Services<Extract<A, Effect.Effect<unknown, unknown, unknown>>>

/** The service `ToolExecution`. */
export interface ToolExecutionService {
  /** The executor itself: its tasks, its agents, its answers by id. */
  readonly executor: ToolExecutor

  /**
   * Runs one call to its result, in its agent's lane; for a background call, until it starts in the background. A call that ends
   * as an Error, Denied or Cancelled is a result, not a failure. Interruption cancels the call and waits for its cleanup.
   *
   * `onEvent` is called with the call's events and may return Effects, which begin at once. A delta waits for its own Effect, and the
   * result for all of them, except those of questions without an answer, which the call's end interrupts. An Effect that fails at a
   * question denies the gate, or fails the effect. Without `onEvent` gates are denied and effects fail. An invalid call is a defect.
   *
   * @example
   * execution.run({ name: "publish" }, (event) =>
   *   event._tag === "AwaitingApproval" ? Effect.map(confirm(event), (yes) => (yes ? event.approve() : event.deny())) : Effect.void,
   * )
   */
  readonly run: <A = void>(
    call: ToolCallInput,
    onEvent?: (event: ToolEvent) => A,
  ) => Effect.Effect<ToolResult, never, ServicesOf<A>>

  /** Applies or discards an agent's latest preview, as `executor.agent(agentId).resolve` does; otherwise the same as `run`. */
  readonly resolve: <A = void>(
    request: ResolveParams,
    options?: { readonly agentId?: string; readonly onEvent?: (event: ToolEvent) => A },
  ) => Effect.Effect<ToolResult, never, ServicesOf<A>>

  /**
   * The events of enqueued calls: each goes to every subscriber, and the slowest holds the others back. Events without a subscriber
   * are kept for the first one. A subscriber that leaves may take unread events with it: let one that stays answer questions.
   */
  readonly events: Stream.Stream<ToolEvent>
}

type Begin = (
  onEvent: ((event: ToolEvent) => unknown) | undefined,
  signal: AbortSignal,
) => Promise<ToolResult>

/** How many events a subscriber may lag behind before the others wait for it. */
const eventBuffer = 16

/** An interruption waits for the call's end, when its finalizers have run. */
const toEffect = (begin: (signal: AbortSignal) => Promise<ToolResult>): Effect.Effect<ToolResult> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ended = Effect.runPromiseExit(Effect.promise(() => begin(controller.signal)))
    void ended.then(resume)
    return Effect.suspend(() => {
      controller.abort()
      return Effect.promise(() => ended)
    })
  })

const make = <R, T extends ToolTypes>(
  registry: ToolRegistry<R, T>,
  options?: ToolExecutorOptions,
): Effect.Effect<ToolExecutionService, never, R | Scope> =>
  Effect.gen(function* () {
    // Closed after the executor, whose calls emit their last events while it shuts down.
    const fibers = yield* FiberSet.make<unknown, unknown>()
    const executor: ToolExecutor = yield* ToolExecutor.make(registry, options)
    const events = yield* Stream.share(executor.stream, { capacity: eventBuffer })

    const running = Effect.fnUntraced(function* <A>(
      begin: Begin,
      onEvent: ((event: ToolEvent) => A) | undefined,
    ) {
      const services = yield* Effect.context<ServicesOf<A>>()
      if (onEvent === undefined) return yield* toEffect((signal) => begin(undefined, signal))
      const consumer = new EventConsumer(onEvent, services, fibers)
      return yield* toEffect((signal) => begin(consumer.tell, signal)).pipe(
        Effect.tap(({ status }) => (status === "background" ? Effect.void : consumer.settled)),
        Effect.onInterrupt(() => consumer.interrupt),
      )
    })

    const run: ToolExecutionService["run"] = (call, onEvent) =>
      running((told, signal) => executor.run(call, told, { signal }), onEvent).pipe(
        Effect.withSpan("ToolExecution.run", { attributes: { tool: call.name } }),
      )

    const resolve: ToolExecutionService["resolve"] = (request, { agentId, onEvent } = {}) =>
      running(
        (told, signal) => executor.agent(agentId).resolve(request, { signal, onEvent: told }),
        onEvent,
      ).pipe(Effect.withSpan("ToolExecution.resolve"))

    return { executor, run, resolve, events }
  })

/**
 * Runs the tools of a registry, as a service.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const execution = yield* ToolExecution
 *   const { content } = yield* execution.run({ name: "forecast", params: { city: "Bern" } })
 * })
 * program.pipe(Effect.provide(ToolExecution.layer(new ToolRegistry([forecast]))))
 */
export class ToolExecution extends Context.Service<ToolExecution, ToolExecutionService>()(
  "stepline/ToolExecution",
) {
  /** The service in a scope, which shuts the executor down at its end. Invalid options are a defect. */
  static readonly make = make

  /** The service as a layer, which needs the services of the tools' handlers. */
  static readonly layer = <R, T extends ToolTypes>(
    registry: ToolRegistry<R, T>,
    options?: ToolExecutorOptions,
  ): Layer.Layer<ToolExecution, never, Exclude<R, Scope>> =>
    Layer.effect(ToolExecution, make(registry, options))
}
