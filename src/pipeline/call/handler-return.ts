/** What a handler may return besides a Step, told apart at run time: handlers may be written in JavaScript. */
import type { Step } from "../model/step.ts"

const ignore = () => undefined

/** Whether a handler gave a promise, of whatever library. Throws where reading `then` does. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function"

/** Whether a handler gave an async generator, or what reads like one. */
export const isAsyncIterable = (value: unknown): value is AsyncIterable<Step> =>
  typeof (value as { [Symbol.asyncIterator]?: unknown } | null | undefined)?.[Symbol.asyncIterator] ===
  "function"

/** The failure of a handler that gave something else than a Step. */
export const notAStep = (name: string | undefined, value: unknown): TypeError =>
  new TypeError(
    `Handler \`${name}\` gave ${value === null ? "null" : typeof value}, not a Step; end it with one, such as Step.Continue`,
  )

/** What a handler returned after it had cancelled its own call: nobody reads it, and its rejection is nobody's fault. */
export const abandon = (returned: unknown): void => {
  if (isThenable(returned)) Promise.resolve(returned).catch(ignore)
}
