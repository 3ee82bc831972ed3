// @module-tag waits
/** pi's own library for terminals, which is installed here. */
import { execFile } from "node:child_process"
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { type PublishedModule, publishedModule } from "../published-module.ts"

const tui = await publishedModule("@earendil-works/pi-tui")
const agent = await publishedModule("@earendil-works/pi-coding-agent")

const path = useTempFolder()

describe("where it is installed", () => {
  it("serves what takes keys", () => {
    expect([tui.matchesKey("\x1b[A", "up"), tui.parseKey("\x03")]).toEqual([true, "ctrl+c"])
    const list = new tui.SelectList([{ value: "a", label: "A" }], 5, agent.getSelectListTheme())
    const chosen: Array<unknown> = []
    list.onSelect = (item: unknown) => chosen.push(item)
    list.handleInput("\r")
    expect(chosen).toEqual([{ value: "a", label: "A" }])
  })

  it("stands in our containers", () => {
    const container = new tui.Container()
    container.addChild(new tui.Text("above", 0, 0))
    container.addChild(new tui.SelectList([{ value: "a", label: "A" }], 5, agent.getSelectListTheme()))
    expect(container.render(20).map((line: string) => line.trim())).toEqual(["above", "→ A"])
  })

  it("gives tools an editor to extend, with the keys of its application", () => {
    const pressed: Array<string> = []
    class Own extends (agent.CustomEditor as new (...parts: Array<unknown>) => object) {}
    const keys = {
      matches: (data: string, binding: string) => data === "\x1b" && binding === "app.interrupt",
    }
    const screen = { requestRender: () => {}, terminal: { rows: 24, columns: 80 } }
    const editor = new Own(screen, agent.getEditorTheme(), keys) as PublishedModule
    editor.onEscape = () => pressed.push("escape")
    for (const data of ["a", "\x1b"]) editor.handleInput(data)
    expect([editor.getText(), pressed]).toEqual(["a", ["escape"]])
  })
})

it("is asked for where it is not installed, once one of its parts is used", async () => {
  // The same sources, from a place without packages but those that drawing needs.
  const src = join(import.meta.dirname, "../../../../src")
  await symlink(src, path("src"))
  await writeFile(path("package.json"), '{"type":"module"}')
  const script = `
    const { terminalPart } = await import(${JSON.stringify(path("src/custom-tools/stand-ins/tui/terminal-library.ts"))})
    const SelectList = terminalPart("SelectList")
    class Own extends SelectList {}
    for (const use of [() => new Own(), () => terminalPart("matchesKey")("x", "y")]) {
      try { use() } catch (error) { console.log(error.message) }
    }`
  const flags = ["--preserve-symlinks", "--import", "tsx", "--input-type=module", "-e", script]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: join(src, "..") })
  const sentence = "needs pi's library for terminals; install @mariozechner/pi-tui beside stepline."
  expect(stdout).toBe(`SelectList() ${sentence}\nmatchesKey() ${sentence}\n`)
})
