/** Work that its caller or a time-out stops. */
import { whenAborted } from "../model/when-aborted.ts"
import { longestTimer } from "../pipeline/time/longest-timer.ts"

/**
 * Runs `work` with a signal that aborts with the caller's signal, and when the time is over: any number of milliseconds, fractions
 * too. Neither outlives the work.
 */
export const untilStopped = async <T>(
  signal: AbortSignal | undefined,
  milliseconds: number | undefined,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  if (signal?.aborted === true) stop()
  const release = signal && whenAborted(signal, stop)
  const timer =
    milliseconds === undefined ? undefined : setTimeout(stop, Math.min(milliseconds, longestTimer))
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    release?.()
  }
}
