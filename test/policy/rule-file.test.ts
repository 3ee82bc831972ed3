// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, stat, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { compileScript } from "../support/run-script.ts"

const path = useTempFolder()

const shell = {
  name: "shell",
  primaryParam: "command",
  primaryKind: "command",
  workingDirParam: "dir",
} as const
const search = { name: "search", primaryParam: "query", primaryKind: "text" } as const

const remembering = (...commands: ReadonlyArray<string>) => {
  const filters = ToolFilters.empty({ cwd: path() })
  for (const command of commands) filters.remember(shell, { command })
  return filters
}

describe("save", () => {
  it("keeps what was remembered, for load", async () => {
    const filters = remembering("npm test", "cat <<'E'\n\"x\" \\\t\x7fü\nE".replace("\x7f", ""))
    filters.remember(shell, { command: "ls", dir: "a" })
    filters.remember(search, { query: "\x7f '''\"\"\" \u0001" })
    await filters.save(path("deep/rules.toml"))
    const loaded = await ToolFilters.load(path("deep/rules.toml"), { cwd: path() })
    for (const [tool, params] of [
      [shell, { command: "npm test" }],
      [shell, { command: "cat <<'E'\n\"x\" \\\tü\nE" }],
      [shell, { command: "ls", dir: "a" }],
      [search, { query: "\x7f '''\"\"\" \u0001" }],
    ] as const) {
      expect(loaded.explain(tool, params)).toMatchObject({
        verdict: "approve",
        source: path("deep/rules.toml"),
      })
    }
    expect(loaded.evaluate(shell, { command: "ls" })).toBeUndefined()
    expect(loaded.remembered()).toEqual({})
    expect((await stat(path("deep/rules.toml"))).mode & 0o777).toBe(0o600)
  })

  it("adds each rule once, below what stands in the file", async () => {
    await writeFile(path("rules.toml"), "# By hand\n[tools.shell]\ndeny = ['rm']")
    const filters = remembering("npm test")
    await filters.save(path("rules.toml"))
    await filters.save(path("rules.toml"))
    await remembering("npm test", "ls").save(path("rules.toml"))
    expect(await readFile(path("rules.toml"), "utf8")).toBe(
      `# By hand\n[tools.shell]\ndeny = ['rm']\n${["npm test", "ls"]
        .map((command) => {
          const call = JSON.stringify(JSON.stringify({ command }))
          return `[[tools.shell.allow]]\nworkingDir = ${JSON.stringify(path())}\ncall = ${call}\n`
        })
        .join("\n")}`,
    )
    const loaded = await ToolFilters.load(path("rules.toml"), { cwd: path() })
    expect(loaded.evaluate(shell, { command: "rm x" })).toBe("deny")
    expect(loaded.evaluate(shell, { command: "ls" })).toBe("approve")
  })

  it("leaves a file alone that it cannot add to, and says what to do", async () => {
    for (const [content, message] of [
      [
        "[tools.shell]\nallow = ['^ls$']\n",
        "rules cannot be added below `allow = […]`. Write each of its rules as `[[tools.NAME.allow]]` with a `pattern`.",
      ],
      ["tools = [", "Invalid TOML document"],
      ["[tool.shell]\n", "expected only the key `tools`, got `tool`"],
      ["[tools.shell]\ndeny = ['(']\n", "The deny pattern `(` of tool `shell` does not compile"],
    ] as const) {
      await writeFile(path("rules.toml"), content)
      await expect(remembering("make").save(path("rules.toml"))).rejects.toThrow(
        `${path("rules.toml")}: ${message}`,
      )
      expect(await readFile(path("rules.toml"), "utf8")).toBe(content)
    }
  })

  it("writes nothing where nothing was remembered", async () => {
    await remembering().save(path("rules.toml"))
    await expect(stat(path("rules.toml"))).rejects.toThrow("ENOENT")
    expect((await ToolFilters.load(path("rules.toml"))).evaluate(shell, { command: "ls" })).toBeUndefined()
  })

  const saving = async () => [await compileScript("test/policy/save-rules.ts"), path("rules.toml")]

  it("of a process that is killed leaves a whole file, with all that it had saved", async () => {
    const child = spawn(process.execPath, [...(await saving()), "a", "100000"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (saved) => {
      text += saved
      if (text.split("\n").length > 20) child.kill("SIGKILL")
    })
    await once(child, "close")
    const loaded = await ToolFilters.load(path("rules.toml"))
    const saved = text.split("\n").slice(0, -1)
    expect(saved.length).toBeGreaterThanOrEqual(20)
    for (const index of saved) expect(loaded.evaluate(search, { query: `a ${index}` })).toBe("approve")
  })

  it("of several processes at once loses none of their rules", async () => {
    const args = await saving()
    const ends = ["a", "b", "c"].map(async (name) => {
      const [code] = await once(
        spawn(process.execPath, [...args, name, "40"], { stdio: ["ignore", "ignore", "inherit"] }),
        "exit",
      )
      return code
    })
    expect(await Promise.all(ends)).toEqual([0, 0, 0])
    const loaded = await ToolFilters.load(path("rules.toml"))
    for (const name of ["a", "b", "c"]) {
      for (let index = 0; index < 40; index += 1) {
        expect(loaded.evaluate(search, { query: `${name} ${index}` })).toBe("approve")
      }
    }
  })
})
