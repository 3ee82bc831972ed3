/** Limits on tools: the options, and the settings read from them. */

import { formatMillis, toMillis } from "../model/duration.ts"
import { expectFunction, expectKnown, got, toCount } from "../model/got.ts"
import type { DurationInput } from "../model/step.ts"
import { namesMatching } from "../text/name-pattern.ts"
import { didYouMean } from "../text/near-name.ts"

/**
 * Bounds the calls of some tools. A call waits, with its lane, until `concurrency` and `rate` let it begin. If `perTurn` or
 * `perAgent` is used up, it ends as an Error with the reason `limit`.
 */
export interface Limit {
  /** Names of tools. `*` matches any text. */
  readonly tools: ReadonlyArray<string>
  /** How many calls may run at once, from their first handler to their end. */
  readonly concurrency?: number | undefined
  /** The total cost of the calls that may begin within any period of this length. */
  readonly rate?: { readonly max: number; readonly per: DurationInput } | undefined
  /**
   * The total cost of the calls that may begin in one turn: those of one `runTurn`, `beginTurn`, `enqueueTurn` or `enqueue`,
   * or with the same `turn`.
   */
  readonly perTurn?: number | undefined
  /** The total cost of the calls of one agent that may begin in the life of the executor, or of its store. */
  readonly perAgent?: number | undefined
  /** The cost of a call for `rate`, `perTurn` and `perAgent`: 0 or more. Receives the validated parameters. Default 1. */
  readonly cost?: ((params: unknown) => number) | undefined
  /** How long a call may wait. After that it ends as an Error with the reason `limit`. Default: without limit. */
  readonly maxWait?: DurationInput | undefined
}

/** What a limit counts. */
export type LimitKind = "concurrency" | "rate" | "perTurn" | "perAgent"

/** A limit with its times in milliseconds. */
export interface LimitSettings {
  /** The tools in messages for models: the names that the host has given. */
  readonly tools: string
  readonly isFor: (tool: string) => boolean
  readonly concurrency: number | undefined
  readonly rate: { readonly max: number; readonly per: number } | undefined
  readonly perTurn: number | undefined
  readonly perAgent: number | undefined
  readonly cost: ((params: unknown) => number) | undefined
  /** `Infinity` for no limit. */
  readonly maxWait: number
}

const keys = ["tools", "concurrency", "rate", "perTurn", "perAgent", "cost", "maxWait"]

/** Reads the limits of the options. Throws a TypeError for limits that are invalid or can never be met. */
export const toLimits = (limits: ReadonlyArray<Limit> | undefined): ReadonlyArray<LimitSettings> => {
  if (limits === undefined || limits === null) return []
  if (!Array.isArray(limits)) throw new TypeError(`Expected \`limits\` to be an array, ${got(limits)}`)
  return limits.map((limit, index) => toLimit(limit, `limits[${index}]`))
}

const toLimit = (limit: Limit, name: string): LimitSettings => {
  if (typeof limit !== "object" || limit === null)
    throw new TypeError(`Expected \`${name}\` to be an object with ${keys.join(", ")}, ${got(limit)}`)
  expectKnown(`\`${name}\``, limit, keys)
  expectFunction(`${name}.cost`, limit.cost)
  const { tools, rate, cost } = limit
  expectNames(tools, name)
  const countOf = (key: "concurrency" | "perTurn" | "perAgent") =>
    limit[key] === undefined ? undefined : toCount(`${name}.${key}`, limit[key], 1)
  const settings: LimitSettings = {
    tools: tools.join(", "),
    isFor: namesMatching(tools),
    concurrency: countOf("concurrency"),
    rate: rate === undefined ? undefined : toRate(rate, `${name}.rate`),
    perTurn: countOf("perTurn"),
    perAgent: countOf("perAgent"),
    cost: cost ?? undefined,
    maxWait: toMillis(`${name}.maxWait`, limit.maxWait),
  }
  const { concurrency, perTurn, perAgent } = settings
  if (
    concurrency === undefined &&
    settings.rate === undefined &&
    perTurn === undefined &&
    perAgent === undefined
  )
    throw new TypeError(
      `\`${name}\` limits nothing: give it \`concurrency\`, \`rate\`, \`perTurn\` or \`perAgent\``,
    )
  return settings
}

const toRate = (rate: NonNullable<Limit["rate"]>, name: string): { max: number; per: number } => {
  if (typeof rate !== "object" || rate === null)
    throw new TypeError(`Expected \`${name}\` to be an object with max and per, ${got(rate)}`)
  expectKnown(`\`${name}\``, rate, ["max", "per"])
  const { max } = rate
  if (typeof max !== "number" || !Number.isFinite(max) || max <= 0)
    throw new TypeError(`Expected \`${name}.max\` to be a number above 0, ${got(max)}`)
  const per = toMillis(`${name}.per`, rate.per)
  if (per === 0 || per === Number.POSITIVE_INFINITY)
    throw new TypeError(`Expected \`${name}.per\` to be a time above 0 that ends, ${got(rate.per)}`)
  return { max, per }
}

const expectNames = (tools: ReadonlyArray<string>, name: string): void => {
  const areNames =
    Array.isArray(tools) && tools.length > 0 && tools.every((tool) => typeof tool === "string" && tool !== "")
  if (!areNames)
    throw new TypeError(`Expected \`${name}.tools\` to be an array of names of tools, ${got(tools)}`)
}

/** Throws a TypeError for a name or a pattern that fits none of these tools. */
export const expectLimitedTools = (limits: ReadonlyArray<Limit>, tools: ReadonlyArray<string>): void => {
  for (const name of limits.flatMap((limit) => limit.tools)) {
    const isFor = namesMatching([name])
    if (tools.some(isFor)) continue
    throw new TypeError(`\`limits\` is for the unknown tool \`${name}\`.${didYouMean(name, tools)}`)
  }
}

/** Describes a limit for people and models: `at most 30 in 1 minute for web_search, fetch_*`. */
export const describeLimit = (limit: LimitSettings, by: LimitKind): string => {
  const { tools, rate } = limit
  switch (by) {
    case "concurrency":
      return `at most ${limit.concurrency} at once for ${tools}`
    case "rate":
      return `at most ${rate!.max} in ${formatMillis(rate!.per)} for ${tools}`
    case "perTurn":
      return `at most ${limit.perTurn} in one turn for ${tools}`
    case "perAgent":
      return `at most ${limit.perAgent} of one agent for ${tools}`
  }
}
