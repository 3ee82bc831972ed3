/** Refuses schemas whose patterns would hold up the program for years with the wrong text. */
import { isWatchdogTimeout, runWatched } from "../io/watchdog.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { dataKeywords } from "../schema/union-budget.ts"
import { costOf } from "../text/pattern-cost.ts"

/** Milliseconds that a text may take. What is not exponential takes none. */
const maxTime = 1000

/** Microseconds: what is not exponential needs far less. */
const leastWork = 20_000

/** Of a text: as many steps as twice itself to the power of this. */
const repetitions = 32

function* patternsOf(schema: unknown): Generator<string> {
  if (Array.isArray(schema)) for (const part of schema) yield* patternsOf(part)
  if (!isPlainObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "pattern" && typeof value === "string") yield value
    if (keyword === "patternProperties" && isPlainObject(value)) yield* Object.keys(value)
    if (!dataKeywords.has(keyword)) yield* patternsOf(value)
  }
}

/** What its repetitions may take, many times over, and then what they do not. */
const tries = (pattern: string): ReadonlyArray<string> => {
  const characters = new Set(["a", "0", " ", "-", ...(pattern.match(/[\w ./:,-]/g) ?? [])])
  return [...characters].map((character) => `${character.repeat(repetitions)}\0`)
}

const isCatastrophic = (pattern: string): boolean => {
  // Most are told by their shape.
  if (!costOf(pattern).wild) return false
  const before = process.cpuUsage()
  try {
    const regex = new RegExp(pattern, "u")
    runWatched(() => tries(pattern).some((text) => regex.test(text)), maxTime)
    return false
  } catch (error) {
    // On a busy machine all of the time may have been other programs'. What is no pattern is for the validator to tell.
    return isWatchdogTimeout(error) && process.cpuUsage(before).user > leastWork
  }
}

/** Throws a TypeError that names the tool and the pattern. */
export const expectPatterns = (name: string, schema: unknown): void => {
  for (const pattern of new Set(patternsOf(schema))) {
    if (!isCatastrophic(pattern)) continue
    throw new TypeError(
      `The parameters of tool \`${name}\` have a pattern that may take for ever to match: ${pattern}. Write it without a repetition within a repetition`,
    )
  }
}
