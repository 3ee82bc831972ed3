// @module-tag waits
// @module-tag node
/**
 * The official suite of MCP against our client, in the scenarios that apply to it. Those of signing in (`auth/…`) do not: headers of a
 * server are given.
 */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { useTempFolder } from "../../io/temp-folder.ts"
import { compileScript } from "../../support/run-script.ts"

const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")
// The suite reads folders with a function that Node has from 22 on.
const runsSuite = Number.parseInt(process.versions.node, 10) >= 22

/** The number of checks that pass in each scenario, of the latest revision that has it. */
const scenarios = {
  initialize: 1,
  tools_call: 2,
  "elicitation-sep1034-client-defaults": 5,
  "sse-retry": 3,
  "request-metadata": 6,
  "sep-2322-client-request-state": 5,
  "http-standard-headers": 10,
  "http-custom-headers": 18,
  "http-invalid-tool-headers": 12,
  "json-schema-ref-no-deref": 1,
  "json-schema-2020-12-preservation": 9,
}

describe.runIf(runsSuite)("the conformance suite for clients", () => {
  const path = useTempFolder()

  it.each(Object.entries(scenarios))("passes in %s", async (scenario, checks) => {
    const client = await compileScript("test/hosts/mcp-client/conformance-client.ts")
    const command = `"${process.execPath}" "${client}"`
    const args = ["client", "--command", command, "--scenario", scenario, "--output-dir", path()]
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [join(dirname(suite), "dist/index.js"), ...args], (_error, stdout, stderr) =>
        resolve(`${stdout}\n${stderr}`),
      )
    })
    expect(said).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
  })
})
