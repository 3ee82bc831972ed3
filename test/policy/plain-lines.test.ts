// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
/** Allow rules that hold in plain lines alone. */
import { expect, it } from "vitest"
import { type AllowRule, ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const plain = (pattern: string): AllowRule => ({ pattern, line: "plain" })

const filtersOf = (...allow: ReadonlyArray<AllowRule>) => ToolFilters.compile({ shell: { allow } })

const rules = ["^npm test( .*)?$", "^cat( .*)?$", "^timeout( .*)?$", "^set( .*)?$"].map(plain)

it("approve commands that are written out, and their chains", () => {
  const filters = filtersOf(...rules)
  const lines = [
    "npm test",
    "  npm test  ",
    "npm test a-b ./c",
    `npm test "a; b && c | d > e" '#'`,
    "npm test && cat a || npm test; cat a | cat",
    "npm test&&cat a",
    "timeout 3 npm test",
    "set -e",
  ]
  expect(lines.filter((command) => filters.evaluate(shell, { command }) !== "approve")).toEqual([])
})

it("do not approve lines that do more", () => {
  const filters = filtersOf(...rules)
  const lines = [
    "npm testx",
    "cat < .env",
    "cat .en*",
    "cat ~/a",
    "cat {a,b}",
    "cat $HOME",
    'cat "$HOME"',
    "cat $'a'",
    "cat a\\ b",
    "cat $(cat a)",
    "cat <(cat a)",
    "cat <<< a",
    "cat <<E\na\nE",
    "cat > /dev/null",
    "npm test 2>&1",
    "A=b npm test",
    "CI=1 npm test",
    "set -e; npm test",
    "read x; npm test",
    "nproc; npm test",
    "for f in a b; do npm test; done",
    "while npm test; do cat a; done",
    "if npm test; then cat a; fi",
    "(npm test)",
    "{ npm test; }",
    "npm test &",
    "npm test & cat a",
    "npm test |& cat",
    "npm test;",
    "npm test # cat",
    "npm test\ncat a",
    "! npm test",
    "time npm test",
    "coproc npm test",
    "[[ -d x ]] && npm test",
    "timeout 3 rm x",
    '"npm" test',
    "npm  test",
    "/usr/bin/npm test",
    `cat ${"a".repeat(10_000)}`,
  ]
  expect(lines.filter((command) => filters.evaluate(shell, { command }) !== undefined)).toEqual([])
})

it("leave the lines of other rules to these", () => {
  const filters = filtersOf(plain("^cat( .*)?$"), "^npm test\\b")
  expect(filters.evaluate(shell, { command: "npm test 2>&1" })).toBe("approve")
  expect(filters.evaluate(shell, { command: "npm test 2>&1 && cat a" })).toBeUndefined()
  expect(filters.explain(shell, { command: "cat < a" }).because).toBe(
    "The allow rule `^cat( .*)?$` is for lines of plain commands alone, without `set`, redirections, expansions and the like, which have to be written as it says.",
  )
})

it("refuse another `line`, by name", () => {
  const rule = { pattern: "^ls$", line: "any" } as unknown as AllowRule
  expect(() => filtersOf(rule)).toThrow(
    new TypeError('Expected `line` of the allow rule `^ls$` of tool `shell` to be "plain", got "any"'),
  )
})
