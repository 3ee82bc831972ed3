/** Rules for all tools whose names fit a pattern, and for tools by further names. */
import { describe, expect, it, vi } from "vitest"
import { pipeline, ToolExecutor, ToolFilters, ToolRegistry } from "../../src/index.ts"
import { importClaudeSettings } from "../../src/policy/index.ts"
import { toolOf } from "../support/executor-of.ts"

const tool = (name: string, ...ruleNames: ReadonlyArray<string>) =>
  ({ name, primaryParam: "text", primaryKind: "text", ruleNames }) as const
const decide = (filters: ToolFilters, of: ReturnType<typeof tool>, text = "x") =>
  filters.evaluate(of, { text }) ?? "ask"

describe("a rule with `*` in the name of its tool", () => {
  it("holds for each tool whose name fits, beside the rules of that tool", () => {
    const filters = ToolFilters.compile({
      "web_*": { allow: ["^ok"], deny: ["secret"] },
      web_search: { allow: ["^fine"] },
    })
    expect(decide(filters, tool("web_fetch"), "ok")).toBe("approve")
    expect(decide(filters, tool("web_fetch"), "fine")).toBe("ask")
    expect(decide(filters, tool("web_search"), "fine")).toBe("approve")
    expect(decide(filters, tool("web_search"), "fine secret")).toBe("deny")
    expect(decide(filters, tool("my_web_fetch"), "ok")).toBe("ask")
    filters.add({ "*_fetch": { deny: ["."] } })
    expect(decide(filters, tool("web_fetch"), "ok")).toBe("deny")
    expect(decide(filters, tool("web_search"), "ok")).toBe("approve")
  })

  it("denies what a tool finds, and what is remembered of one tool is no other's", () => {
    const filters = ToolFilters.compile({ "read_*": { deny: ["\\.env$"] }, "x*": { deny: ["never"] } })
    expect(filters.deniesPath("read_file", "/a/.env")).toBe(true)
    expect(filters.deniesPath("grep", "/a/.env")).toBe(false)
    expect(filters.remember(tool("xa"), { text: "x" }, "tool")).toBe(true)
    expect(decide(filters, tool("xa"))).toBe("approve")
    expect(decide(filters, tool("xb"))).toBe("ask")
    expect(filters.remember(tool("xb"), { text: "never" })).toBe(false)
  })

  it("for no tool at all is refused, or told of where it has a source", () => {
    const registry = new ToolRegistry([toolOf("drop", pipeline(), { ruleNames: ["mcp__db__drop"] })])
    const make = (filters: ToolFilters) => new ToolExecutor(registry, { filters })
    expect(() => make(ToolFilters.compile({ "nope_*": { deny: ["."] } }))).toThrow(TypeError)
    expect(() => make(ToolFilters.compile({ "mcp__db__*": { deny: ["."] } }))).not.toThrow()
    const onUnknownTool = vi.fn()
    make(ToolFilters.compile({ "mcp__x__*": { deny: ["."] } }, { source: "rules.toml", onUnknownTool }))
    expect(onUnknownTool).toHaveBeenCalledWith("rules.toml: there is no tool `mcp__x__*` here to deny.")
  })
})

it("imported denials of a server hold for all of its tools, by whatever names they have here", () => {
  const { rules } = importClaudeSettings(
    JSON.stringify({ permissions: { deny: ["mcp__github", "mcp__db__drop", "mcp__fs__get_*"] } }),
  )
  const filters = ToolFilters.compile(rules)
  expect(decide(filters, tool("get_issue", "mcp__github__get_issue"))).toBe("deny")
  expect(decide(filters, tool("github_search_2", "mcp__github__search"))).toBe("deny")
  expect(decide(filters, tool("get_issue", "mcp__gitlab__get_issue"))).toBe("ask")
  expect(decide(filters, tool("drop", "mcp__db__drop"))).toBe("deny")
  expect(decide(filters, tool("drop", "mcp__other__drop"))).toBe("ask")
  expect(decide(filters, tool("x", "mcp__fs__get_x"))).toBe("deny")
  expect(decide(filters, tool("x", "mcp__fs__put_x"))).toBe("ask")
})
