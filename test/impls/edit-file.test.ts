// @module-tag waits
import { link, readFile, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it } from "vitest"
import { editFileTool } from "../../src/impls/index.ts"
import { textOf, textOutput } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { type Answers, drive, effectsOf } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

beforeEach(() => writeFile(path("file"), "one\ntwo\n"))

const edits = [
  { old_string: "one", new_string: "1" },
  { old_string: "two", new_string: "2" },
]
const diff = "--- file\n+++ file\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n"

const edit = async (answers: Answers = {}, params: unknown = { path: "file", edits }) => {
  const executor = executorIn(path(), [editFileTool])
  executor.enqueue([{ name: "edit_file", params }])
  const events = await drive(executor, answers)
  return { events, effects: effectsOf(events), end: events.at(-1) }
}

describe("edit_file", () => {
  it("shows the diff at the gate and answers with what was applied", async () => {
    const { events, effects, end } = await edit()
    const gate = events.find((event) => event._tag === "AwaitingApproval")
    expect(textOf(gate?.preview)).toBe(diff)
    expect(gate?.preview?.details).toEqual({ path: "file", diff })
    expect(end).toMatchObject({
      _tag: "Completed",
      content: "Successfully applied 2 edit(s) to file",
      output: { details: { path: "file", diff } },
    })
    expect(effects).toEqual([
      "IdeCheckUnsavedEdits",
      "IdeShowDiffPreview",
      "IdeReloadBuffer",
      "IdeClosePreview",
    ])
    expect(await readFile(path("file"), "utf8")).toBe("1\n2\n")
  })

  it("does not write through the other names of a file, and says so", async () => {
    await link(path("file"), path("other"))
    const { end } = await edit()
    expect(end).toMatchObject({
      content:
        "Successfully applied 2 edit(s) to file\nThe file had another name (a hard link), which keeps the former content.",
    })
    expect(await readFile(path("other"), "utf8")).toBe("one\ntwo\n")
    expect(await readFile(path("file"), "utf8")).toBe("1\n2\n")
  })

  it("tells the editor where the file is, and which edits to show", async () => {
    const { events } = await edit()
    const asked = events.flatMap((event) => (event._tag === "Delegate" ? [event.effect] : []))
    expect(asked).toEqual([
      { _tag: "IdeCheckUnsavedEdits", path: path("file") },
      { _tag: "IdeShowDiffPreview", path: path("file"), edits },
      { _tag: "IdeReloadBuffer", path: path("file") },
      { _tag: "IdeClosePreview" },
    ])
  })

  it("asks nobody where an edit does not match", async () => {
    const { events, end } = await edit({}, { path: "file", edits: [edits[0], edits[0]] })
    expect(end).toMatchObject({
      _tag: "Error",
      content: expect.stringMatching(/^Edit 2: old_string not found in file\. /),
    })
    expect(events.some(({ _tag }) => _tag === "AwaitingApproval")).toBe(false)
    expect(await readFile(path("file"), "utf8")).toBe("one\ntwo\n")
  })

  it("stops where the editor holds unsaved edits", async () => {
    const { effects, end } = await edit({
      onDelegate: (event) => {
        if (event.effect._tag === "IdeCheckUnsavedEdits") event.fail("file has unsaved edits")
        else event.succeed()
      },
    })
    expect(end).toMatchObject({ _tag: "Error", content: "file has unsaved edits" })
    expect(effects).toEqual(["IdeCheckUnsavedEdits", "IdeClosePreview"])
  })

  it("refuses a file that changed while it waited for the approval", async () => {
    const { effects, end } = await edit({
      onApproval: (gate) => {
        void writeFile(path("file"), "one\ntwo\nthree\n").then(() => gate.approve())
      },
    })
    expect(end).toMatchObject({
      _tag: "Error",
      content: "file has changed since the edit was previewed. Nothing was written. Read the file again.",
    })
    expect(await readFile(path("file"), "utf8")).toBe("one\ntwo\nthree\n")
    expect(effects).not.toContain("IdeReloadBuffer")
  })

  it("previews anew when its host edits the parameters", async () => {
    const { end } = await edit({
      onApproval: (gate) => gate.approve({ params: { path: "file", edits: edits.slice(1) } }),
    })
    expect(end).toMatchObject({ _tag: "Completed", content: "Successfully applied 1 edit(s) to file" })
    expect(await readFile(path("file"), "utf8")).toBe("one\n2\n")
  })

  it("keeps its answer whatever the editor says to the reload", async () => {
    const talkative = await edit({ onDelegate: (event) => event.succeed(textOutput("done!")) })
    expect(talkative.end).toMatchObject({ content: "Successfully applied 2 edit(s) to file" })
    await writeFile(path("file"), "one\ntwo\n")
    const failing = await edit({
      onDelegate: (event) => {
        if (event.effect._tag === "IdeReloadBuffer") event.fail("no such buffer")
        else event.succeed()
      },
    })
    expect(failing.end).toMatchObject({
      _tag: "Completed",
      content: "Successfully applied 2 edit(s) to file",
      cleanupErrors: ["IdeReloadBuffer: no such buffer"],
    })
  })

  it("reloads nothing when it is denied", async () => {
    const { effects } = await edit({ onApproval: (gate) => gate.deny() })
    expect(effects).toEqual(["IdeCheckUnsavedEdits", "IdeShowDiffPreview", "IdeClosePreview"])
  })
})
