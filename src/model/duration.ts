/** Durations: as options accept them, and as text for people. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { plural } from "../text/plural.ts"
import { got } from "./got.ts"
import type { DurationInput } from "./step.ts"

/** Converts a duration to milliseconds. Returns `Infinity` if there is neither a value nor a fallback. */
export const toMillis = (
  name: string,
  value: DurationInput | undefined,
  fallback?: DurationInput,
): number => {
  const input = value === undefined ? fallback : value
  if (input === undefined) return Number.POSITIVE_INFINITY
  // Effect reads `{}` as zero, which is never what the caller meant.
  const isEmpty = typeof input === "object" && input !== null && Object.keys(input).length === 0
  const millis =
    isEmpty || input === null
      ? Number.NaN
      : Option.match(Duration.fromInput(input), {
          onNone: () => Number.NaN,
          onSome: Duration.toMillis,
        })
  if (Number.isNaN(input) || Number.isNaN(millis) || millis < 0) {
    throw new TypeError(
      `Expected \`${name}\` to be a duration such as \`"5 seconds"\`, or milliseconds, ${got(value)}`,
    )
  }
  return millis
}

/** Formats a time for people: `1 hour`, `10 minutes`, `30 seconds`, `50 ms`. */
export const formatMillis = (millis: number): string => {
  if (millis % 3_600_000 === 0 && millis > 0) return plural(millis / 3_600_000, "hour")
  if (millis % 60_000 === 0 && millis > 0) return plural(millis / 60_000, "minute")
  if (millis % 1000 === 0 && millis > 0) return plural(millis / 1000, "second")
  return `${millis} ms`
}
