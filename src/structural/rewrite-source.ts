/** Applies several replacements to the text of one file, each to the result of the earlier ones. */
import type { Grammar } from "./grammar.ts"
import { noMatches, type Replacement, rewrite, type Tally } from "./rewrite.ts"

export interface RewrittenSource extends Tally {
  readonly text: string
  /** The number of matches that each replacement replaced. */
  readonly byReplacement: ReadonlyArray<number>
}

export const sumOf = (one: Tally, other: Tally): Tally => ({
  matches: one.matches + other.matches,
  lost: one.lost + other.lost,
  unclear: one.unclear + other.unclear,
  comments: one.comments + other.comments,
})

/** Undefined is a replacement that does not apply to the language. Rejects with a StructuralError. */
export const rewriteSource = async (
  grammar: Grammar,
  replacements: ReadonlyArray<Replacement | undefined>,
  original: string,
): Promise<RewrittenSource> => {
  let text = original
  let tally = noMatches
  const byReplacement: Array<number> = []
  for (const replacement of replacements) {
    const rewritten =
      replacement === undefined ? { text, ...noMatches } : await rewrite(grammar, replacement, text)
    text = rewritten.text
    tally = sumOf(tally, rewritten)
    byReplacement.push(rewritten.matches)
  }
  return { text, byReplacement, ...tally }
}
