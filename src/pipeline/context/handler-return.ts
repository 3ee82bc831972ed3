/** Recognizes, at run time, what a handler returned other than a Step: handlers may be written in JavaScript. */
import * as Effect from "effect/Effect"
import type { Step } from "../../model/step.ts"
import { isOfOwnCopy, twoCopies } from "../../schema/own-copy.ts"

/** A handler. Its name is read only if it failed, because computing the name is costly. */
type Named = { readonly name: string } | undefined

/** Whether a handler returned an async generator or another async iterable. */
export const isAsyncIterable = (value: unknown): value is AsyncIterable<Step> =>
  typeof (value as { [Symbol.asyncIterator]?: unknown } | null | undefined)?.[Symbol.asyncIterator] ===
  "function"

const version3 = Symbol.for("effect/Effect")

const isOfVersion3 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && version3 in value

/**
 * Whether a handler returned an Effect. Throws for an Effect of another copy of effect: that copy's fibers, scopes and services do
 * not work with the executor's.
 */
export const isOwnEffect = (handler: Named, value: unknown): value is Effect.Effect<unknown> => {
  if (!Effect.isEffect(value)) return false
  if (isOfOwnCopy(value)) return true
  throw otherCopy(handler)
}

const otherCopy = (handler: Named): TypeError =>
  new TypeError(
    `Handler \`${handler?.name}\` gave an Effect of another copy of effect than stepline's. ${twoCopies}`,
  )

const isIterator = (value: unknown): boolean =>
  typeof (value as { next?: unknown } | null)?.next === "function" && Symbol.iterator in Object(value)

const adviceFor = (value: unknown): string => {
  if (isIterator(value)) return "yield from an `async function*`, or return one Step"
  if (typeof value === "function") return "call it, and return what it gives"
  return "end it with one, such as Step.Continue"
}

/** A short name for the kind of value, for the error message. */
const kindOf = (value: unknown): string => {
  if (isIterator(value)) return "a generator that is not async"
  return value === null ? "null" : typeof value
}

/** The error of a handler that returned something other than a Step. */
export const notAStep = (handler: Named, value: unknown): TypeError =>
  isOfVersion3(value)
    ? otherCopy(handler)
    : new TypeError(`Handler \`${handler?.name}\` gave ${kindOf(value)}, not a Step; ${adviceFor(value)}`)
