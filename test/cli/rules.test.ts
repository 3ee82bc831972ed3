import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { loadFilters, type RuleOptions } from "../../src/cli/rules.ts"
import { allTools } from "../../src/impls/index.ts"
import { ToolRegistry } from "../../src/index.ts"

const registry = new ToolRegistry(allTools())
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepline-rules-"))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const decide = async (options: RuleOptions, command: string) =>
  (await loadFilters(options, registry, { cwd: folder })).filters.evaluate(registry.get("shell")!, {
    command,
  })

const configFile = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

describe("rules", () => {
  test("of the command line allow and deny", async () => {
    const options = { allow: ["shell=^(ls|cat)\\b"], deny: ["shell=secret"] }
    expect(await decide(options, "ls")).toBe("approve")
    expect(await decide(options, "cat secret")).toBe("deny")
    expect(await decide(options, "make")).toBeUndefined()
  })

  test.each([
    ["rules.toml", "[tools.shell]\nallow = ['^ls\\b']\ndeny = ['secret']\n"],
    ["rules.json", '{"tools": {"shell": {"allow": ["^ls\\\\b"], "deny": ["secret"]}}}'],
  ])("of %s hold together with those of the command line", async (name, content) => {
    const options = { config: await configFile(name, content), allow: ["shell=^make$"] }
    expect(await decide(options, "ls")).toBe("approve")
    expect(await decide(options, "make")).toBe("approve")
    expect(await decide(options, "ls secret")).toBe("deny")
  })

  test.each([
    ["rules.toml", "[tools.shell]\nallow = ['^ls$', { pattern = '^npm test$', workingDir = 'a/**' }]\n"],
    ["rules.json", '{"tools": {"shell": {"allow": [{"pattern": "^npm test$", "workingDir": "a/**"}]}}}'],
  ])("of %s may name a folder", async (name, content) => {
    const { filters } = await loadFilters({ config: await configFile(name, content) }, registry, {
      cwd: folder,
    })
    const explain = (working_dir?: string) =>
      filters.explain(registry.get("shell")!, { command: "npm test", working_dir })
    expect(explain("a")).toMatchObject({ verdict: "approve", source: join(folder, name) })
    expect(explain().verdict).toBe("ask")
  })

  test("a regex may hold an equals sign", async () => {
    expect(await decide({ allow: ["shell=^echo a=b$"] }, "echo a=b")).toBe("approve")
  })
})

describe("a mistake", () => {
  test.each([
    ["shell", "--allow shell: expected TOOL=REGEX, such as shell=^ls\\b"],
    ["=x", "--allow =x: expected TOOL=REGEX, such as shell=^ls\\b"],
    ["shel=x", "--allow shel=x: there is no tool `shel`. Tools: read_file,"],
    ["shell=(", "The allow pattern `(` of tool `shell` does not compile:"],
  ])("--allow %s is told", async (allow, message) => {
    await expect(decide({ allow: [allow] }, "ls")).rejects.toThrow(message)
  })

  test.each([
    ["x.yaml", "", "expected a name that ends in .toml or .json"],
    ["x.json", "{", "x.json: "],
    ["x.json", '{"mcp": []}', "x.json: expected `mcp` to hold `command` or `url` by the name of a server"],
    ["x.json", "[]", "x.json: expected an object with the keys `tools`, `mcp` and `limits`"],
    ["x.json", '{"tool": {}}', "x.json: expected only the keys `tools`, `mcp` and `limits`, got `tool`"],
    ["x.json", '{"limits": {}}', "x.json: expected `limits` to be a list of tables, `[[limits]]`"],
    ["x.json", '{"tools": []}', "x.json: expected `tools` to hold `allow` and `deny` by tool name"],
    ["x.toml", "[tools.shel]", "x.toml: there is no tool `shel`"],
    ["x.toml", "[tools.shell]\nalow = []", "only `allow` and `deny`, got `alow`"],
    ["x.toml", "[tools.shell]\nallow = 'x'", "Expected `allow` of tool `shell` to be an array of patterns"],
    ["x.toml", "[tools.shell]\ndeny = ['(']", "The deny pattern `(` of tool `shell` does not compile"],
    ["x.toml", "tools = [", "x.toml: "],
  ])("in %s (%s) names the file and the key", async (name, content, message) => {
    const config = await configFile(name, content)
    const loading = decide({ config }, "ls")
    await expect(loading).rejects.toThrow(message)
    await expect(loading).rejects.toThrow(config)
  })

  test("a file that is not there is told", async () => {
    await expect(decide({ config: join(folder, "no.toml") }, "ls")).rejects.toThrow(
      "no.toml: there is no such file",
    )
  })
})
