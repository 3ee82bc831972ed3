// @module-tag waits
// @module-tag node
/** The official suite of MCP against a server of ours, in both revisions that it speaks. */
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compileScript } from "../../support/run-script.ts"

const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")
// The suite reads folders with a function that Node has from 22 on.
const runsSuite = Number.parseInt(process.versions.node, 10) >= 22

/** Starts the server, and gives its address. */
const start = async () => {
  const server = await compileScript("test/hosts/mcp/conformance-server.ts")
  const child = spawn(process.execPath, [server], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url !== undefined) return { child, url }
  }
  throw new Error(`The server ended with ${child.exitCode}`)
}

/** All that the suite said. Fails where it did not pass. */
const conformance = (url: string, revision: string, folder: string): Promise<string> => {
  const args = ["server", "--url", url, "--requirements", revision, "--output-dir", folder]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(dirname(suite), "dist/index.js"), ...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${stdout}\n${stderr}`))
    })
  })
}

/** The scenarios that passed with at least one check. */
const passedOf = (said: string): number => said.match(/^✓ \S+: [1-9]\d* passed, 0 failed/gm)?.length ?? 0

describe.runIf(runsSuite)("the conformance suite", () => {
  let running: Awaited<ReturnType<typeof start>>
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "stepline-conformance-"))
    running = await start()
  })

  afterAll(async () => {
    running.child.kill()
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    { revision: "2026-07-28", scenarios: 49 },
    { revision: "2025-11-25", scenarios: 32 },
  ])("passes in $scenarios scenarios of $revision", async ({ revision, scenarios }) => {
    const said = await conformance(running.url, revision, folder)
    expect(said).toMatch(/^Total: \d+ passed, 0 failed$/m)
    expect(passedOf(said)).toBe(scenarios)
  })
})
