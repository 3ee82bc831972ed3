// @module-tag waits
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { checkout } from "../../cli/built-cli.ts"
import { compileScript } from "../../support/run-script.ts"
import { Agent } from "./editor.ts"

it("the agent of docs/hosts/acp.md runs as it stands", async () => {
  const page = await readFile(join(checkout, "docs/hosts/acp.md"), "utf8")
  const code = /```ts\n(.*?)```/s.exec(page)![1]!
  // Inside the package, so that it can import itself by name.
  const folder = await mkdtemp(join(checkout, ".readme-acp-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, "agent.ts")
  await writeFile(path, code)
  const command = [process.execPath, await compileScript(path)]
  await using agent = await Agent.start(command, { cwd: folder, capabilities: { terminal: true } })
  const editor = await agent.open(folder)
  expect(await editor.prompt("hello")).toBe("end_turn")
  expect(editor.asked[0]!.toolCall.title).toBe("Shell: echo hello")
  expect(editor.terminals[0]!.output).toBe("hello\n")
  const statuses = editor.updates.flatMap((update) => ("status" in update ? [update.status] : []))
  expect(statuses.at(-1)).toBe("completed")
})
