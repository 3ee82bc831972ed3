import { expect, test } from "vitest"
import { shellTool } from "../../src/impls/index.ts"
import { ToolFilters } from "../../src/index.ts"

test("what remember would add is told, and neither added nor taken from what was there", () => {
  const filters = ToolFilters.compile({ shell: { allow: ["^ls$"], deny: ["secret"] } })
  const make = { command: "make all" }
  const rule = { call: '{"command":"make all"}', workingDir: process.cwd() }
  expect(filters.rememberable(shellTool, make)).toEqual([rule])
  expect(filters.evaluate(shellTool, make)).toBeUndefined()
  expect(filters.remembered()).toEqual({})
  expect(filters.rememberable(shellTool, { command: "ls" })).toEqual([])
  expect(filters.evaluate(shellTool, { command: "ls" })).toBe("approve")
  expect(filters.remember(shellTool, make)).toBe(true)
  expect(filters.remembered()).toEqual({ shell: { allow: [rule] } })
})

test("nothing is told for what a rule denies, and for a line that nobody can know", () => {
  const filters = ToolFilters.compile({ shell: { deny: ["secret"] } })
  expect(filters.rememberable(shellTool, { command: "cat secret" })).toBeUndefined()
  expect(filters.rememberable(shellTool, { command: "cat <<$'E\\x{46'" })).toBeUndefined()
})
