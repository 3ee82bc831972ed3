/**
 * Regular expressions in bounded time. V8 backtracks: `curl.*\|.*sh` takes minutes for 20 kB. A match that cannot take long runs
 * at once. Any other match runs under the watchdog of `node:vm`, the only way to interrupt a match; if the watchdog cannot
 * interrupt it, the match is not started.
 */
import { costOf, isCheap, isUnbounded, type PatternCost } from "../text/pattern-cost.ts"
import { cpuTime, runBounded } from "../text/watchdog.ts"

/** The limit for all matches of one decision, in CPU time of this process, which other processes cannot use up. */
const maxMilliseconds = 400

export interface Match {
  readonly start: number
  readonly end: number
}

export class BoundedPattern {
  readonly source: string
  private readonly regex: RegExp
  private readonly cost: PatternCost

  /** Throws for a source that is not a regular expression. */
  constructor(source: string, regex = new RegExp(source), cost = costOf(source)) {
    this.source = source
    this.regex = regex
    this.cost = cost
  }

  /** The same pattern, for matches that end at the end of a word, or after a blank. */
  atWordEnd(): BoundedPattern {
    const { source, cost } = this
    const regex = new RegExp(`(?:${source})(?:(?= |$)|(?<= ))`)
    return new BoundedPattern(source, regex, { ...cost, factor: 4 * cost.factor })
  }

  /** The same pattern, for a whole text. A word may contain newlines, so `.` matches them. */
  whole(): BoundedPattern {
    const { source, cost } = this
    return new BoundedPattern(source, new RegExp(`^(?:${source})$`, "s"), {
      ...cost,
      factor: 2 * cost.factor,
    })
  }

  isCheap(length: number): boolean {
    return isCheap(this.cost, length)
  }

  /** Whether a match may take long and could not be interrupted. */
  isUnbounded(length: number): boolean {
    return isUnbounded(this.cost, length)
  }

  /** Matches without a time limit. */
  match(text: string): Match | undefined {
    const found = this.regex.exec(text)
    return found === null ? undefined : { start: found.index, end: found.index + found[0].length }
  }
}

/** The matches of one decision, which share a time limit. */
export class Matching {
  /** The sources of patterns whose match was interrupted or not started. */
  readonly slow = new Set<string>()
  private left: number

  /** @param milliseconds The time limit for all matches that may take long. */
  constructor(milliseconds = maxMilliseconds) {
    this.left = milliseconds
  }

  /** The position of the match; also undefined if matching took too long. */
  match(pattern: BoundedPattern, text: string): Match | undefined {
    if (pattern.isCheap(text.length)) return pattern.match(text)
    // At most half of the remaining time: one slow allow pattern must not keep a deny pattern from matching.
    const milliseconds = Math.floor(this.left / 2)
    if (milliseconds < 1 || pattern.isUnbounded(text.length)) {
      this.slow.add(pattern.source)
      return undefined
    }
    const start = cpuTime()
    const found = runBounded(() => pattern.match(text), milliseconds)
    this.left -= cpuTime() - start
    if (found === undefined) this.slow.add(pattern.source)
    return found?.value
  }
}
