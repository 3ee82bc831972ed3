/** What a store keeps of a value: its JSON, of a length that every store can hold. */

/**
 * Characters of one text. Postgres gets it as JSON once more, which may double it, and a character may take three bytes: strings end at
 * half a billion characters, and what a column holds at a billion bytes.
 */
const longestText = 64_000_000

/** JSON of it. Throws where it is none, and where it is too long. */
export const keptText = (value: unknown): string => withinBounds(JSON.stringify(value))

/** Throws for a text that is too long. */
export const withinBounds = (text: string): string => {
  if (text.length <= longestText) return text
  throw new RangeError(`It has ${text.length} characters of JSON, and a store keeps ${longestText}`)
}
