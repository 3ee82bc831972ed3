import { expect, it } from "vitest"
import { inParts, type RowsPart } from "../../../src/durable/postgres/in-parts.ts"

/** What the statements get. */
const partsOf = async (rows: ReadonlyArray<object>) => {
  const parts: Array<RowsPart> = []
  const given = await inParts(rows, async (part) => {
    parts.push(part)
    return JSON.parse(part.json) as Array<object>
  })
  expect(given).toEqual(rows)
  return parts
}

it("makes one statement of a few rows, and none of none", async () => {
  expect(await partsOf([])).toEqual([])
  expect(await partsOf([{ a: 1 }, { a: 2 }])).toEqual([{ json: '[{"a":1},{"a":2}]', before: 0, count: 2 }])
})

it("bounds what is sent at once, but for a row that is longer by itself", async () => {
  const row = (length: number) => ({ text: "x".repeat(length) })
  const parts = await partsOf([row(3e6), row(3e6), row(3e6), row(9e6), row(1)])
  expect(parts.map(({ before, count }) => [before, count])).toEqual([
    [0, 2],
    [2, 1],
    [3, 1],
    [4, 1],
  ])
})
