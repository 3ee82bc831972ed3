/** Tells promises from other values. */

/** Whether it is a promise, of whatever library. Throws where reading `then` does. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function"

const ignore = (): undefined => undefined

/** Leaves what somebody gave who is not waited for: a promise that rejects would end the process. Never throws. */
export const leaveAlone = (returned: unknown): void => {
  if (returned === undefined) return
  try {
    if (isThenable(returned)) returned.then(ignore, ignore)
  } catch {
    // It is nobody's.
  }
}

/** Calls somebody who is told and not waited for: what it is told of has happened, whatever it makes of it. Never throws. */
export const tellAlone = (tell: () => unknown): void => {
  try {
    leaveAlone(tell())
  } catch {
    // It is nobody's.
  }
}
