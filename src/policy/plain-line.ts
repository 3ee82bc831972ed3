/** Lines that consist of nothing but their commands. */
import type { SyntaxNode } from "unbash"

/** The position of a command in the line. */
export type Place = Pick<SyntaxNode, "pos" | "end">

/** A longer line is not one that a person can review. */
const longestPlain = 10_000

/** Whether only the joints are between and around the commands. Escapes and `$'…'` do not count as literal. */
export const isChain = (source: string, places: ReadonlyArray<Place>): boolean => {
  if (source.length > longestPlain || /[\\\n]|\$['"]/.test(source)) return false
  let at = 0
  for (const { pos, end } of places.toSorted((one, other) => one.pos - other.pos)) {
    const joint = at === 0 ? /^[ \t]*$/ : /^[ \t]*(?:&&|\|\|?|;)[ \t]*$/
    if (!joint.test(source.slice(at, pos))) return false
    at = end
  }
  return at > 0 && /^[ \t]*$/.test(source.slice(at))
}
