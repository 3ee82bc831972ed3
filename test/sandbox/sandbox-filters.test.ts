import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/index.ts"
import { type PlaceRule, sandboxFilters } from "../../src/sandbox/sandbox-filters.ts"

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

it("explain and evaluate agree, every verdict but a question names its rule, and nothing leaves the sandbox unasked", () => {
  const word = fc.constantFrom("ls", "rm", "git log", "&&", "|", "$x", "FOO=1", "'", "secret", "cd b", ">f")
  const patterns = fc.array(fc.constantFrom("^ls\\b", "rm", "^git log", ".*", "secret", "(a|b)+$"), {
    maxLength: 3,
  })
  const places = fc.constantFrom<Readonly<Record<string, PlaceRule>>>(
    {},
    { shell: { sandboxed: "approve", source: "s.toml" } },
  )
  const params = fc.record(
    { command: fc.array(word, { maxLength: 5 }).map((words) => words.join(" ")), unsandboxed: fc.boolean() },
    { requiredKeys: ["command"] },
  )
  const seen = { approve: 0, deny: 0, ask: 0 }
  fc.assert(
    fc.property(patterns, patterns, places, params, (allow, deny, place, call) => {
      const inner = ToolFilters.compile({ shell: { allow, deny } }, { cwd: "/p", source: "rules" })
      const filters = sandboxFilters(inner, place)
      const { verdict, rule, source, because } = filters.explain!(shell, call)
      seen[verdict] += 1
      expect(filters.evaluate(shell, call) ?? "ask").toBe(verdict)
      expect(because).toMatch(/\.$/)
      if (verdict !== "ask") expect([typeof rule, typeof source]).toEqual(["string", "string"])
      if (call.unsandboxed === true) expect(verdict).not.toBe("approve")
      expect(inner.evaluate(shell, call) === "deny").toBe(verdict === "deny")
    }),
    { numRuns: 2_000 },
  )
  expect(Math.min(seen.approve, seen.deny, seen.ask)).toBeGreaterThan(100)
})
