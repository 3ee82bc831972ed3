/** Refuses schemas whose patterns could block the program for years on the wrong text. */
import { compilePattern } from "../schema/pattern.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { dataKeywords } from "../schema/union-budget.ts"
import { costOf, isUnbounded } from "../text/pattern-cost.ts"
import { runBounded } from "../text/watchdog.ts"

/** Time limit for the tests of a pattern, in milliseconds. A non-exponential pattern needs far less. */
const maxTime = 250

/** Repetitions in a test text; an exponential pattern needs about 2 to the power of this many steps, or 1.6 for some. */
const repetitions = 48

/** Letters of scripts that a pattern can name by a class alone. */
const letters = "éжωאبक漢あ한٣"

const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))

function* patternsOf(schema: unknown): Generator<string> {
  if (Array.isArray(schema)) for (const part of schema) yield* patternsOf(part)
  if (!isPlainObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "pattern" && typeof value === "string") yield value
    if (keyword === "patternProperties" && isPlainObject(value)) yield* Object.keys(value)
    if (!dataKeywords.has(keyword)) yield* patternsOf(value)
  }
}

/** Test texts: a character that the pattern's repetitions can match, repeated, then one that they do not match. */
const tries = (pattern: string): ReadonlyArray<string> => {
  const escapes = pattern.matchAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,5})\})/gi)
  const named = Array.from(escapes, ([, ...codes]) =>
    String.fromCodePoint(Number.parseInt(codes.join(""), 16)),
  )
  return [...new Set([...ascii, ...letters, ...pattern, ...named])].map(
    (character) => `${character.repeat(repetitions)}\0`,
  )
}

const isCatastrophic = (pattern: string): boolean => {
  const cost = costOf(pattern)
  // Most patterns are recognised as harmless by their shape. Where no watchdog ends a trial, the engine ends each match by itself.
  if (!cost.wild || isUnbounded(cost, repetitions)) return false
  try {
    const regex = compilePattern(pattern)
    return runBounded(() => tries(pattern).some((text) => regex.test(text)), maxTime) === undefined
  } catch {
    // The validator reports an invalid pattern.
    return false
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
