// @module-tag waits
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { appendCorrection, correctionsFile, loadCorrections } from "../../src/io/corrections.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

const lesson = (goal: string) => ({ goal, failed_attempt: "one way", successful_approach: "another" })

const write = async (count: number): Promise<void> => {
  await mkdir(path(".stepline"))
  const corrections = Array.from({ length: count }, (_, index) => lesson(`goal ${index + 1}`))
  await writeFile(path(correctionsFile), JSON.stringify(corrections))
}

const goals = async (limit?: number): Promise<Array<string>> =>
  (await loadCorrections(path(), limit === undefined ? {} : { limit })).map(({ goal }) => goal)

describe("loadCorrections", () => {
  it("gives none where nothing was recorded", async () => {
    expect(await loadCorrections(path())).toEqual([])
  })

  it("gives the last fifty, the newest first", async () => {
    await write(60)
    const loaded = await goals()
    expect(loaded).toHaveLength(50)
    expect([loaded[0], loaded[49]]).toEqual(["goal 60", "goal 11"])
  })

  it("gives as many as it is asked for", async () => {
    await write(60)
    expect(await goals(2)).toEqual(["goal 60", "goal 59"])
    expect(await goals(Number.POSITIVE_INFINITY)).toHaveLength(60)
  })

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d", async (limit) => {
    await expect(goals(limit)).rejects.toThrow(
      `Expected \`limit\` to be a positive integer or Infinity, got \`${limit}\` (number)`,
    )
  })
})

describe("appendCorrection", () => {
  it("keeps all that was recorded, however many, in their order", async () => {
    await write(60)
    expect(await appendCorrection(path(correctionsFile), lesson("last"))).toEqual({ count: 61 })
    const kept = JSON.parse(await readFile(path(correctionsFile), "utf8")) as Array<{ goal: string }>
    expect(kept).toHaveLength(61)
    expect([kept[0]!.goal, kept[60]!.goal]).toEqual(["goal 1", "last"])
  })
})
