/** Wraps work that takes an AbortSignal in an Effect. */
import * as Effect from "effect/Effect"

/** Wraps work that takes an AbortSignal in an Effect. An interruption aborts the work and waits until it has ended. */
export const abortable = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ended = work(controller.signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(Effect.fail(cause)),
    )
    return Effect.suspend(() => {
      controller.abort()
      return Effect.promise(() => ended)
    })
  })
