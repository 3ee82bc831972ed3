/** Handlers whose Effects fail with typed errors. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ToolResult } from "../model/event.ts"
import { type EffectHandler, type HandlerContext, handler, type Needs } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { messageOf } from "../text/message-of.ts"

declare const failure: unique symbol

/** A handler that may fail with `E`. The type is only for `failureOf`. */
export interface FailingHandler<out E, R = never> extends EffectHandler<R> {
  readonly [failure]?: E
}

/** How a failure is reported. */
export interface EffectHandlerOptions<E> {
  /** The text of a failure for the model. Default: its message; without one, its tag and its fields. */
  readonly toModel?: (error: E) => string
}

/** The handler that caused each failure, by the cause that the host receives. */
const origins = new WeakMap<object, FailingHandler<unknown, never>>()

const sentenceOf = <E>(error: E, toModel: ((error: E) => string) | undefined): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.try(() => (toModel === undefined ? messageOf(error) : toModel(error))),
    () => messageOf(error),
  )

/**
 * A handler as an Effect whose typed failures end the call as an Error: the model reads the text of `toModel`, the host
 * receives the failure as `cause`, and `failureOf` returns it with its type.
 *
 * @example
 * const lookUp = effectHandler("look up", () => Effect.map(weatherOf(city), Step.Output), {
 *   toModel: (error: UnknownCity) => `There is no city named ${error.city}. Ask for another one.`,
 * })
 */
export const effectHandler = <E, R = never>(
  name: string,
  call: (context: HandlerContext) => Effect.Effect<Step, E, R>,
  options: EffectHandlerOptions<NoInfer<E>> = {},
): FailingHandler<E, Needs<R>> => {
  const own: FailingHandler<E, Needs<R>> = handler<R>(name, (context) =>
    Effect.catch(
      Effect.suspend(() => call(context)),
      (error) =>
        Effect.map(sentenceOf(error, options.toModel), (message) => {
          const cause = Cause.fail(error)
          origins.set(cause, own as FailingHandler<unknown, never>)
          return Step.Error(message, { cause })
        }),
    ),
  )
  return own
}

/** The failure of this handler that ended a call, if any. A call that continued in another process has none. */
export const failureOf = <E, R>(
  own: FailingHandler<E, R>,
  { cause }: Pick<ToolResult, "cause">,
): Option.Option<E> =>
  Cause.isCause(cause) && (origins.get(cause) as unknown) === own
    ? Cause.findErrorOption(cause as Cause.Cause<E>)
    : Option.none()
