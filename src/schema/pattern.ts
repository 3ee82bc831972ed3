/** The patterns of schemas: nobody has checked how long they take. V8 backtracks, and `^(a+)+$` takes years for a short text. */
import { costOf, isCheap } from "../text/pattern-cost.ts"
import { runBounded } from "../text/watchdog.ts"

/** For a match that may take long. */
const maxMilliseconds = 250

/** Compiles a pattern as a Unicode one if possible: many existing patterns contain escapes that Unicode patterns do not allow. */
export const compilePattern = (source: string, flags = "u"): RegExp => {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source, flags.replace("u", ""))
  }
}

/** Compiles a pattern whose `test` is bounded: a text that cannot be matched in a quarter of a second does not match. */
export const patternOf = (source: string, flags?: string): RegExp => {
  const pattern = compilePattern(source, flags)
  const cost = costOf(source)
  /** The last text that took too long: a validator tries one several times. */
  let slow: string | undefined
  const test = (text: string): boolean => {
    const match = () => RegExp.prototype.test.call(pattern, text)
    if (isCheap(cost, text.length)) return match()
    if (text === slow) return false
    const found = runBounded(match, maxMilliseconds)
    if (found === undefined) slow = text
    return found?.value ?? false
  }
  return Object.assign(pattern, { test })
}
