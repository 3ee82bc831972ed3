/** Lines of which nothing is to be understood but their commands. */
import type { SyntaxNode } from "unbash"

/** Where a command stands in the line. */
export type Place = Pick<SyntaxNode, "pos" | "end">

/** A longer line is not one that a person takes in. */
const longestPlain = 10_000

/** Whether between and around the commands there are their joints alone. Escapes and `$'…'` are not written out. */
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
