/** Whether the letters of a query stand in a text in their order, and how well: closer together and at starts of words is better. */

interface FuzzyMatch {
  readonly matches: boolean
  /** Lower is better. */
  readonly score: number
}

const noMatch: FuzzyMatch = { matches: false, score: 0 }

const fuzzyMatch = (query: string, text: string): FuzzyMatch => {
  const letters = query.toLowerCase()
  const lower = text.toLowerCase()
  let score = lower === letters ? -100 : 0
  let last = -1
  for (const letter of letters) {
    const at = lower.indexOf(letter, last + 1)
    if (at === -1) return noMatch
    const gap = at - last - 1
    const startsWord = at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1]!)
    score += (last === -1 ? at / 10 : 2 * gap) - (startsWord ? 10 : 0) - (gap === 0 ? 5 : 0)
    last = at
  }
  return { matches: true, score }
}

/** The items that match every word of the query, best first. */
export const fuzzyFilter = <Item>(
  items: Array<Item>,
  query: string,
  getText: (item: Item) => string,
): Array<Item> => {
  const words = query.split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) return items
  const scored = items.flatMap((item) => {
    const matches = words.map((word) => fuzzyMatch(word, getText(item)))
    if (matches.some((match) => !match.matches)) return []
    return [{ item, score: matches.reduce((sum, match) => sum + match.score, 0) }]
  })
  return scored.sort((a, b) => a.score - b.score).map(({ item }) => item)
}
