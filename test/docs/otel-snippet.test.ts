// @module-tag waits
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root, runScript } from "../support/run-script.ts"

it("the snippet about OpenTelemetry in docs/hosts.md runs as it stands", async () => {
  const section = readFileSync(join(root, "docs/hosts.md"), "utf8").split("\n## OpenTelemetry\n")[1]!
  const [, code] = /```ts\n(.*?)```/s.exec(section)!
  // Inside the package, so that it can import itself by name.
  const folder = mkdtempSync(join(root, ".otel-"))
  try {
    writeFileSync(join(folder, "snippet.ts"), code!)
    const { stdout } = await runScript(join(folder, "snippet.ts"))
    expect(stdout).toBe("wait approval\nhandler Upload\nexecute_tool publish\nturn\n")
  } finally {
    rmSync(folder, { recursive: true })
  }
})
