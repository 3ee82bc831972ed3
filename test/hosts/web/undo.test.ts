// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { editFileTool } from "../../../src/impls/index.ts"
import { noIde } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { describeWith } from "../../support/needs.ts"
import { openCall, panel } from "./calls-page.ts"
import { card, inbox, settled } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"

const path = useTempFolder()

describeWith("chromium")("taking a call back on the page", () => {
  const pages = usePages()

  const edited = async () => {
    const file = path("sum.mjs")
    await writeFile(file, "a - b\n")
    const { executor, web } = await served([editFileTool], { cwd: path("."), delegates: noIde })
    const edits = [{ old_string: "a - b", new_string: "a + b" }]
    const call = { name: "edit_file", params: { path: "sum.mjs", edits }, decision: "approve" } as const
    expect((await executor.run(call)).status).toBe("complete")
    const page = await pages.open(web.url)
    await openCall(page, "edit_file")
    await panel(page).getByText(`${file} (changed)`).waitFor()
    return { file, executor, page, undo: panel(page).getByRole("button", { name: "Undo…" }) }
  }

  it("shows what would be taken back, and does it when that is applied", async () => {
    const { file, executor, page, undo } = await edited()
    await undo.click()
    await panel(page).getByText("Its preview is in the inbox.").waitFor()
    const preview = card(page, "Preview: Take back")
    await preview.getByText("+a - b").waitFor()
    expect(await readFile(file, "utf8")).toBe("a + b\n")
    await settled(page)
    await preview.getByRole("button", { name: "Apply" }).click()
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    // The open call tells of it by itself.
    await panel(page).getByText("Taken back by").waitFor()
    expect(await undo.count()).toBe(0)
    expect(await readFile(file, "utf8")).toBe("a - b\n")
    expect(executor.changes()[0]?.undoneBy).toBeDefined()
  })

  it("says why nothing can be taken back", async () => {
    const { file, page, undo } = await edited()
    await writeFile(file, "somebody else's\n")
    await undo.click()
    await panel(page)
      .getByText(/^Nothing can be taken back\./)
      .waitFor()
    expect(await readFile(file, "utf8")).toBe("somebody else's\n")
  })
})
