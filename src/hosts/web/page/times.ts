/** Times for people. */

const two = (value: number): string => String(value).padStart(2, "0")

/** A duration: `12 ms`, `1.24 s`, `2:05`, `1:02:05`. Microseconds are not shown. */
export const duration = (millis: number): string => {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  const seconds = millis / 1000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`
  return clock(seconds)
}

/** Whole seconds as `0:09`, `2:05`, `1:02:05`. */
export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** The time of day, with milliseconds if `fine`. */
export const timeOfDay = (at: number, fine = false): string => {
  const date = new Date(at)
  const whole = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return fine ? `${whole}.${String(date.getMilliseconds()).padStart(3, "0")}` : whole
}
