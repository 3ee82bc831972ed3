/**
 * Runs the Effects that a caller's function returns for the events of one call. Each begins with its event. The Effect of a question
 * is interrupted if the call ends without its answer.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type { ToolEvent } from "../model/event.ts"

type AnyFiber = Fiber.Fiber<unknown, unknown>

type OnEvent<R> = (event: ToolEvent) => Effect.Effect<unknown, unknown, R> | unknown

const isQuestion = (event: ToolEvent): boolean =>
  event._tag === "AwaitingApproval" || event._tag === "Delegate"

const isLast = ({ _tag }: ToolEvent): boolean =>
  _tag === "Completed" ||
  _tag === "Error" ||
  _tag === "Denied" ||
  _tag === "Cancelled" ||
  _tag === "BackgroundCompleted"

/** The same event, which reports when one of its answers takes effect. */
const observed = (event: ToolEvent, answered: () => void): ToolEvent => {
  const noting =
    <Args extends ReadonlyArray<unknown>>(answer: (...args: Args) => boolean) =>
    (...args: Args): boolean => {
      const took = answer(...args)
      if (took) answered()
      return took
    }
  switch (event._tag) {
    case "AwaitingApproval":
      return { ...event, approve: noting(event.approve), deny: noting(event.deny) }
    case "Delegate":
      return { ...event, succeed: noting(event.succeed), fail: noting(event.fail) }
    default:
      return event
  }
}

/** Passes the events of one call to its caller. */
export class EventConsumer<R> {
  private readonly onEvent: OnEvent<R>
  private readonly context: Context.Context<R>
  private readonly fibers: FiberSet.FiberSet<unknown, unknown>
  private readonly running = new Set<AnyFiber>()
  /** The calls of open questions, by the fibers of their Effects. */
  private readonly unanswered = new Map<AnyFiber, string>()

  /** `fibers` outlives the call's own fiber: events of a background task arrive after the result of `run`. */
  constructor(onEvent: OnEvent<R>, context: Context.Context<R>, fibers: FiberSet.FiberSet<unknown, unknown>) {
    this.onEvent = onEvent
    this.context = context
    this.fibers = fibers
  }

  /** For `executor.run`. Returns a promise if the function returned an Effect: deltas wait for it. */
  readonly tell = (event: ToolEvent): unknown => {
    if (isLast(event)) {
      // Events of nested calls arrive here as well.
      for (const [fiber, callId] of this.unanswered)
        if ("callId" in event && callId === event.callId) fiber.interruptUnsafe()
    }
    let fiber: AnyFiber | undefined
    let isAnswered = !isQuestion(event)
    const told = this.onEvent(
      observed(event, () => {
        isAnswered = true
        if (fiber !== undefined) this.unanswered.delete(fiber)
      }),
    )
    if (!Effect.isEffect(told)) return told
    const effect = told as Effect.Effect<unknown, unknown, R>
    const forked: AnyFiber = Effect.runForkWith(this.context)(effect)
    fiber = forked
    FiberSet.addUnsafe(this.fibers, forked)
    this.running.add(forked)
    if (!isAnswered && "callId" in event) this.unanswered.set(forked, event.callId)
    forked.addObserver(() => {
      this.running.delete(forked)
      this.unanswered.delete(forked)
    })
    return Effect.runPromise(Fiber.join(forked))
  }

  /** Waits for the Effects of all events so far; interrupts them if it is interrupted. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() =>
    Effect.asVoid(Fiber.awaitAll([...this.running])),
  )

  readonly interrupt: Effect.Effect<void> = Effect.suspend(() => Fiber.interruptAll([...this.running]))
}
