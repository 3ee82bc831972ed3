// @module-tag waits
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeEach, describe, expect, it } from "vitest"
import { runNode, useCli } from "../../cli/built-cli.ts"
import { useOneProcess } from "../../cli/one-process.ts"
import { PseudoTerminal } from "../terminal/pseudo-terminal.ts"
import { serverFile } from "./published.ts"

const cli = useCli()
const runLine = useOneProcess(cli)
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-mcp-")))
  await writeFile(join(cwd, "a.txt"), "hello\n")
  return () => rm(cwd, { recursive: true, force: true })
})

const stepline = (...args: ReadonlyArray<string>) => runLine(args, { cwd })

const command = (name: Parameters<typeof serverFile>[0], ...args: ReadonlyArray<string>): string =>
  [process.execPath, serverFile(name), ...args].join(" ")

describe("--mcp", () => {
  it("lets a call use a server's tools, under the rules of the command line", async () => {
    const files = `files=${command("filesystem", ".")}`
    const params = JSON.stringify({ path: join(cwd, "a.txt") })
    const asked = await runNode([cli.path, "--mcp", files, "read_text_file", params], { cwd })
    expect(asked).toMatchObject({ status: 3 })
    expect(asked.stdout).toContain("--allow read_text_file=REGEX")
    // `read_file` is a name that is taken.
    const names = ["read_text_file", "files_read_file"]
    const calls = names.map((name) => `{"name": "${name}", "params": ${params}}`)
    await writeFile(join(cwd, "calls.jsonl"), calls.join("\n"))
    const rules = names.flatMap((name) => ["--allow", `${name}=^`])
    const allowed = await stepline("run", "calls.jsonl", "--mcp", files, ...rules)
    expect(allowed.status).toBe(0)
    expect(allowed.stdout.match(/hello/g)).toHaveLength(2)
  })

  it("asks the user of a session what a server asks", async () => {
    const server = fileURLToPath(new URL("asking-server.mjs", import.meta.url))
    const asking = `asking=${process.execPath} ${server} stdio`
    await using terminal = new PseudoTerminal([cli.path, "--mcp", asking, "--allow", "ask=^"], { cwd })
    await terminal.see(/›$/)
    terminal.enter("ask {}")
    await terminal.see(/\? The MCP server asking asks: Who is it\?\n› 1\. Answer/)
    terminal.type("\r")
    await terminal.see(/\? name\n› string\n/)
    terminal.enter("Anne")
    await terminal.see('{"action":"accept","content":{"name":"Anne"}}')
  })

  it("lists a server's tools, and shows the plan of one", async () => {
    const files = `files=${command("filesystem", ".")}`
    const listed = await stepline("tools", "--mcp", files)
    expect(listed.status).toBe(0)
    expect(listed.stdout).toMatch(/^read_text_file\n {2}.*\n {2}of the MCP server files\n {4}path /m)
    const json = await stepline("--mcp", files, "tools", "--json")
    const tools: Array<{ name: string; source?: object }> = JSON.parse(json.stdout)
    expect(tools.find(({ name }) => name === "files_read_file")?.source).toEqual({ server: "files" })
    expect(tools.find(({ name }) => name === "read_file")).not.toHaveProperty("source")
    const plan = await stepline("plan", "--mcp", files, "read_text_file", '{"path": "a.txt"}')
    expect(plan.status).toBe(0)
    expect(plan.stdout).toMatch(/^read_text_file\(.*\)\n {2}1 {2}awaitApproval/)
  })

  it("takes a line for bash: variables in front, and more than one command", async () => {
    const everything = command("everything")
    const lines = [`one=GREETING=hi ${everything}`, `two=cd . && export GREETING=hello; ${everything}`]
    await writeFile(join(cwd, "calls.jsonl"), '{"name": "get-env"}\n{"name": "two_get-env"}')
    const servers = lines.flatMap((line) => ["--mcp", line])
    const { stdout } = await stepline("run", "calls.jsonl", ...servers, "--yes", "--json")
    expect(stdout).toContain(String.raw`\"GREETING\": \"hi\"`)
    expect(stdout).toContain(String.raw`\"GREETING\": \"hello\"`)
  })

  it("says what is wrong with a server that cannot be reached", async () => {
    expect(await stepline("--mcp", "gone=exit 3", "shell", "true")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^stepline: --mcp gone=exit 3: The MCP server gone cannot be reached: /m),
    })
    expect(await stepline("--mcp", "gone=http://127.0.0.1:1/mcp", "shell", "true")).toMatchObject({
      status: 2,
      stderr:
        "stepline: --mcp gone=http://127.0.0.1:1/mcp: The MCP server gone cannot be reached: bad port\n",
    })
    expect(await stepline("--mcp", "nothing", "shell", "true")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--mcp nothing: expected NAME=COMMAND"),
    })
    expect(await stepline("tools", "--mcp", "gone=exit 3")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/^stepline: --mcp gone=exit 3: The MCP server gone cannot be reached: /m),
    })
    expect(await stepline("--mcp", "one=true", "--mcp-mode", "new", "shell", "true")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--mcp-mode: expected legacy, auto, or a revision of the protocol"),
    })
  })

  it("goes on without a server that is dead or silent, and names it", async () => {
    const servers = ["gone=exit 3", "mute=sleep 60", `all=${command("everything")}`].flatMap((server) => [
      "--mcp",
      server,
    ])
    const call = ["--yes", "echo", '{"message": "hello"}']
    const { status, stdout, stderr } = await stepline(...servers, ...call)
    expect(stdout).toContain("Echo: hello")
    expect(status).toBe(0)
    expect(stderr).toMatch(/^stepline: --mcp gone=exit 3: The MCP server gone cannot be reached: /m)
    expect(stderr).toContain(
      "stepline: --mcp mute=sleep 60: the MCP server mute is silent. Its tools can be called once it answers.\n",
    )
  })
})

describe("[mcp.NAME] of a configuration", () => {
  it("names a server, which is listed too, its variables, and what rules match of its tools", async () => {
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
    const listed = await stepline("tools", "--config", config)
    expect(listed.stdout).toMatch(/^echo\n {2}.*\n {2}of the MCP server all$/m)
    const calls = [
      { callId: "fine", name: "echo", params: { message: "fine" } },
      { callId: "secret", name: "echo", params: { message: "a secret" } },
      { callId: "env", name: "get-env" },
    ]
    await writeFile(join(cwd, "calls.jsonl"), calls.map((call) => JSON.stringify(call)).join("\n"))
    const { stdout, status } = await stepline("run", "calls.jsonl", "--config", config, "--json")
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const endOf = (id: string) => events.findLast(({ callId }) => callId === id)
    expect(endOf("fine")).toMatchObject({ _tag: "Completed" })
    expect(endOf("secret")).toMatchObject({ _tag: "Denied", content: expect.stringContaining("by policy") })
    expect(endOf("env")).toMatchObject({ content: expect.stringContaining("from the file") })
    expect(status).toBe(3)
  })

  it.each([
    ["command = 1", "expected either a `command`, a line for bash, or a `url`, http or https"],
    ['url = "file:///a"', "expected either a `command`"],
    ['command = "a"\nport = 1', "expected only command, url, env, headers, primary, mode, got `port`"],
    ['command = "a"\nmode = "old"', "mode: expected legacy, auto, or a revision of the protocol"],
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
