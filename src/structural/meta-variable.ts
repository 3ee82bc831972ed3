/**
 * In a pattern, `$NAME` matches one node, `$$$NAME` any number. Names are upper case; those that begin with `_` do not
 * capture. Captures are keyed by their spelling, including `$`.
 */

const name = "[A-Z_][A-Z0-9_]*"

/** Metavariables in a pattern, always whole words. */
const inPattern = new RegExp(`(?<![\\w$])(?:\\$\\$\\$(?:${name})?|\\$\\$?${name})(?![\\w$])`, "g")

/** Metavariables in a replacement, which can follow a letter: `get$NAME`. */
export const inReplacement = new RegExp(`(?:\\$\\$\\$|\\$)${name}(?!\\w)`, "g")

const isCaptured = (spelling: string): boolean => /^\$+[A-Z]/.test(spelling)

/** The spellings of a pattern's metavariables, in order. */
export const metaVariablesOf = (pattern: string): Array<string> =>
  [...pattern.matchAll(inPattern)].map(([spelling]) => spelling)

/** The spellings of a pattern's captures; `$$NAME` is captured as `$NAME`. */
export const capturesOf = (pattern: string): ReadonlySet<string> =>
  new Set(
    metaVariablesOf(pattern)
      .map((spelling) => spelling.replace(/^\$\$(?=[A-Z_])/, "$"))
      .filter(isCaptured),
  )

/** Whether the text is a metavariable and nothing else. */
export const isMetaVariable = (text: string): boolean => text.replace(inPattern, "") === "" && text !== ""

/** The pattern as code that a parser accepts, with the same length. */
export const withLetters = (pattern: string, letter: string): string =>
  pattern.replace(inPattern, (spelling) => spelling.replaceAll("$", letter))
