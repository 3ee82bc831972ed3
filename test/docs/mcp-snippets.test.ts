// @module-tag waits
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { runNode, useCli } from "../cli/built-cli.ts"
import { root } from "../support/root.ts"

const cli = useCli()

// Inside the package, so that it can import itself by name.
const folder = join(root, ".mcp-page")

const blockOf = (page: string, language: string): string =>
  readFileSync(join(root, "docs/hosts", page), "utf8")
    .split(`\`\`\`${language}\n`)[1]!
    .split("```")[0]!

describe("the configuration for MCP", () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("starts the server of the client's configuration as it stands", async () => {
    const { command, args } = JSON.parse(blockOf("mcp-server.md", "json")).mcpServers.stepline
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
    writeFileSync(join(folder, "config.toml"), blockOf("mcp-client.md", "toml"))
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
