/** Finds the lines that match a model's pattern. A regular expression that takes too long is interrupted. */

import { compilePattern } from "../../../schema/pattern.ts"
import { costOf, isUnbounded } from "../../../text/pattern-cost.ts"
import { runBounded } from "../../../text/watchdog.ts"

/** Time limit for the lines of one file, in milliseconds. */
const maxTime = 2000

const tooSlow = () => new Error("The pattern takes too long to match. Make it simpler, or use literal=true.")

const withinTime = <T>(work: () => T): T => {
  const done = runBounded(work, maxTime)
  if (done === undefined) throw tooSlow()
  return done.value
}

/** Compiles a pattern. `(?i)` and the like at the start are flags of other engines. */
const compile = (pattern: string, ignoreCase: boolean): RegExp => {
  const inline = /^\(\?([ims]+)\)/.exec(pattern)
  const flags = new Set([...(inline?.[1] ?? ""), ...(ignoreCase ? ["i"] : []), "u"])
  return compilePattern(pattern.slice(inline?.[0].length ?? 0), [...flags].join(""))
}

/** Returns a function that returns the indexes of the first `limit` matching lines, in order. */
export const lineMatcher = (
  pattern: string,
  { ignoreCase, literal }: { readonly ignoreCase: boolean; readonly literal: boolean },
): ((lines: ReadonlyArray<string>, limit: number) => ReadonlyArray<number>) => {
  const search = (lines: ReadonlyArray<string>, limit: number, matches: (line: string) => boolean) => {
    const found: Array<number> = []
    for (let index = 0; index < lines.length && found.length < limit; index++) {
      if (matches(lines[index]!)) found.push(index)
    }
    return found
  }
  if (literal) {
    const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text)
    const wanted = fold(pattern)
    return (lines, limit) => search(lines, limit, (line) => fold(line).includes(wanted))
  }
  let expression: RegExp
  try {
    expression = compile(pattern, ignoreCase)
  } catch (cause) {
    throw new Error(
      `Invalid pattern: ${(cause as Error).message}. Use literal=true to search for it as it is.`,
    )
  }
  const cost = costOf(expression.source)
  const matches = (line: string): boolean => {
    if (isUnbounded(cost, line.length)) throw tooSlow()
    return expression.test(line)
  }
  return (lines, limit) => withinTime(() => search(lines, limit, matches))
}
