/** Maps times to positions: the visible range, and the marks of its axis. */

/** The visible range, in epoch milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
}

const shortest = 2

/** A wider or narrower range around a position, from 0 at the left to 1 at the right. */
export const zoomed = ({ from, to }: Range, factor: number, around: number): Range => {
  const width = Math.max(shortest, (to - from) * factor)
  const at = from + (to - from) * around
  return { from: at - width * around, to: at + width * (1 - around) }
}

/** A range moved by a share of its length. */
export const moved = ({ from, to }: Range, share: number): Range => {
  const by = (to - from) * share
  return { from: from + by, to: to + by }
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
  72e5, 216e5, 432e5, 864e5,
]

/** Milliseconds between two marks that are about `apart` pixels from each other. */
export const stepOf = ({ from, to }: Range, width: number, apart = 110): number => {
  const wanted = ((to - from) / Math.max(1, width)) * apart
  return steps.find((step) => step >= wanted) ?? 864e5 * Math.ceil(wanted / 864e5)
}

/** The time of a mark, counted from the first call: `+0 ms`, `+1.5 s`, `+2:05`. */
export const markText = (millis: number, step: number): string => {
  if (step < 1000 && Math.abs(millis) < 1000) return `${Math.round(millis)} ms`
  const seconds = millis / 1000
  if (Math.abs(seconds) < 60)
    return `${step < 1000 ? seconds.toFixed(step < 10 ? 3 : step < 100 ? 2 : 1) : seconds.toFixed(0)} s`
  const whole = Math.floor(Math.abs(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const fine = step < 1000 ? (Math.abs(seconds) % 1).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1).slice(1) : ""
  const two = (value: number) => String(value).padStart(2, "0")
  return `${seconds < 0 ? "−" : ""}${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}${fine}`
}
