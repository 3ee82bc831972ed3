import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (pattern: string, command: string) =>
  ToolFilters.compile({ shell: { allow: [pattern] } }).evaluate(shell, { command })

it("an allow match begins with the first word of the command", () => {
  const rows = [
    ["^head|tail|wc|sort", "touch PWN tail"],
    ["test$", "npm test"],
    ["npm test", "./x npm test"],
    ["npm test", "x/npm test"],
  ] as const
  expect(rows.filter(([pattern, command]) => decide(pattern, command) !== undefined)).toEqual([])
  expect(decide("^head|tail|wc|sort", "tail -n 5 a | wc -l")).toBe("approve")
})

it("a pattern that matches whatever there is does so from the first word to the last", () => {
  const rows = [
    [".", "echo fine; seq 3"],
    ["", "ls src"],
    ["^", "hyperfine 'echo x'"],
    [".+", "ls && echo hi"],
  ] as const
  expect(rows.filter(([pattern, command]) => decide(pattern, command) !== "approve")).toEqual([])
})

describe("an allow match ends where a word of the command ends", () => {
  it("and approves what ends there", () => {
    const rows = [
      ["^cat\\b", "cat x"],
      ["^cat", "cat"],
      ["^npm run ", "npm run build"],
      ["^(npm|npm-run)", "npm-run"],
      ["^git log --format=\\S+", "git log --format=%H x"],
      ["^git log.*", "git log -5"],
      ["^grep 'a b'|^grep a b", "grep 'a b' x"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(pattern, command) !== "approve")).toEqual([])
  })

  it("and approves nothing that goes on", () => {
    const rows = [
      ["^cat\\b", "cat/../t.sh"],
      ["^ls\\b", "ls-evil"],
      ["^npm run t", "npm run test"],
      ["^git\\b", "git-upload"],
      ["^git log --format=", "git log --format=%H"],
      ["^echo a", "echo 'a b'"],
      ["^echo a ", "echo 'a b'"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(pattern, command) !== undefined)).toEqual([])
  })
})
