/** The JSON text of a value, at most as long as every store can hold. */

/**
 * Characters of one text. Postgres receives the text inside JSON, which may double it, and a character may take three bytes: strings
 * end at half a billion characters, and columns at a billion bytes.
 */
const longestText = 64_000_000

/** JSON of a value. Throws for a value that is no JSON, and for one that is too long. */
export const keptText = (value: unknown): string => withinBounds(JSON.stringify(value))

/** Throws for a text that is too long. */
export const withinBounds = (text: string): string => {
  if (text.length <= longestText) return text
  throw new RangeError(`It has ${text.length} characters of JSON, and a store keeps ${longestText}`)
}
