import { mkdir, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it } from "vitest"
import { openFileTool } from "../../src/impls/open-file.ts"
import type { DelegateEvent } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { conforms } from "./conformance.ts"
import { type Answers, drive, effectsOf } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

beforeEach(() => writeFile(path("file"), "text"))

conforms({
  tool: openFileTool,
  cwd: path,
  prepare: () => ({ path: "file", line: 3 }),
  badParams: { path: "file", line: 0 },
  asks: true,
  effects: ["IdeOpen"],
  cleanup: [],
})

const open = async (params: unknown, answers?: Answers) => {
  const executor = executorIn(path(), [openFileTool], { workspace: path() })
  executor.enqueue([{ callId: "call", name: "open_file", params }])
  const events = await drive(executor, answers)
  return { events, end: events.at(-1) }
}

const effectOf = (events: Awaited<ReturnType<typeof open>>["events"]) =>
  events.find((event): event is DelegateEvent => event._tag === "Delegate")?.effect

describe("open_file", () => {
  it("has the editor open the file at the line, by its absolute path", async () => {
    const { events, end } = await open({ path: "file", line: 3 })
    expect(effectOf(events)).toEqual({ _tag: "IdeOpen", path: path("file"), line: 3 })
    expect(end).toMatchObject({ _tag: "Completed", content: "Opening file at line 3" })
  })

  it("leaves the place to the editor where no line is given", async () => {
    const { events, end } = await open({ path: "file" })
    expect(effectOf(events)).toEqual({ _tag: "IdeOpen", path: path("file") })
    expect(end).toMatchObject({ _tag: "Completed", content: "Opening file" })
  })

  it("asks nobody about what cannot be opened", async () => {
    await mkdir(path("folder"))
    for (const wrong of ["missing", "folder", ".."]) {
      const { events, end } = await open({ path: wrong })
      expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Error"])
      expect(end).toMatchObject({ content: expect.stringContaining(wrong) })
    }
  })

  it("fails with the editor's reason", async () => {
    const { events, end } = await open(
      { path: "file" },
      { onDelegate: (effect) => effect.fail("The editor is gone") },
    )
    expect(effectsOf(events)).toEqual(["IdeOpen"])
    expect(end).toMatchObject({ _tag: "Error", content: "The editor is gone" })
  })
})
