/** Distinguishes promises from other values. */

/** Whether a value is a promise, of any library. Throws if reading `then` throws. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function"

const ignore = (): undefined => undefined

/** Ignores a returned value. A promise's rejection is marked as handled, because it would end the process. Never throws. */
export const leaveAlone = (returned: unknown): void => {
  if (returned === undefined) return
  try {
    if (isThenable(returned)) returned.then(ignore, ignore)
  } catch {
    // The value is not used, so neither is the failure to read it.
  }
}

/** Calls a listener without waiting for it. Its failure is ignored, because the event has happened anyway. Never throws. */
export const tellAlone = (tell: () => unknown): void => {
  try {
    leaveAlone(tell())
  } catch {
    // A failing listener must not fail the call.
  }
}
