import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FilterDecision, ToolFilters } from "../../src/policy/index.ts"

const readFile = { name: "read_file", primaryParam: "path", primaryKind: "path" } as const

let root: string
let cwd: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "policy-")))
  cwd = join(root, "project")
  mkdirSync(join(cwd, "src"), { recursive: true })
  mkdirSync(join(root, "outside", "deep"), { recursive: true })
  writeFileSync(join(cwd, ".env"), "")
  writeFileSync(join(cwd, "src", "a.ts"), "")
  writeFileSync(join(root, "outside", "b.ts"), "")
  symlinkSync(join(cwd, ".env"), join(cwd, "src", "innocent.ts"))
  symlinkSync(join(root, "outside"), join(cwd, "src", "linked"))
  symlinkSync(join(root, "outside", "deep"), join(cwd, "deep"))
  symlinkSync(join(root, "outside", ".env"), join(cwd, "src", "dangling.ts"))
  symlinkSync("loop.ts", join(cwd, "src", "loop.ts"))
  symlinkSync(cwd, join(root, "alias"))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const decide = (allow: Array<string>, deny: Array<string>, path: string, from = cwd): FilterDecision =>
  ToolFilters.compile({ read_file: { allow, deny } }, { cwd: from }).evaluate(readFile, { path })

describe("a path is denied", () => {
  it("by \\.env$, however it is spelled", () => {
    const paths = [
      ".env",
      "./.env",
      "src/../.env",
      "src/.././/.env",
      ".env/",
      ".env/.",
      "src/innocent.ts",
      "src/linked/.env",
      "src/dangling.ts",
      "missing/.env",
      "~/.env",
      "file:///x/.env",
      "FILE:///x/%2eenv",
    ]
    expect(paths.filter((path) => decide([".*"], ["\\.env$"], path) !== "deny")).toEqual([])
  })

  it("in the home folder, with any number of slashes after the tilde", () => {
    const inHome = [`^${homedir()}/\\.ssh/`]
    for (const path of ["~/.ssh/id", "~//.ssh/id", "~/.//.ssh/id"])
      expect(decide([".*"], inHome, path)).toBe("deny")
  })

  it("in its relative and in its absolute form", () => {
    expect(decide([".*"], ["^src/a"], join(cwd, "src/a.ts"))).toBe("deny")
    expect(decide([".*"], [`^${cwd}/src/a`], "src/a.ts")).toBe("deny")
    expect(decide([".*"], ["^\\.\\./"], "/etc/passwd")).toBe("deny")
  })

  it("as it is written where it can be no path", () => {
    expect(decide([".*"], ["secret"], "secret\0.ts")).toBe("deny")
  })

  it("where the system follows a link before it goes up", () => {
    // The spelling means project/b.ts; the system opens outside/b.ts.
    expect(decide([".*"], ["outside/b"], "deep/../b.ts")).toBe("deny")
  })
})

describe("a path is approved", () => {
  it("by its relative form", () => {
    expect(decide(["^src/"], [], "src/a.ts")).toBe("approve")
    expect(decide(["^src/"], [], join(cwd, "src/a.ts"))).toBe("approve")
    expect(decide(["^src/"], [], pathToFileURL(join(cwd, "src/a.ts")).href)).toBeUndefined()
  })

  it("by its absolute form", () => {
    expect(decide([`^${cwd}/`], [], "src/../src/a.ts")).toBe("approve")
  })

  it("where it does not exist yet", () => {
    expect(decide(["^src/"], ["\\.env$"], "src/new/deep/c.ts")).toBe("approve")
  })

  it("from a working directory that is a link", () => {
    expect(decide(["^src/"], ["\\.env$"], "src/a.ts", join(root, "alias"))).toBe("approve")
  })

  it("where one of the patterns holds for the spelling and another for the file", () => {
    expect(decide(["^src/linked/", "/outside/"], [], "src/linked/b.ts")).toBe("approve")
  })
})

describe("a path is asked", () => {
  it("where a rule does not hold for all that it may mean", () => {
    const rows = [
      ["^src/", "src/../.env"],
      ["^src/", "src"],
      ["^src/", "srcx/a.ts"],
      ["^src/", "src/linked/b.ts"],
      ["^src/", "src/linked/new.ts"],
      ["^src/", "src/dangling.ts"],
      ["^src/", "src/innocent.ts"],
      ["\\.ts$", "src/loop.ts"],
      ["\\.ts$", "src/a.ts\0.ts"],
      ["\\.ts$", `${"a/".repeat(3_000)}b.ts`],
      ["\\.ts$", "file://host/b.ts"],
      ["^~/", "~/b.ts"],
      ["^\\.ts$", "src/a.ts"],
    ] as const
    expect(rows.filter(([pattern, path]) => decide([pattern], [], path) !== undefined)).toEqual([])
  })
})

describe("remember", () => {
  it("approves the file in this folder, and no other", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(readFile, { path: "src/a.ts" })).toBe(true)
    expect(filters.evaluate(readFile, { path: "src/a.ts" })).toBe("approve")
    expect(filters.evaluate(readFile, { path: "src/a.tsx" })).toBeUndefined()
    const kept = ToolFilters.compile(filters.remembered(), { cwd: root })
    expect(kept.evaluate(readFile, { path: "src/a.ts" })).toBeUndefined()
    expect(kept.at(cwd).evaluate(readFile, { path: "src/a.ts" })).toBe("approve")
  })

  it("approves a link with what it leads to", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(readFile, { path: "src/linked/b.ts" })).toBe(true)
    expect(filters.evaluate(readFile, { path: "src/linked/b.ts" })).toBe("approve")
    expect(filters.evaluate(readFile, { path: "src/linked/c.ts" })).toBeUndefined()
  })

  it("reads ~ both ways", () => {
    const filters = ToolFilters.empty({ cwd })
    expect(filters.remember(readFile, { path: "~/notes.md" })).toBe(true)
    expect(filters.evaluate(readFile, { path: "~/notes.md" })).toBe("approve")
  })

  it("refuses a link to what is denied", () => {
    const filters = ToolFilters.compile({ read_file: { deny: ["\\.env$"] } }, { cwd })
    expect(filters.remember(readFile, { path: "src/innocent.ts" })).toBe(false)
    expect(filters.remembered()).toEqual({})
  })
})
