import { expect, test } from "vitest"
import { columnsOf } from "../../../src/hosts/terminal/columns.ts"
import { completeLine } from "../../../src/hosts/terminal/line-completions.ts"
import {
  correctionLines,
  helpLines,
  pendingLines,
  pendingNote,
} from "../../../src/hosts/terminal/session-text.ts"
import { styleOf } from "../../../src/hosts/terminal/style.ts"

const action = (label: string) => ({ actionId: `action-${label.length}`, label, sourceToolName: "edit" })
const screen = { width: 80, style: styleOf(false) }

test("what is pending is noted with the latest label on one line", () => {
  expect(pendingNote([], 80)).toBe("")
  expect(pendingNote([action("Rename a")], 80)).toBe("[1 pending: Rename a] ")
  expect(pendingNote([action("Rename a"), action("Two\nlines\u001b[31m")], 80)).toBe(
    "[2 pending: Two ⏎ lines⟦ESC⟧[31m] ",
  )
})

test("the note leaves half of the width to the line, and drops the label where there is no room for it", () => {
  expect(pendingNote([action("Rename everything everywhere")], 60)).toBe("[1 pending: Rename everythi…] ")
  expect(pendingNote([action("Rename")], 20)).toBe("[1 pending] ")
})

test("what is pending is listed with the latest first", () => {
  expect(pendingLines([action("old"), action("newer")], screen)).toEqual([
    "  action-5 newer  edit",
    "  action-3 old    edit",
  ])
})

test("corrections are wrapped behind their mark, and those past fifty are counted", () => {
  const correction = { goal: "Build", failed_attempt: "the first way", successful_approach: "another" }
  expect(correctionLines([correction], { ...screen, width: 14 })).toEqual([
    "Build",
    "  ✗ the first",
    "    way",
    "  ✓ another",
  ])
  const lines = correctionLines(Array(52).fill(correction), screen)
  expect(lines).toHaveLength(3 * 50 + 1)
  expect(lines.at(-1)).toBe("… and 2 older")
})

test("the tools that are offered complete a line, and so do the commands", () => {
  const tools = { names: ["read_file", "resolve"], get: () => undefined }
  const complete = (before: string) => completeLine(before, { tools, tasks: [], cwd: "." })
  expect(complete("re")).toEqual({ from: 0, candidates: ["read_file ", "resolve "] })
  expect(complete("/d")).toEqual({ from: 0, candidates: ["/discard "] })
  expect(complete("/apply re")).toEqual({ from: 9, candidates: [] })
})

test("the help fits a screen of 80 by 24 above the prompt", () => {
  const lines = helpLines({ ...screen, width: 79 })
  expect(lines.length).toBeLessThanOrEqual(21)
  expect(lines.every((line) => columnsOf(line) <= 79)).toBe(true)
  expect(lines.join("\n").replace('"edits": …', "")).not.toContain("…")
})
