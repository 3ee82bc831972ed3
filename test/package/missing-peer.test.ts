// @module-tag waits
/** A project that has installed the package, and none of its optional peers. */
import { execFile } from "node:child_process"
import { unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished, vi } from "vitest"
import { runNode } from "../cli/built-cli.ts"
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
  expect(await runNode([cli, command], { cwd: consumer.folder })).toEqual({
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
