/** Tells promises from other values. */

/** Whether it is a promise, of whatever library. Throws where reading `then` does. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function"
