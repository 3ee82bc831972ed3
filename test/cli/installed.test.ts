// @module-tag waits
/** The command as README installs it: without the packages that only some hosts need. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { builtPackage } from "../support/built-package.ts"
import { root } from "../support/root.ts"
import { runNode } from "./built-cli.ts"

let folder: string

const link = async (name: string, modules: string): Promise<void> => {
  const path = join(modules, name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, "node_modules", name), path)
}

/** `npm install stepline effect @sinclair/typebox`, and where npx puts what is not installed there. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepline-installed-"))
  const modules = join(folder, "node_modules")
  const text = await readFile(join(root, "package.json"), "utf8")
  const { dependencies } = JSON.parse(text) as { readonly dependencies: object }
  const names = [...Object.keys(dependencies), "effect", "@sinclair/typebox"]
  await Promise.all(names.map((name) => link(name, modules)))
  const [from, to] = [await builtPackage(), join(modules, "stepline")]
  await cp(join(from, "dist"), join(to, "dist"), { recursive: true })
  await cp(join(from, "package.json"), join(to, "package.json"))
  return () => rm(folder, { recursive: true, force: true })
})

const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}, input = "") =>
  runNode([join(folder, "node_modules/stepline/dist/cli.js"), ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder, ...env },
    input,
  })

const messages = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]

describe("the command after README's install", () => {
  it("starts with README's configuration of an MCP client", async () => {
    const [, printed] = /```json\n([^`]*mcpServers[^`]*)```/.exec(
      await readFile(join(root, "README.md"), "utf8"),
    )!
    const { command, args } = JSON.parse(printed!).mcpServers.stepline
    expect([command, ...args]).toEqual([
      ...["npx", "-p", "stepline", "-p", "@modelcontextprotocol/server"],
      ...["stepline", "mcp", "--cwd", "/home/me/project"],
    ])
    const modules = join(folder, ".npm/_npx/0123456789abcdef/node_modules")
    await link("@modelcontextprotocol/server", modules)
    const PATH = [join(modules, ".bin"), process.env.PATH].join(delimiter)
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")
    const { status, stdout, stderr } = await run(["mcp", "--cwd", folder], { PATH }, input)
    expect([status, stderr]).toEqual([0, ""])
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { id: 1, result: { serverInfo: { name: "stepline" } } },
      { id: 2, result: { tools: expect.arrayContaining([expect.objectContaining({ name: "shell" })]) } },
    ])
  })

  it.each([
    [["mcp"], ""],
    [["mcp", "--http", "0"], "--http 0: "],
  ])("says in one sentence what %j needs", async (args, where) => {
    // Whatever PATH holds of a project is left alone.
    const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter)
    expect(await run(args, { PATH })).toEqual({
      status: 2,
      stdout: "",
      stderr: `stepline: ${where}The package @modelcontextprotocol/server is not installed. Install it: npm install @modelcontextprotocol/server@2\n`,
    })
  })
})
