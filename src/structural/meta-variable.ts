/**
 * `$NAME` stands for one node of a pattern, `$$$NAME` for any number of them. Names are upper case; those that begin with `_`
 * match without being captured. What is captured goes by its spelling, `$` included.
 */

const name = "[A-Z_][A-Z0-9_]*"

/** In a pattern, where one is always a whole word. */
const inPattern = new RegExp(`(?<![\\w$])(?:\\$\\$\\$(?:${name})?|\\$\\$?${name})(?![\\w$])`, "g")

/** In a replacement, where one may follow a letter: `get$NAME`. */
export const inReplacement = new RegExp(`(?:\\$\\$\\$|\\$)${name}(?!\\w)`, "g")

const isCaptured = (spelling: string): boolean => /^\$+[A-Z]/.test(spelling)

/** As they are spelled, in the order of the pattern. */
export const metaVariablesOf = (pattern: string): Array<string> =>
  [...pattern.matchAll(inPattern)].map(([spelling]) => spelling)

/** The spellings of what a pattern captures; `$$NAME` is captured as `$NAME`. */
export const capturesOf = (pattern: string): ReadonlySet<string> =>
  new Set(
    metaVariablesOf(pattern)
      .map((spelling) => spelling.replace(/^\$\$(?=[A-Z_])/, "$"))
      .filter(isCaptured),
  )

/** Whether the text is a metavariable and nothing else. */
export const isMetaVariable = (text: string): boolean => text.replace(inPattern, "") === "" && text !== ""

/** The pattern as code that a parser takes, of the same length. */
export const withLetters = (pattern: string, letter: string): string =>
  pattern.replace(inPattern, (spelling) => spelling.replaceAll("$", letter))
