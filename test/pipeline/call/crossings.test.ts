// @module-tag waits
import { expect, it } from "vitest"
import { runScript } from "../../support/run-script.ts"

/** The most files of the package, and entries of their functions, that each call may cross. Lower a bound when a call crosses less. */
const bounds = {
  synchronous: { files: 31, entries: 152 },
  approved: { files: 38, entries: 279 },
  edited: { files: 41, entries: 411 },
}

it("a call can be followed: it crosses no more files and functions than it did", async () => {
  const { stdout } = await runScript("test/pipeline/call/count-crossings.ts")
  const counts = JSON.parse(stdout) as typeof bounds
  for (const [name, bound] of Object.entries(bounds)) {
    const { files, entries } = counts[name as keyof typeof bounds]
    expect.soft(files, `files of the ${name} call`).toBeLessThanOrEqual(bound.files)
    expect.soft(entries, `entries of the ${name} call`).toBeLessThanOrEqual(bound.entries)
    // An empty count would be within any bound.
    expect.soft(entries, `entries of the ${name} call`).toBeGreaterThan(bound.entries / 2)
  }
})
