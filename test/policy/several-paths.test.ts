import { describe, expect, it } from "vitest"
import { ToolFilters, type ToolRuleConfig } from "../../src/policy/index.ts"

const copy = {
  name: "copy",
  primaryKind: "text",
  paths: (params: unknown) => (params as { paths: ReadonlyArray<string> }).paths,
} as const

const decide = (rules: ToolRuleConfig, paths: unknown) =>
  ToolFilters.compile({ copy: rules }, { cwd: "/p" }).evaluate(copy, { paths })

describe("a tool that names several paths", () => {
  it("is denied if one of them is", () => {
    expect(decide({ allow: [".*"], deny: ["^secret/"] }, ["a", "b/../secret/k"])).toBe("deny")
  })

  it("is approved only if all of them are", () => {
    expect(decide({ allow: ["^src/"] }, ["src/a", "src/b"])).toBe("approve")
    expect(decide({ allow: ["^src/"] }, ["src/a", "src/../b"])).toBeUndefined()
  })

  it("is matched as an empty text without one", () => {
    expect(decide({ allow: ["^$"] }, [])).toBe("approve")
  })

  it.each([[undefined], ["secret/k"], [{ 0: "secret/k" }], [["a", 5, "secret/k"]], [["a", ["secret/k"]]]])(
    "is not approved where they cannot be told, and still denied: %j",
    (paths) => {
      expect(decide({ allow: [".*"] }, paths)).toBeUndefined()
      if (paths !== undefined) expect(decide({ deny: ["^secret/"] }, paths)).toBe("deny")
    },
  )

  it("is remembered with all of them", () => {
    const filters = ToolFilters.empty({ cwd: "/p" })
    expect(filters.remember(copy, { paths: ["a", "b"] })).toBe(true)
    expect(filters.evaluate(copy, { paths: ["a", "b"] })).toBe("approve")
    expect(filters.evaluate(copy, { paths: ["b", "a"] })).toBeUndefined()
  })
})

it("a primary parameter that is no text is searched for what is denied", () => {
  const read = { name: "read", primaryParam: "path", primaryKind: "path" } as const
  const filters = ToolFilters.compile({ read: { allow: [".*"], deny: ["secret"] } })
  expect(filters.evaluate(read, { path: ["a", { b: "secret" }] })).toBe("deny")
  expect(filters.evaluate(read, { path: ["a"] })).toBeUndefined()
})

describe("relative paths start", () => {
  const read = { name: "read", primaryParam: "path", primaryKind: "path" } as const
  const config = { read: { allow: ["^src/"], deny: ["^secret/"] } }

  it("at the folder of the executor, for filters that name none", () => {
    const filters = ToolFilters.compile(config).at("/proj")
    expect(filters.evaluate(read, { path: "/proj/secret/x" })).toBe("deny")
    expect(filters.evaluate(read, { path: "src/x" })).toBe("approve")
  })

  it("there too for filters that do, which rules are relative to", () => {
    const filters = ToolFilters.compile(config, { cwd: "/proj" }).at("/proj/src")
    expect(filters.evaluate(read, { path: "../secret/x" })).toBe("deny")
    expect(filters.evaluate(read, { path: "secret/x" })).toBe("approve")
  })

  it("for what is remembered by the filters of any folder", () => {
    const filters = ToolFilters.empty()
    expect(filters.at("/a").remember(read, { path: "x" })).toBe(true)
    expect(filters.at("/a").evaluate(read, { path: "x" })).toBe("approve")
    expect(filters.at("/").evaluate(read, { path: "a/x" })).toBeUndefined()
    expect(filters.at("/b").evaluate(read, { path: "x" })).toBeUndefined()
    expect(filters.remembered()).toEqual({
      read: { allow: [{ call: '{"path":"x"}', workingDir: "/a" }] },
    })
  })
})
