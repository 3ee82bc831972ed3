// @module-tag waits
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { recordedChanges } from "../../src/handlers/index.ts"
import { editFileTool } from "../../src/impls/index.ts"
import { noIde, ToolRegistry } from "../../src/index.ts"
import { describeStores } from "./stores.ts"

describeStores("Undo", (_path, store) => {
  it("takes back what the process before has changed, and a preview of that one is made anew", async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-undo-")))
    onTestFinished(() => rm(cwd, { recursive: true, force: true }))
    const open = async () => {
      const registry = new ToolRegistry([editFileTool])
      const durable = await openDurableExecutor({ store: store(), registry, cwd, delegates: noIde })
      onTestFinished(() => durable.close())
      return durable
    }
    await writeFile(join(cwd, "a"), "one\n")
    const first = await open()
    const params = { path: "a", edits: [{ old_string: "one", new_string: "two" }] }
    await first.executor.run({ callId: "edit", name: "edit_file", params, decision: "approve" })
    expect((await first.executor.agent().undo({ callId: "edit" })).status).toBe("complete")
    await first.close()
    const { executor } = await open()
    executor.restoreChanges(await recordedChanges({ cwd }))
    const agent = executor.agent()
    expect(await agent.resolve({ action: "apply", reason: "" })).toMatchObject({
      status: "error",
      content: expect.stringContaining(
        "This preview was made by another process. Discard it, and undo again.",
      ),
    })
    expect((await agent.resolve({ action: "discard", reason: "" })).status).toBe("complete")
    await agent.undo({ callId: "edit" })
    expect((await agent.resolve({ action: "apply", reason: "" })).status).toBe("complete")
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("one\n")
  })
})
