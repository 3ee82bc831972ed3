// @module-tag waits
import { execFile } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { useTempFolder } from "../io/temp-folder.ts"
import { compileScript } from "../support/run-script.ts"

const path = useTempFolder()
const count = Number(process.env.RACE_ROUNDS ?? 40)

interface Outcome {
  readonly text: string
  readonly content: string
}

const editInProcess = async (word: string): Promise<ReadonlyArray<Outcome>> => {
  const args = [await compileScript("test/impls/edit-words.ts"), path(), word, String(count)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 })
  return JSON.parse(stdout)
}

it("an edit that another process overtakes says so, and what is said to be applied is in the file", async () => {
  const words = ["a", "b", "c"]
  writeFileSync(
    path("f"),
    words.flatMap((word) => Array.from({ length: count }, (_, index) => `${word}${index}\n`)).join(""),
  )
  const outcomes = (await Promise.all(words.map(editInProcess))).flat()
  const text = readFileSync(path("f"), "utf8")
  const applied = outcomes.filter(({ content }) => content === "Successfully applied 1 edit(s) to f")
  for (const outcome of outcomes) {
    if (applied.includes(outcome)) continue
    expect(outcome.content).toBe(
      "f has changed since the edit was previewed. Nothing was written. Read the file again.",
    )
  }
  expect(applied.length).toBeGreaterThan(0)
  expect(applied.filter((outcome) => !text.includes(outcome.text))).toEqual([])
  // The locks are gone.
  expect(readdirSync(path())).toEqual(["f"])
})
