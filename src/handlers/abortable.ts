/** An Effect of work that reads an AbortSignal: an interruption aborts the work and waits until it has ended. */
import * as Effect from "effect/Effect"

/** An Effect of work that reads an AbortSignal. An interruption aborts the work and waits until it has ended. */
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
