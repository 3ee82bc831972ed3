/** The JSON text of a value, at most as long as every store can hold. */

/**
 * The maximum characters of one text. Postgres receives the text inside JSON, which may double it, and a character may take three
 * bytes; strings are limited to half a billion characters, and columns to a billion bytes.
 */
const longestText = 64_000_000

/** Serializes a value. Throws for a value that is not JSON, and for one that is too long. */
export const keptText = (value: unknown): string => withinBounds(JSON.stringify(value))

/** Throws for a text that is too long. */
export const withinBounds = (text: string): string => {
  if (text.length <= longestText) return text
  throw new RangeError(`It has ${text.length} characters of JSON, and a store keeps ${longestText}`)
}
