/** Runs work that is no longer awaited after an abort. */

/** Rejects at once when the signal is aborted; the work gets the same signal and ends by itself. */
export const unlessAborted = async <T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  const aborted = () => new Error("Operation aborted")
  if (signal?.aborted === true) throw aborted()
  let stop = () => {}
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(aborted())
  })
  signal?.addEventListener("abort", stop, { once: true })
  try {
    return await Promise.race([work(), stopped])
  } finally {
    signal?.removeEventListener("abort", stop)
  }
}
