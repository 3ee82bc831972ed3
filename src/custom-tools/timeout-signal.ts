/** A signal for a time-out. Unlike Node's own, it takes fractions and times of any length. */
import { longestTimer } from "../pipeline/time/longest-timer.ts"

/** Does not keep the process alive. */
export const timeoutSignal = (milliseconds: number): AbortSignal => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), Math.min(milliseconds, longestTimer)).unref()
  return controller.signal
}
