import { mkdir, rm, symlink, writeFile } from "node:fs/promises"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCommandLine } from "../../src/policy/command-line.ts"
import { type AllowRule, type RememberChoice, ToolFilters } from "../../src/policy/index.ts"
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

type Rules = ReadonlyArray<AllowRule> | undefined

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
    expect(preview).toEqual([{ call: '{"command":"git status && npm test"}', workingDir: process.cwd() }])
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
    const named = ["sort -o a b", "git -c alias.x=!y x", "echo > a", "PATH=. make", "cd / && make", "$x"]
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
    ["of the commands of a line that only its very line approves", "command", "PATH=. npm test", []],
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

describe("this very call is all of its parameters, in the folder that it was answered in:", () => {
  const pay = { name: "pay", primaryKind: "text" } as const
  const edit = { name: "edit", primaryParam: "path", primaryKind: "path" } as const
  const timed = { command: "npm test", timeout: 5 }

  it.each([
    [pay, { to: "bob", amount: 5 }, { to: "mallory", amount: 1_000_000 }],
    [pay, { to: "bob", amount: 5 }, {}],
    [pay, { list: [1, 2] }, { list: [2, 1] }],
    [pay, { amount: 5 }, { amount: "5" }],
    [edit, { path: "a", text: "one" }, { path: "a", text: "two" }],
    [edit, { path: "a", text: "one" }, { path: "a" }],
    [shell, timed, { command: "npm test", timeout: 50 }],
    [shell, timed, { command: "npm test" }],
    [shell, { command: "npm test" }, { command: "npm test", working_dir: "/" }],
    [shell, { command: "npm test" }, { command: "npm test && npm test" }],
  ])("%j %j, and not %j", (tool, params, other) => {
    const filters = ToolFilters.empty()
    expect(filters.remember(tool, params)).toBe(true)
    const names = Object.entries(params).reverse()
    for (const each of [filters, ToolFilters.compile(filters.remembered())]) {
      expect(each.evaluate(tool, Object.fromEntries(names))).toBe("approve")
      expect(each.evaluate(tool, other)).toBeUndefined()
      expect(each.at("/usr").evaluate(tool, params)).toBeUndefined()
    }
  })

  it("no answer makes a rule for every call of a tool without a text to match", () => {
    const filters = ToolFilters.empty({ cwd: "/usr" })
    for (const choice of ["call", "command"] as const) {
      expect(filters.rememberable(pay, { to: "bob", amount: 5 }, choice)).toEqual([
        { call: '{"amount":5,"to":"bob"}', workingDir: "/usr" },
      ])
    }
    const circle: Record<string, unknown> = {}
    circle.self = circle
    for (const params of [
      circle,
      { f: () => 1 },
      { n: Number.NaN },
      { at: new Date(0) },
      { text: "x".repeat(100_000) },
    ]) {
      expect(filters.remember(pay, params)).toBe(false)
    }
  })

  it("what it leads to is part of it", async () => {
    for (const name of ["a", "b"]) await writeFile(path(name), "")
    await symlink(path("a"), path("link"))
    const filters = ToolFilters.empty({ cwd: path() })
    for (const params of [{ path: "a" }, { path: "link" }, { path: "~/x" }]) {
      expect(filters.remember(edit, params)).toBe(true)
      expect(filters.evaluate(edit, params)).toBe("approve")
    }
    for (const name of ["a", "link"]) {
      await rm(path(name))
      await symlink(path("b"), path(name))
      expect(filters.evaluate(edit, { path: name })).toBeUndefined()
    }
  })

  it("a deny rule that comes later wins, and so does what nobody can tell", () => {
    const filters = ToolFilters.empty()
    filters.remember(shell, { command: "npm publish" })
    filters.remember(pay, { to: "bob" })
    filters.add({ shell: { deny: ["^npm publish"] }, pay: { deny: ["^$"] } })
    expect(filters.evaluate(shell, { command: "npm publish" })).toBe("deny")
    expect(filters.evaluate(pay, { to: "bob" })).toBe("deny")
    const unknown = ToolFilters.compile({ shell: { allow: [{ call: '{"command":"$X y"}' }] } })
    expect(unknown.evaluate(shell, { command: "$X y" })).toBeUndefined()
  })

  it("is read however it is written, and refused where it is none", () => {
    const byHand = ToolFilters.compile({ pay: { allow: [{ call: '{ "to": "bob", "amount": 5 }' }] } })
    expect(byHand.explain(pay, { amount: 5, to: "bob" })).toEqual({
      verdict: "approve",
      rule: '{"amount":5,"to":"bob"}',
      command: "",
      because: 'An allow rule is for this very call: `{"amount":5,"to":"bob"}`.',
    })
    const compile = (rule: unknown) => () => ToolFilters.compile({ pay: { allow: [rule as AllowRule] } })
    expect(compile({ call: "{" })).toThrow(
      "The `call` of an allow rule of tool `pay` is no JSON of parameters: ",
    )
    expect(compile({ call: "{}", pattern: "x" })).toThrow(
      "Expected an allow rule of tool `pay` for one call to be `{ call, workingDir?, leadsTo? }`, texts all, got `pattern`",
    )
  })
})
