import { mkdir } from "node:fs/promises"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCommandLine } from "../../src/policy/command-line.ts"
import { type PlacedRule, type RememberChoice, ToolFilters } from "../../src/policy/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

const shell = {
  name: "shell",
  primaryParam: "command",
  primaryKind: "command",
  workingDirParam: "working_dir",
} as const
const read = { name: "read", primaryParam: "path", primaryKind: "path" } as const
const line = (command: string) => ({ command })

type Rules = ReadonlyArray<string | PlacedRule> | undefined

/** The preview, which must be what is remembered. */
const remembered = (choice: RememberChoice, command: string, deny: ReadonlyArray<string> = []) => {
  const filters = ToolFilters.compile({ shell: { deny } })
  const preview: Rules = filters.rememberable(shell, line(command), choice)
  expect(filters.remembered()).toEqual({})
  expect(filters.remember(shell, line(command), choice)).toBe(preview !== undefined)
  expect(filters.remembered()).toEqual(preview === undefined ? {} : { shell: { allow: preview } })
  const approves = (other: string) => filters.evaluate(shell, line(other)) === "approve"
  if (preview !== undefined) expect(approves(command)).toBe(true)
  return { preview, approves }
}

describe("what an answer remembers of `git status && npm test`", () => {
  const command = "git status && npm test"

  it("`call`: this very line", () => {
    const { preview, approves } = remembered("call", command)
    expect(preview).toEqual(["^git status && npm test$"])
    expect(approves("git status")).toBe(false)
  })

  it("`command`: each of its commands as it was, also alone, and no other", () => {
    const { preview, approves } = remembered("command", command)
    expect(preview).toEqual(["^git status$", "^npm test$"])
    expect(["git status", "npm test", "npm test; git status"].every(approves)).toBe(true)
    expect(["git status -s", "npm test x", "git", "npm publish"].some(approves)).toBe(false)
  })

  it("`tool`: what no deny rule stops, but for what a rule has to name", () => {
    const { preview, approves } = remembered("tool", command, ["rm"])
    expect(preview).toEqual([".*"])
    expect(approves("make all")).toBe(true)
    expect(approves("rm x")).toBe(false)
    const named = ["sort -o a b", "git -c alias.x=!y x", "echo > a", "X=1 make", "cd / && make", "$x"]
    expect(named.some(approves)).toBe(false)
  })

  it("a rule of one's own, that fits it", () => {
    const { preview, approves } = remembered({ rule: "^(git|npm) [a-z]+" }, command)
    expect(preview).toEqual(["^(git|npm) [a-z]+"])
    expect(approves("npm publish")).toBe(true)
  })
})

const part = fc.constantFrom(
  ...["git", "git status", "npm test", "-s", "'a b'", "'git'", "$(npm x)", "$x", "{a,b}", "*", "#", "\\\n"],
  ...["&&", ";", "|", "&", "\n", "(", ")", "'", '"', "2>&1", "> f", "x=1", "env", "xargs", "cd /", "  "],
)
const parts = fc.array(part, { minLength: 1, maxLength: 6 })

it("nothing that was not in the line is approved by what an answer remembers of it", () => {
  let approved = 0
  const property = fc.property(
    parts,
    parts,
    fc.nat(5),
    fc.constantFrom("call" as const, "command" as const),
    (start, added, at, choice) => {
      const source = start.join(" ")
      const filters = ToolFilters.empty()
      fc.pre(filters.remember(shell, line(source), choice))
      const other = start.toSpliced(at, added.length % 2, ...added).join(" ")
      if (other === source || filters.evaluate(shell, line(other)) !== "approve") return
      approved += 1
      const known = choice === "call" ? [source] : readCommandLine(source).commands.map(({ text }) => text)
      for (const { text } of readCommandLine(other).commands) expect(known).toContain(text)
    },
  )
  fc.assert(property, { numRuns: 3000 })
  expect(approved).toBeGreaterThan(20)
})

describe("nothing is remembered", () => {
  it.each<readonly [string, RememberChoice, string, ReadonlyArray<string>]>([
    ["of a rule that does not fit the call", { rule: "^npm publish" }, "npm test", []],
    ["of a rule that fits only part of a line", { rule: "^git" }, "git status && npm test", []],
    ["of a rule that is no pattern", { rule: "(" }, "npm test", []],
    ["where a deny rule matches", "tool", "rm x", ["rm"]],
    ["of a line of which it is not known what it runs", "command", "$x y", []],
    ["of the commands of a line that only its very line approves", "command", "X=1 npm test", []],
    ["of a command that runs what it reads", "command", "python3 - <<'E'\nprint(1)\nE", []],
    ["of a command in a loop over its words", "command", "for f in a b; do rm $f; done", []],
    ["of a command that takes its words from a pipe", "command", "ls | xargs rm", []],
  ])("%s", (_, choice, command, deny) => {
    expect(remembered(choice, command, deny).preview).toBeUndefined()
  })
})

it("a command is remembered without what a line may yet make of it", () => {
  const { approves } = remembered("call", "rm -rf $f")
  expect(approves("rm -rf $f")).toBe(true)
  expect(approves("for f in /; do rm -rf $f; done")).toBe(false)
  expect(remembered("call", "psql").approves("psql <<< '\\! x'")).toBe(false)
})

it("a call in another folder is remembered for that folder", () => {
  const filters = ToolFilters.empty({ cwd: "/" })
  const params = { command: "ls", working_dir: "/usr" }
  for (const choice of ["call", "command", "tool", { rule: "^ls" }] as const) {
    expect(filters.rememberable(shell, params, choice)).toEqual([
      expect.objectContaining({ workingDir: "/usr" }),
    ])
  }
})

it("a folder that is called `**` is remembered as that folder, and not as all beside it", async () => {
  await mkdir(path("**"))
  const filters = ToolFilters.empty({ cwd: "/" })
  filters.remember(shell, { command: "ls", working_dir: path("**") })
  expect(filters.evaluate(shell, { command: "ls", working_dir: path("**") })).toBe("approve")
  expect(filters.evaluate(shell, { command: "ls", working_dir: path() })).toBeUndefined()
})

it("tells the host what was remembered, and does not mind what that makes of it", () => {
  const told: Array<unknown> = []
  const onRemember = (added: unknown) => {
    told.push(added)
    throw new Error("no")
  }
  const filters = ToolFilters.empty({ onRemember }).at("/")
  expect(filters.remember(shell, line("ls && make"), "command")).toBe(true)
  expect(filters.remember(shell, line("make"))).toBe(true)
  expect(filters.remember(shell, line("$x"))).toBe(false)
  expect(told).toEqual([{ shell: { allow: ["^ls$", "^make$"] } }])
})

it("where the call is approved anyway, only a rule that was named is added", () => {
  const filters = ToolFilters.compile({ shell: { allow: ["^ls"] } })
  expect(filters.rememberable(shell, line("ls"), "call")).toEqual([])
  expect(filters.rememberable(shell, line("ls"), { rule: "^npm" })).toBeUndefined()
  expect(filters.rememberable(shell, line("ls"), { rule: "^l." })).toEqual(["^l."])
})

it("a path and a text have one rule for the call and for its command", () => {
  const filters = ToolFilters.empty({ cwd: "/" })
  const params = { path: "usr" }
  expect(filters.rememberable(read, params, "command")).toEqual(filters.rememberable(read, params, "call"))
})
