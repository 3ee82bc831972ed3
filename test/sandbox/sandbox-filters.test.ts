import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/index.ts"
import { sandboxFilters } from "../../src/sandbox/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
const rules = ToolFilters.compile({ shell: { allow: ["^ls"], deny: ["secret"] } })

describe("rules by place", () => {
  const filters = sandboxFilters(rules, { shell: { sandboxed: "approve" } })

  it.each([
    [{ command: "ls" }, "approve", "The allow rule `^ls` matches `ls`."],
    [{ command: "make" }, "approve", "It runs in the sandbox, where `shell` is approved."],
    [{ command: "make", unsandboxed: true }, "ask", "It runs outside of the sandbox."],
    [{ command: "cat secret", unsandboxed: true }, "deny", "The deny rule `secret` matches `cat secret`."],
  ] as const)("explain %j", (params, verdict, because) => {
    expect(filters.explain?.(shell, params)).toMatchObject({ verdict, because })
    expect(filters.evaluate(shell, params)).toBe(verdict === "ask" ? undefined : verdict)
  })

  it("pass on what the other filters say where no place decides", () => {
    const passed = sandboxFilters(rules)
    expect(passed.explain?.(shell, { command: "make" })).toEqual(rules.explain(shell, { command: "make" }))
    const mute = sandboxFilters({ evaluate: () => undefined })
    expect(mute.explain?.(shell, { command: "make" })).toEqual({
      verdict: "ask",
      because: "The rules say so.",
    })
  })
})
