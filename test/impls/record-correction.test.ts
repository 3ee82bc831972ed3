// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { recordCorrectionTool } from "../../src/impls/record-correction.ts"
import { ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { loadCorrections } from "../../src/io/corrections.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { compileScript } from "../support/run-script.ts"
import { conforms } from "./conformance.ts"
import { resultOf } from "./result-of.ts"

const path = useTempFolder()

const lesson = (goal: string) => ({
  goal,
  failed_attempt: "the first way",
  successful_approach: "another way",
})

const record = (goal: string) => resultOf(recordCorrectionTool, lesson(goal), "unasked", path())

/** From the oldest to the newest. */
const goals = async () => {
  const corrections = await loadCorrections(path(), { limit: Number.POSITIVE_INFINITY })
  return corrections.map(({ goal }) => goal).reverse()
}

conforms({
  tool: recordCorrectionTool,
  cwd: path,
  prepare: async () => {
    await rm(path(".stepline"), { recursive: true, force: true })
    return lesson("x")
  },
  badParams: { ...lesson("x"), goal: "" },
  asks: false,
  effects: [],
  cleanup: [],
  state: async () => ((await goals()).length === 0 ? "untouched" : "done"),
})

describe("record_correction", () => {
  it("appends to the corrections of the executor's folder", async () => {
    expect(await record("first")).toMatchObject({
      status: "complete",
      content: "Correction recorded in .stepline/corrections.json",
      output: { details: { count: 1 } },
    })
    await record("second")
    expect(await loadCorrections(path())).toEqual([
      { ...lesson("second"), recorded_at: expect.any(String) },
      { ...lesson("first"), recorded_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    expect(await readdir(path(".stepline"))).toEqual(["corrections.json"])
  })

  it("keeps what people wrote into the file, and its mode", async () => {
    await mkdir(path(".stepline"))
    const file = path(".stepline/corrections.json")
    await writeFile(file, JSON.stringify([{ ...lesson("by hand"), note: "kept" }]))
    await chmod(file, 0o640)
    await record("next")
    expect(await loadCorrections(path())).toMatchObject([{ goal: "next" }, { goal: "by hand", note: "kept" }])
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it.each([
    ["half a file", '[{"goal": "x", "fail'],
    ["something else", '{"goal":"x"}'],
    ["other entries", "[1]"],
  ])("keeps %s under another name, says which, and begins a new one", async (_, content) => {
    await mkdir(path(".stepline"))
    await writeFile(path(".stepline/corrections.json"), content)
    await expect(loadCorrections(path())).rejects.toThrow(
      `${path(".stepline/corrections.json")} is damaged: it is not a JSON list of corrections. Repair it, or move it away.`,
    )
    const result = await record("new")
    const kept = /It is kept as (\S+), and a new one was begun\.$/.exec(result.content)?.[1]
    expect(kept).toMatch(/^\.stepline\/corrections\.damaged-.*\.json$/)
    expect(await readFile(path(kept), "utf8")).toBe(content)
    expect(result.output.details).toEqual({ count: 1, damaged: path(kept) })
    expect(await goals()).toEqual(["new"])
  })

  it.each(["", "\n", "\uFEFF[]"])("takes %j for a file without corrections", async (content) => {
    await mkdir(path(".stepline"))
    await writeFile(path(".stepline/corrections.json"), content)
    expect(await loadCorrections(path())).toEqual([])
    expect((await record("new")).content).toBe("Correction recorded in .stepline/corrections.json")
    expect(await goals()).toEqual(["new"])
  })

  it.each([" \n", "x".repeat(2001)])("refuses a text like %j", async (goal) => {
    expect(await record(goal)).toMatchObject({ status: "error" })
    expect(await goals()).toEqual([])
  })

  it("gives long texts of people cut", async () => {
    await mkdir(path(".stepline"))
    await writeFile(path(".stepline/corrections.json"), JSON.stringify([lesson("x".repeat(5_000_000))]))
    expect(await goals()).toEqual([`${"x".repeat(2000)}…`])
  })

  it("says what is in the way where it can make no folder, and no lock", async () => {
    await writeFile(path(".stepline"), "")
    expect(await record("x")).toMatchObject({
      status: "error",
      content: `Cannot access .stepline/corrections.json: ${path(".stepline")} is a file where a folder is needed. Move it away.`,
    })
    await rm(path(".stepline"))
    await mkdir(path(".stepline/corrections.json.lock"), { recursive: true })
    expect(await record("x")).toMatchObject({
      status: "error",
      content: `Cannot access .stepline/corrections.json: ${path(".stepline/corrections.json.lock")} is a folder, where a file is needed to lock. Remove it.`,
    })
  })

  it("loses nothing of what processes record at once", async () => {
    const names = ["a", "b", "c"]
    const script = await compileScript("test/impls/append-corrections.ts")
    const processes = names.map((name) =>
      spawn(process.execPath, [script, path(), name, "40"], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    )
    const exits = await Promise.all(processes.map((child) => once(child, "exit")))
    expect(exits.map(([code]) => code)).toEqual([0, 0, 0])
    const recorded = await goals()
    for (const name of names) {
      const own = recorded.filter((goal) => goal.startsWith(`${name} `))
      expect(own).toEqual(Array.from({ length: 40 }, (_, index) => `${name} ${index}`))
    }
    expect(await readdir(path(".stepline"))).toEqual(["corrections.json"])
    // Each of the 120 is synced to the disk.
  }, 120_000)

  it("stays in the workspace, links followed", async () => {
    await mkdir(path("work"))
    await symlink(path(), path("work/.stepline"))
    const executor = new ToolExecutor(new ToolRegistry([recordCorrectionTool]), {
      cwd: path("work"),
      workspace: path("work"),
    })
    onTestFinished(() => executor.shutdown())
    expect(await executor.run({ name: "record_correction", params: lesson("x") })).toMatchObject({
      status: "error",
      content: expect.stringContaining("is outside the workspace"),
    })
  })
})
