import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import { harmlessLines, ordinaryDenials, ordinaryRules, otherLines } from "./ordinary-lines.ts"

const shell = {
  name: "shell",
  primaryParam: "command",
  primaryKind: "command",
  workingDirParam: "working_dir",
} as const

const filters = ToolFilters.compile({ shell: { allow: ordinaryRules, deny: ordinaryDenials } })
const decide = (command: string) => filters.evaluate(shell, { command })

describe("under rules as people have them", () => {
  it("at most 2 % of what needs no question is asked", () => {
    const asked = harmlessLines.filter((command) => decide(command) !== "approve")
    expect(harmlessLines.length).toBeGreaterThan(250)
    expect(asked.length / harmlessLines.length).toBeLessThanOrEqual(0.02)
  })

  it("nothing is approved that no rule means", () => {
    expect(otherLines.filter((command) => decide(command) === "approve")).toEqual([])
  })
})
