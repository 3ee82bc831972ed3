/**
 * Waits for a promise; rejects at once on an abort, by default with the signal's reason. Then the work behind the promise is
 * no longer awaited, and its result is ignored.
 */
export const orAborted = <A>(
  promise: Promise<A>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<A> => {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason())
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
