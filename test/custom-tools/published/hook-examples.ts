/** Examples without tools that both packages ship, run beside pi's tools for files and for bash. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import type { ExampleRun } from "./example-run.ts"

export const fileTools = { fileTools: true }

export const permissionGateRun: ExampleRun = async (start) => {
  const alone = await start(fileTools)
  const refused = await alone.run("bash", { command: "sudo echo no" })
  expect([refused.isError, refused.content]).toEqual([
    true,
    "Dangerous command blocked (no UI for confirmation)",
  ])
  expect(await alone.text("bash", { command: "echo yes" })).toBe("yes\n")
  const asked = await start({ ...fileTools, user: { choice: "No" } })
  expect(await asked.text("bash", { command: "rm -rf gone" })).toBe("Blocked by user")
  const allowed = await start({ ...fileTools, user: { choice: "Yes" } })
  expect(await allowed.text("bash", { command: "rm -rf gone; echo yes" })).toBe("yes\n")
}

export const protectedPathsRun: ExampleRun = async (start, { cwd }) => {
  const agent = await start({ ...fileTools, user: {} })
  const refused = await agent.run("write", { path: ".env", content: "SECRET=2\n" })
  expect([refused.isError, refused.content]).toEqual([true, 'Path ".env" is protected'])
  expect(agent.record.notices).toEqual(["Blocked write to protected path: .env"])
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe("SECRET=1\n")
  expect((await agent.run("write", { path: "env", content: "" })).isError).toBe(false)
}

/** `prefix` is what its commits begin with. */
export const autoCommitRun =
  (prefix: string): ExampleRun =>
  async (start, { git }) => {
    const agent = await start({ user: {} })
    await agent.tools.emit({ reason: "shutdown" })
    const subject = `${prefix} Work in progress`
    expect(agent.record.notices).toEqual([`Auto-committed: ${subject}`])
    expect([git("log", "-1", "--format=%s"), git("status", "--short")]).toEqual([subject, ""])
  }
