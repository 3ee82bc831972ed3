import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { writeFileTool } from "../../../src/impls/index.ts"
import { noIde, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { SessionTerminal } from "./session-terminal.ts"

const path = useTempFolder()

test("/changes lists what calls have changed, and /undo previews taking it back", async () => {
  const executor = new ToolExecutor(new ToolRegistry([writeFileTool]), { cwd: path(), delegates: noIde })
  await using terminal = new SessionTerminal({ executor, greeting: "ready" }, { rows: 40, columns: 120 })
  await terminal.see(/ready[\s\S]*›$/)
  terminal.enter("/changes")
  await terminal.see("Nothing was changed.")
  terminal.enter("/undo")
  await terminal.see("Nothing that the last call of agent main changed can be taken back.")
  for (const name of ["a", "b"]) {
    terminal.enter(`write_file ${name} text`)
    await terminal.see("[y]es")
    terminal.type("y")
    await terminal.see(new RegExp(`Created ${name}[\\s\\S]*›$`))
  }
  terminal.enter("/changes")
  await terminal.see(/write_file +created .*\/b\n.* write_file +created .*\/a\n/)
  terminal.enter("/undo")
  await terminal.see(/deleted {2}b\n[\s\S]*\[1 pending: Take back the last call\] ›$/)
  terminal.enter("/apply")
  await terminal.see(/1 change made\.[\s\S]*›$/)
  await expect(readFile(path("b"))).rejects.toThrow("ENOENT")
  expect(await readFile(path("a"), "utf8")).toBe("text")
  terminal.enter(`/undo ${executor.changes()[0]!.callId}`)
  await terminal.see(/deleted {2}a\n[\s\S]*\[1 pending: Take back/)
})
