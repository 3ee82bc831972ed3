/** Rows as statements take them: as JSON, in parts of a size that a string and the database hold, however much is stored together. */

/** Characters of one part: a string has room for half a billion, and more at once is not faster. */
const longestPart = 8_000_000

/** JSON of an array of rows. */
export interface RowsPart {
  readonly json: string
  /** How many rows there are before these, and of these. */
  readonly before: number
  readonly count: number
}

/** In their order; each of one row at least. */
const partsOf = (rows: ReadonlyArray<object>): Array<RowsPart> => {
  const parts: Array<RowsPart> = []
  let texts: Array<string> = []
  let length = 0
  let before = 0
  const flush = () => {
    const count = texts.length
    if (count > 0) parts.push({ json: `[${texts.join(",")}]`, before, count })
    before += count
    texts = []
    length = 0
  }
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (length + text.length > longestPart) flush()
    texts.push(text)
    length += text.length
  }
  flush()
  return parts
}

/** Makes a statement for each part of the rows, in their order: none where there are none. Gives what they give. */
export const inParts = async <T>(
  rows: ReadonlyArray<object>,
  run: (part: RowsPart) => Promise<ReadonlyArray<T>>,
): Promise<Array<T>> => (await Promise.all(partsOf(rows).map(run))).flat()
