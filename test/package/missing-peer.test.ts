// @module-tag waits
/** A project that has installed the package, and none of its optional peers. */
import { execFile } from "node:child_process"
import { mkdir, readFile, symlink, unlink, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished, vi } from "vitest"
import { runNode } from "../cli/built-cli.ts"
import { root } from "../support/root.ts"
import { makeConsumer } from "./consumer.ts"

// A compiler takes a minute where others have the cores.
vi.setConfig({ testTimeout: 600_000 })

const otel = "@opentelemetry/api"

it.each([
  ["mcp", "@modelcontextprotocol/server"],
  ["acp", "@agentclientprotocol/sdk"],
])("`stepline %s` says what to install", async (command, peer) => {
  const consumer = await makeConsumer({ runs: true })
  onTestFinished(() => consumer.remove())
  const cli = join(consumer.folder, "node_modules/stepline/dist/cli.js")
  // What PATH holds of a project is left alone.
  const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) }
  expect(await runNode([cli, command], { cwd: consumer.folder, env })).toEqual({
    status: 2,
    stdout: "",
    stderr: `stepline: The package ${peer} is not installed. Install it: npm install ${peer}@2\n`,
  })
})

it("a command without a peer that all of them need says what to install", async () => {
  const consumer = await makeConsumer({ runs: true })
  onTestFinished(() => consumer.remove())
  await unlink(join(consumer.folder, "node_modules/effect"))
  const cli = join(consumer.folder, "node_modules/stepline/dist/cli.js")
  expect(await runNode([cli, "tools"], { cwd: consumer.folder })).toEqual({
    status: 2,
    stdout: "",
    stderr: "stepline: The package effect is not installed. Install it: npm install effect@4\n",
  })
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

it("starts with README's configuration of an MCP client, where npx puts the peer elsewhere", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8")
  const [, printed] = /```json\n([^`]*mcpServers[^`]*)```/.exec(readme)!
  const { command, args } = JSON.parse(printed!).mcpServers.stepline
  expect([command, ...args]).toEqual([
    ...["npx", "-p", "stepline", "-p", "@modelcontextprotocol/server"],
    ...["stepline", "mcp", "--cwd", "/home/me/project"],
  ])
  const consumer = await makeConsumer({ runs: true })
  onTestFinished(() => consumer.remove())
  const { folder } = consumer
  const modules = join(folder, ".npm/_npx/0123456789abcdef/node_modules")
  const peer = "@modelcontextprotocol/server"
  await mkdir(dirname(join(modules, peer)), { recursive: true })
  await symlink(join(root, "node_modules", peer), join(modules, peer))
  const { status, stdout, stderr } = await runNode(
    [join(folder, "node_modules/stepline/dist/cli.js"), "mcp", "--cwd", folder],
    {
      cwd: folder,
      env: { ...process.env, PATH: [join(modules, ".bin"), process.env.PATH].join(delimiter) },
      input: messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    },
  )
  expect([status, stderr]).toEqual([0, ""])
  const lines = stdout.trim().split("\n")
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { id: 1, result: { serverInfo: { name: "stepline" } } },
    { id: 2, result: { tools: expect.arrayContaining([expect.objectContaining({ name: "shell" })]) } },
  ])
})

it("a tracer of OpenTelemetry says what to install", async () => {
  const consumer = await makeConsumer({ runs: true })
  onTestFinished(() => consumer.remove())
  const main = join(consumer.folder, "main.js")
  await writeFile(
    main,
    `import { otelTracer } from "stepline/otel"
    try { otelTracer() } catch (error) { console.log(error.message) }`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  expect(stdout).toBe(`The package ${otel} is not installed. Install it: npm install ${otel}@1\n`)
})
