// @module-tag waits
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { runNode, useCli } from "../cli/built-cli.ts"
import { root, runScript } from "../support/run-script.ts"

const cli = useCli()

// Inside the package, so that it can import itself by name.
const folder = join(root, ".mcp-page")

const [, section = ""] = readFileSync(join(root, "docs/hosts.md"), "utf8").split(
  "\n## Model Context Protocol\n",
)
const [own = ""] = section.split(/\n(?=## )/)
const snippets = [...own.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)

/** What each snippet prints, in order. */
const prints = [
  'May the tool Shell (shell) run?\nThe user edited the parameters before this ran: {"command":"echo hello"}\nhello\n',
  "Echo: hello\ndenied\n",
]

describe("docs/hosts.md, of MCP", () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("has an expectation for every snippet", () => {
    expect(snippets).toHaveLength(prints.length)
  })

  prints.forEach((expected, index) => {
    it(`runs snippet ${index + 1} as it stands`, async () => {
      const path = join(folder, `snippet-${index + 1}.ts`)
      writeFileSync(path, snippets[index]!)
      expect(await runScript(path)).toEqual({ stdout: expected, stderr: "" })
    })
  })

  it("starts the server of the client's configuration as it stands", async () => {
    const [, json] = /```json\n(.*?)```/s.exec(own)!
    const { command, args } = JSON.parse(json!).mcpServers.stepline
    const packages = ["-p", "stepline", "-p", "@modelcontextprotocol/server"]
    expect([command, ...args.slice(0, -1)]).toEqual(["npx", ...packages, "stepline", "mcp", "--cwd"])
    const client = new Client({ name: "a client", version: "1.0.0" })
    onTestFinished(() => client.close())
    // The command as it is here, in a folder that is there.
    const here = [cli.path, ...args.slice(packages.length + 1, -1), folder]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: here, stderr: "ignore" }),
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_file")
  })

  it("connects to the server of the command's configuration, whose rules hold", async () => {
    const [, toml] = /```toml\n(.*?)```/s.exec(own)!
    writeFileSync(join(folder, "config.toml"), toml!)
    writeFileSync(join(folder, ".env"), "SECRET=1")
    const move = (source: string) =>
      runNode(
        [cli.path, "--no-discovery", "--yes", "--config", "config.toml", "move_file"].concat(
          JSON.stringify({ source, destination: "moved" }),
        ),
        { cwd: folder },
      )
    expect(await move(".env")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("Denied by policy"),
    })
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("SECRET=1")
    writeFileSync(join(folder, "a.txt"), "a")
    expect(await move("a.txt")).toMatchObject({ status: 0 })
    expect(readFileSync(join(folder, "moved"), "utf8")).toBe("a")
  })
})
