import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { shellTool } from "../../src/impls/index.ts"
import { type PlacedRule, type ToolFilterConfig, ToolFilters } from "../../src/policy/index.ts"

let root: string
let cwd: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "policy-folder-")))
  cwd = join(root, "project")
  mkdirSync(join(cwd, "packages", "a", "src"), { recursive: true })
  mkdirSync(join(cwd, "evil"))
  mkdirSync(join(root, "outside"))
  symlinkSync(join(root, "outside"), join(cwd, "packages", "linked"))
  symlinkSync(cwd, join(root, "alias"))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

const explain = (
  allow: ReadonlyArray<string | PlacedRule>,
  command: string,
  working_dir?: unknown,
  from = cwd,
) => ToolFilters.compile({ shell: { allow } }, { cwd: from }).explain(shellTool, { command, working_dir })

const verdict = (...args: Parameters<typeof explain>) => explain(...args).verdict

describe("an allow rule that names no folder", () => {
  it.each([undefined, ".", "packages/..", "../project", "../alias"])(
    "holds in the executor's: %j",
    (folder) => {
      expect(verdict(["^npm test$"], "npm test", folder)).toBe("approve")
      expect(verdict(["^npm\\b"], "npm test", folder, join(root, "alias"))).toBe("approve")
    },
  )

  it("holds there by its absolute name", () => {
    expect(verdict(["^npm test$"], "npm test", cwd)).toBe("approve")
  })

  it.each(["evil", "./packages/a", "..", "/", "packages/linked", "nowhere", "evil\0", 5, ["."]])(
    "holds in no other: %j",
    (folder) => {
      expect(verdict(["^npm test$", "^npm\\b", ".*"], "npm test", folder)).toBe("ask")
    },
  )

  it("says which", () => {
    expect(explain(["^npm test$"], "npm test", "evil")).toEqual({
      verdict: "ask",
      command: "npm test",
      because: "It may run in `evil`, and no allow rule for `npm test` names that folder.",
    })
  })
})

describe("an allow rule that names a folder", () => {
  const here = (workingDir: string) => [{ pattern: "^npm test$", workingDir }]

  it("holds there, and nowhere else", () => {
    expect(verdict(here("packages/a"), "npm test", "packages/a")).toBe("approve")
    expect(verdict(here("packages/a"), "npm test", join(cwd, "packages/a/"))).toBe("approve")
    expect(verdict(here(join(cwd, "packages/a")), "npm test", "packages/a")).toBe("approve")
    for (const folder of [undefined, "packages", "packages/a/src", "evil"]) {
      expect(verdict(here("packages/a"), "npm test", folder)).toBe("ask")
    }
  })

  it("holds in all below it with /**, wherever links lead", () => {
    for (const folder of ["packages", "packages/a", "packages/a/src"]) {
      expect(verdict(here("packages/**"), "npm test", folder)).toBe("approve")
      expect(verdict(here("**"), "npm test", folder)).toBe("approve")
    }
    expect(verdict(here("**"), "npm test")).toBe("approve")
    expect(verdict(here("/**"), "npm test", "/")).toBe("approve")
    for (const folder of ["evil", "packages/linked", "packages/../evil"]) {
      expect(verdict(here("packages/**"), "npm test", folder)).toBe("ask")
    }
  })
})

it("a deny rule holds everywhere", () => {
  const filters = ToolFilters.compile({ shell: { deny: ["^npm"] } }, { cwd })
  expect(filters.evaluate(shellTool, { command: "npm test", working_dir: "evil" })).toBe("deny")
})

