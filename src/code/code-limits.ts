/** The limits of one run of code. */
import { toMillis } from "../model/duration.ts"
import { expectKnown, toCount } from "../model/got.ts"
import type { DurationInput } from "../model/step.ts"

/** Limits of one run of code. A run that reaches one ends as an Error that names it. */
export interface CodeLimits {
  /** Number of tool calls. Default 1,000. */
  readonly calls?: number
  /**
   * How long the code may compute without an open call: the time of calls, and of people at gates, does not count. Default
   * 10 seconds.
   */
  readonly time?: DurationInput
  /** Bytes of memory. Default 64 MiB. */
  readonly memory?: number
  /** Bytes of the parameters of one call, of its result, and of the result of the run, as JSON. Default 4 MiB. */
  readonly bytes?: number
  /** Bytes of the source. Default 256 KiB. */
  readonly source?: number
  /** Characters of `console.log` in total. The rest is dropped, and the run continues. Default 64 Ki. */
  readonly log?: number
}

/** The limits with their defaults; `time` in milliseconds. */
export type CodeBounds = { readonly [Name in keyof CodeLimits]-?: number }

const ki = 1024
const names: ReadonlyArray<keyof CodeLimits> = ["calls", "time", "memory", "bytes", "source", "log"]

/** Fills in the defaults. Throws a TypeError for invalid limits. */
export const toBounds = (limits: CodeLimits = {}): CodeBounds => {
  expectKnown("`limits` of `runCodeTool`", limits, names)
  const count = (name: keyof CodeLimits, fallback: number) =>
    toCount(name, limits[name] as number | undefined, fallback, " of `limits`")
  return {
    calls: count("calls", 1000),
    time: toMillis("time", limits.time ?? "10 seconds"),
    memory: count("memory", 64 * ki * ki),
    bytes: count("bytes", 4 * ki * ki),
    source: count("source", 256 * ki),
    log: count("log", 64 * ki),
  }
}
