/**
 * Regular expressions in bounded time. V8's engine backtracks: `curl.*\|.*sh` takes minutes for 20 kB. What cannot take
 * long is matched at once; the rest is broken off by the watchdog of `node:vm`, the one thing that can. Where
 * it cannot, what may take long is not begun.
 */
import { createContext, Script } from "node:vm"
import { costOf, isUnbounded, type PatternCost, stepsFor } from "../text/pattern-cost.ts"

/** Steps that take some milliseconds at most. A watchdog costs as much as ten thousand. */
const freeSteps = 1_000_000
/** Of all matches of one decision: the process's own time, which no other process can take. */
const maxMilliseconds = 400
/** How often a match is begun again that was broken off while others had the cores. */
const maxTries = 10

export interface Match {
  readonly start: number
  /** Where it ends. */
  readonly end: number
}

export class BoundedPattern {
  readonly source: string
  private readonly regex: RegExp
  private readonly cost: PatternCost

  /** Throws for what is no regular expression. */
  constructor(source: string, regex = new RegExp(source), cost = costOf(source)) {
    this.source = source
    this.regex = regex
    this.cost = cost
  }

  /** The same pattern, for matches that end where a word begins or ends behind a blank. */
  atWordEnd(): BoundedPattern {
    const { source, cost } = this
    const regex = new RegExp(`(?:${source})(?:(?= |$)|(?<= ))`)
    return new BoundedPattern(source, regex, { ...cost, factor: 4 * cost.factor })
  }

  /** The same pattern, for all of a text. What a word holds is data, line ends too. */
  whole(): BoundedPattern {
    const { source, cost } = this
    return new BoundedPattern(source, new RegExp(`^(?:${source})$`, "s"), {
      ...cost,
      factor: 2 * cost.factor,
    })
  }

  isCheap(length: number): boolean {
    return stepsFor(this.cost, length) <= freeSteps
  }

  /** Whether it may take long, and nothing could break it off. */
  isUnbounded(length: number): boolean {
    return isUnbounded(this.cost, length)
  }

  /** In whatever time it takes. */
  match(text: string): Match | undefined {
    const found = this.regex.exec(text)
    return found === null ? undefined : { start: found.index, end: found.index + found[0].length }
  }
}

const script = new Script("work()")
const globals: { work?: () => unknown } = {}
/** Made once: that takes milliseconds. */
let context: ReturnType<typeof createContext> | undefined

/** What this process has had of the cores, in milliseconds. */
const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** The matches of one decision, which share their time. */
export class Matching {
  /** The sources of patterns that were broken off, or not begun any more. */
  readonly slow = new Set<string>()
  private left: number

  /** @param milliseconds For all that cannot be matched at once. */
  constructor(milliseconds = maxMilliseconds) {
    this.left = milliseconds
  }

  /** Where the pattern matches; undefined also where that took too long. */
  match(pattern: BoundedPattern, text: string): Match | undefined {
    if (pattern.isCheap(text.length)) return pattern.match(text)
    // Never all of it, so that one pattern does not keep the next from denying.
    const milliseconds = Math.floor(this.left / 2)
    if (milliseconds < 1 || pattern.isUnbounded(text.length)) {
      this.slow.add(pattern.source)
      return undefined
    }
    const start = cpuTime()
    context ??= createContext(globals)
    const outer = globals.work
    globals.work = () => pattern.match(text)
    try {
      for (let tries = 1; ; tries++) {
        try {
          return script.runInContext(context, { timeout: milliseconds }) as Match | undefined
        } catch (error) {
          if (!isTimeout(error)) throw error
          // The watchdog goes by the clock. On a busy machine that says nothing of the pattern.
          if (tries < maxTries && cpuTime() - start < milliseconds / 2) continue
          this.slow.add(pattern.source)
          return undefined
        }
      }
    } finally {
      globals.work = outer
      this.left -= cpuTime() - start
    }
  }
}