describe("behind cd", () => {
  const rules = [
    "^cd\\b",
    "^(pushd|popd)\\b",
    "^npm test$",
    { pattern: "^npm test$", workingDir: "packages/a" },
  ]

  it("a command that is allowed there is approved", () => {
    const lines = [
      "cd packages/a && npm test",
      "cd -P ./packages/a/ && npm test",
      "cd . && npm test",
      "(cd packages/a; npm test)",
      "bash -c 'cd packages/a && npm test'",
      "cd packages/../packages/a && npm test",
      "for i in 1 2; do (cd packages/a && npm test); done",
      "while true; do cd . && npm test; done",
      "cd evil",
      "cd",
    ]
    expect(
      lines.filter(
        (command) =>
          verdict([...rules, "^true$", { pattern: "^bash\\b", workingDir: "**" }], command) !== "approve",
      ),
    ).toEqual([])
  })

  it("any other is asked", () => {
    const lines = [
      "cd evil && npm test",
      "cd packages/linked && npm test",
      "cd $X && npm test",
      "cd pack* && npm test",
      "cd - && npm test",
      "cd && npm test",
      `cd ${homedir()} && npm test`,
      "cd packages && cd a && npm test",
      "cd packages a && npm test",
      "pushd evil && npm test",
      "popd && npm test",
      "builtin cd evil && npm test",
      "find . -execdir npm test \\;",
      "/usr/bin/find evil -okdir npm test \\;",
      "env -C evil npm test",
      "sudo --chdir=evil npm test",
    ]
    const others = ["^builtin\\b", "find\\b", "^env -C evil\\b", "^sudo --chdir=evil\\b"]
    expect(lines.filter((command) => verdict([...rules, ...others], command) !== "ask")).toEqual([])
  })

  it("a command is asked that runs elsewhere when links are followed, or in the next round of a loop", () => {
    const lines = [
      "cd -P packages/linked/../a && npm test",
      "bash -P -c 'cd packages/linked/../a && npm test'",
      "cd packages/linked/../a && npm test",
      "for i in 1 2; do cd packages/a; npm test; done",
      "while true; do npm test; cd packages/a; done",
      "until cd packages/a; do npm test; done",
      "for i in 1 2; do eval 'cd packages/a'; npm test; done",
      "for i in 1 2; do { builtin cd packages/a && npm test; }; done",
      "for i in 1 2; do pushd packages/a; npm test; done",
      "trap 'cd packages/a' DEBUG; npm test",
    ]
    const everywhere = ["^(bash|true|eval|builtin|trap)\\b"].map((pattern) => ({ pattern, workingDir: "**" }))
    const allow = [...rules, ...everywhere]
    expect(lines.filter((command) => verdict(allow, command) !== "ask")).toEqual([])
    expect(explain(allow, "for i in 1 2; do cd packages/a; npm test; done").because).toBe(
      "It may run in a folder that cannot be told (where `cd packages/a` leads time and again), and no allow rule for `npm test` names that folder.",
    )
  })

  it("a command is asked where the environment has a say in where that leads", () => {
    const above = [
      { pattern: "^(cd|npm)\\b", workingDir: "packages" },
      { pattern: "^(cd|npm)\\b", workingDir: "evil" },
    ]
    const command = "cd ../evil && npm test"
    expect(verdict(above, command, "packages")).toBe("approve")
    symlinkSync(join(cwd, "packages"), join(root, "outside", "packages"))
    vi.stubEnv("PWD", join(root, "outside", "packages"))
    expect(verdict(above, command, "packages")).toBe("ask")
    vi.unstubAllEnvs()
    vi.stubEnv("CDPATH", root)
    expect(verdict(rules, "cd packages/a && npm test")).toBe("ask")
    expect(verdict(rules, "cd ./packages/a && npm test")).toBe("approve")
  })

  it("relative folders start at the call's", () => {
    expect(
      verdict([...rules, { pattern: "^cd\\b", workingDir: "packages" }], "cd a && npm test", "packages"),
    ).toBe("ask")
    const both = ["packages", "packages/a"].map((workingDir) => ({
      pattern: "^(cd|npm test)\\b",
      workingDir,
    }))
    expect(verdict(both, "cd a && npm test", "packages")).toBe("approve")
  })

  it("the very line may be allowed", () => {
    expect(verdict(["^cd evil && npm test$"], "cd evil && npm test")).toBe("approve")
  })
})

describe("remember", () => {
  it("stores the folder of a call that works elsewhere", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(shellTool, { command: "npm test", working_dir: "packages/a" })).toBe(true)
    const kept = filters.remembered()
    expect(kept).toEqual({
      shell: {
        allow: [
          {
            call: '{"command":"npm test","working_dir":"packages/a"}',
            workingDir: join(cwd, "packages/a"),
          },
        ],
      },
    })
    for (const each of [filters, ToolFilters.compile(kept, { cwd })]) {
      const evaluate = (working_dir?: string) =>
        each.evaluate(shellTool, { command: "npm test", working_dir })
      expect(evaluate("packages/a")).toBe("approve")
      expect(evaluate()).toBeUndefined()
      expect(evaluate("evil")).toBeUndefined()
    }
  })

  it("of a call in the executor's folder holds nowhere else", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(shellTool, { command: "npm test", working_dir: "." })).toBe(true)
    expect(filters.remembered()).toEqual({
      shell: { allow: [{ call: '{"command":"npm test","working_dir":"."}', workingDir: cwd }] },
    })
    expect(filters.evaluate(shellTool, { command: "npm test", working_dir: "." })).toBe("approve")
    expect(filters.evaluate(shellTool, { command: "npm test", working_dir: "evil" })).toBeUndefined()
  })

  it("refuses a folder that can be none", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(shellTool, { command: "npm test", working_dir: "a\0" })).toBe(false)
  })
})

describe("compile", () => {
  const compile = (rules: unknown) => () => ToolFilters.compile({ shell: rules } as ToolFilterConfig)

  it.each([
    [
      { allow: [{ workingDir: "a" }] },
      "Expected every `allow` pattern of tool `shell` to be a string or `{ pattern, workingDir }`, got a value of type object",
    ],
    [
      { allow: [{ pattern: "a", workingDir: 5 }] },
      "Expected `workingDir` of the allow rule `a` of tool `shell` to be a folder, got a value of type number",
    ],
    [
      { allow: [{ pattern: "a", workingDir: "" }] },
      "Expected `workingDir` of the allow rule `a` of tool `shell` to be a folder, got an empty string",
    ],
    [
      { allow: [{ pattern: "a", working_dir: "b" }] },
      "Expected an allow rule of tool `shell` to hold only `pattern`, `workingDir` and `line`, got `working_dir`",
    ],
    [
      { deny: [{ pattern: "a", workingDir: "b" }] },
      "Expected every `deny` pattern of tool `shell` to be a string, got a value of type object",
    ],
  ])("refuses %j", (rules, message) => {
    expect(compile(rules)).toThrow(new TypeError(message))
  })
})
