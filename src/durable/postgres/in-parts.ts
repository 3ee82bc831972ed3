/** Serializes rows in parts whose size strings and the database can hold, however many rows are stored together. */

/** The maximum characters of one part. A string may have half a billion, but larger parts are not faster. */
const longestPart = 8_000_000

/** JSON of an array of rows. */
export interface RowsPart {
  readonly json: string
  /** The number of rows before this part, and in it. */
  readonly before: number
  readonly count: number
}

/** Splits rows, in their order, into parts of at least one row. */
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

/** Runs a statement for each part of the rows, in order; none if there are no rows. Returns all results. */
export const inParts = async <T>(
  rows: ReadonlyArray<object>,
  run: (part: RowsPart) => Promise<ReadonlyArray<T>>,
): Promise<Array<T>> => (await Promise.all(partsOf(rows).map(run))).flat()
