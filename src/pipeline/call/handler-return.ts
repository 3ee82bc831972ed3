/** What a handler may return besides a Step, told apart at run time: handlers may be written in JavaScript. */
import * as Effect from "effect/Effect"
import { isOfOwnCopy, twoCopies } from "../model/own-copy.ts"
import type { Step } from "../model/step.ts"

/** Whether a handler gave an async generator, or what reads like one. */
export const isAsyncIterable = (value: unknown): value is AsyncIterable<Step> =>
  typeof (value as { [Symbol.asyncIterator]?: unknown } | null | undefined)?.[Symbol.asyncIterator] ===
  "function"

const version3 = Symbol.for("effect/Effect")

const isOfVersion3 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && version3 in value

/**
 * Whether a handler gave an Effect. Throws for one of another copy of effect: its fibers, scopes and services are not those of
 * the executor.
 */
export const isOwnEffect = (name: string | undefined, value: unknown): value is Effect.Effect<unknown> => {
  if (!Effect.isEffect(value)) return false
  if (isOfOwnCopy(value)) return true
  throw otherCopy(name)
}

const otherCopy = (name: string | undefined): TypeError =>
  new TypeError(`Handler \`${name}\` gave an Effect of another copy of effect than stepline's. ${twoCopies}`)

/** The failure of a handler that gave something else than a Step. */
export const notAStep = (name: string | undefined, value: unknown): TypeError =>
  isOfVersion3(value)
    ? otherCopy(name)
    : new TypeError(
        `Handler \`${name}\` gave ${value === null ? "null" : typeof value}, not a Step; end it with one, such as Step.Continue`,
      )
