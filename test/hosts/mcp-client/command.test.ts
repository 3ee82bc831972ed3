import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { runNode, useCli } from "../../cli/built-cli.ts"
import { serverFile } from "./published.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-mcp-")))
  await writeFile(join(cwd, "a.txt"), "hello\n")
  return () => rm(cwd, { recursive: true, force: true })
})

const stepline = (...args: ReadonlyArray<string>) => runNode([cli.path, ...args], { cwd })

const command = (name: Parameters<typeof serverFile>[0], ...args: ReadonlyArray<string>): string =>
  [process.execPath, serverFile(name), ...args].join(" ")

describe("--mcp", () => {
  it("lets a call use a server's tools, under the rules of the command line", async () => {
    const files = `files=${command("filesystem", ".")}`
    const params = JSON.stringify({ path: join(cwd, "a.txt") })
    const asked = await stepline("--mcp", files, "read_text_file", params)
    expect(asked).toMatchObject({ status: 3 })
    expect(asked.stdout).toContain("--allow read_text_file=REGEX")
    const allowed = await stepline("--mcp", files, "--allow", "read_text_file=^", "read_text_file", params)
    expect(allowed).toMatchObject({ status: 0, stdout: expect.stringContaining("hello") })
    // It has a name that is taken.
    const prefixed = await stepline("--mcp", files, "--yes", "files_read_file", params)
    expect(prefixed).toMatchObject({ status: 0, stdout: expect.stringContaining("hello") })
  })

  it("says what is wrong with a server that cannot be reached", async () => {
    expect(await stepline("--mcp", "gone=exit 3", "shell", "true")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^stepline: --mcp gone=exit 3: The MCP server gone cannot be reached: /m),
    })
    expect(await stepline("--mcp", "nothing", "shell", "true")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--mcp nothing: expected NAME=COMMAND"),
    })
  })
})

describe("[mcp.NAME] of a configuration", () => {
  it("names a server, its variables, and what rules match of its tools", async () => {
    const config = join(cwd, "rules.toml")
    await writeFile(
      config,
      `[mcp.all]
command = ${JSON.stringify(command("everything"))}
env = { GREETING = "from the file" }
primary.echo = { param = "message" }

[tools.echo]
allow = ["^fine$"]
deny = ["secret"]

[tools.get-env]
allow = ["^"]
`,
    )
    const run = (name: string, params: object) =>
      stepline("--config", config, "--json", name, JSON.stringify(params))
    expect(await run("echo", { message: "fine" })).toMatchObject({ status: 0 })
    expect((await run("echo", { message: "a secret" })).stdout).toContain("Denied by policy")
    expect((await run("get-env", {})).stdout).toContain("from the file")
  })

  it.each([
    ["command = 1", "expected either a `command`, a line for bash, or a `url`, http or https"],
    ['url = "file:///a"', "expected either a `command`"],
    ['command = "a"\nport = 1', "expected only command, url, env, headers, primary, got `port`"],
    ['command = "a"\nenv = { A = 1 }', "env: expected a table of strings"],
    ['command = "a"\nprimary = { echo = { kind = "path" } }', "primary: expected, by tool, the `param`"],
  ])("says what is wrong with %s", async (lines, fault) => {
    const config = join(cwd, "rules.toml")
    await writeFile(config, `[mcp.one]\n${lines}\n`)
    const { status, stderr } = await stepline("--config", config, "shell", "true")
    expect(status).toBe(2)
    expect(stderr).toContain(`${config}: [mcp.one]`)
    expect(stderr).toContain(fault)
  })
})
