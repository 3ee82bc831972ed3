import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { writeFileTool } from "../../src/impls/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { type Answers, drive } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

const write = async (answers: Answers = {}, name = "new/file") => {
  const executor = executorIn(path(), [writeFileTool])
  executor.enqueue([{ name: "write_file", params: { path: name, content: "text\n" } }])
  return drive(executor, answers)
}

describe("write_file", () => {
  it("shows what it would write, then creates the file and its folder", async () => {
    const events = await write()
    const asked = events.flatMap((event) => (event._tag === "Delegate" ? [event.effect] : []))
    expect(asked).toEqual([
      { _tag: "IdeShowPreview", preview: { path: path("new/file"), content: "text\n" } },
      { _tag: "IdeReloadBuffer", path: path("new/file") },
      { _tag: "IdeClosePreview" },
    ])
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "Created new/file (1 line)" })
    expect(await readFile(path("new/file"), "utf8")).toBe("text\n")
  })

  it("refuses an existing file before anybody is asked", async () => {
    await write()
    const events = await write()
    expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Delegate", "Error"])
    expect(events.at(-1)).toMatchObject({
      content: "File already exists: new/file. Use edit_file to change it.",
    })
  })

  it("makes no file of a path that ends like that of a folder", async () => {
    const events = await write({}, "new/")
    expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Delegate", "Error"])
    expect(events.at(-1)).toMatchObject({
      content: "new/ is the path of a folder. Choose the path of a file.",
    })
    expect(await readdir(path())).toEqual([])
  })

  it("refuses a file that appeared while it waited for the approval", async () => {
    const events = await write({
      onApproval: (gate) => {
        void mkdir(path("new"))
          .then(() => writeFile(path("new/file"), "theirs"))
          .then(() => gate.approve())
      },
    })
    expect(events.at(-1)).toMatchObject({
      _tag: "Error",
      content: "File already exists: new/file. Use edit_file to change it.",
    })
    expect(await readFile(path("new/file"), "utf8")).toBe("theirs")
  })
})
