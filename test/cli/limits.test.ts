// @module-tag waits
import { writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { useTempFolder } from "../io/temp-folder.ts"
import { runNode, useCli } from "./built-cli.ts"

const cli = useCli()
const path = useTempFolder()

const script = ["a", "b", "c"]
  .map((text) => JSON.stringify({ callId: text, name: "shell", params: { command: `echo ${text}` } }))
  .join("\n")

const run = (...options: ReadonlyArray<string>) =>
  runNode([cli.path, "run", "--yes", "--json", "--no-discovery", ...options, "-"], {
    cwd: path(),
    input: script,
  })

/** Ends and their contents. */
const endsOf = (stdout: string): ReadonlyArray<string> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly _tag: string; readonly content: string })
    .filter(({ _tag }) => _tag === "Completed" || _tag === "Error")
    .map(({ _tag, content }) => `${_tag}: ${content}`)

const usedUp = "Error: Limit reached: at most 2 of one agent for shell. Do not call it again."

describe("limits of the command", () => {
  it("of `--limit` and of the file of `--config` hold together", async () => {
    const { stdout, status } = await run("--limit", "shell=4 at once, 2 per agent, wait 1 minute")
    expect(endsOf(stdout)).toEqual(["Completed: a\n", "Completed: b\n", usedUp])
    expect(status).toBe(1)
    const config = path("config.toml")
    await writeFile(
      config,
      '[[limits]]\ntools = ["shell"]\nperAgent = 2\nrate = { max = 9, per = "1 minute" }\n',
    )
    const both = await run("--config", config, "--limit", "sh*=1 per agent")
    expect(endsOf(both.stdout)).toEqual([
      "Completed: a\n",
      "Error: Limit reached: at most 1 of one agent for sh*. Do not call it again.",
      "Error: Limit reached: at most 1 of one agent for sh*. Do not call it again.",
    ])
  })

  it.each([
    ["shell", "--limit shell: expected TOOLS=WHAT"],
    ["shell=many", "--limit shell=many: expected TOOLS=WHAT"],
    ["=2 at once", "--limit =2 at once: expected TOOLS=WHAT"],
    ["shell=0 at once", "Expected `limits[0].concurrency` to be a positive integer, got `0`"],
    ["shel=2 at once", "`limits` is for the unknown tool `shel`. Did you mean `shell`?"],
  ])("%s is refused, and nothing runs", async (limit, message) => {
    const { stdout, stderr, status } = await run("--limit", limit)
    expect({ stdout, status }).toEqual({ stdout: "", status: 2 })
    expect(stderr).toContain(message)
  })
})
