// @module-tag waits
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { describeWith } from "../../support/needs.ts"
import { callOf } from "./call-of.ts"
import { openEditor } from "./editor.ts"
import type { ScreenState } from "./headless-nvim.ts"

const text = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

const diff = (path: string, old_string: string, new_string: string) =>
  ({ _tag: "IdeShowDiffPreview", path, edits: [{ old_string, new_string }] }) as const

const preview = (path: string, content: string) =>
  ({ _tag: "IdeShowPreview", preview: { path, content } }) as const

const close = { _tag: "IdeClosePreview" } as const

const names = (screen: ScreenState): Array<string> => screen.windows.map(({ name }) => name)

const hidden = (line: number) => `
  local windows = vim.api.nvim_tabpage_list_wins(0)
  return vim.api.nvim_win_call(windows[#windows], function()
    return { vim.fn.foldclosed(${line}) ~= -1, vim.wo.conceallevel, vim.wo.rightleft }
  end)`

describeWith("nvim")("a user's settings", () => {
  test("fold nothing of a preview away, conceal nothing, and turn nothing round", async () => {
    const { nvim, host, file } = await openEditor()
    await nvim.command("set foldmethod=marker foldlevel=0 conceallevel=3 rightleft nowrap")
    await host.delegates.IdeShowPreview(preview("a.md", "# a {{{\nrm -rf [x](https://y)\n# }}}\n"), callOf())
    expect(await nvim.lua(hidden(2))).toEqual([false, 0, false])
    await host.delegates.IdeClosePreview(close, callOf())
    const path = await file("a.py", `if a:\n${text(30)}    b()\n${text(30)}`)
    await host.delegates.IdeShowDiffPreview(diff(path, "    b()", "b()"), callOf())
    expect(await nvim.lua(hidden(5))).toEqual([true, 0, false])
    expect(await nvim.lua(hidden(32))).toEqual([false, 0, false])
    await host.delegates.IdeClosePreview(close, callOf())
    await nvim.command("set diffopt+=iwhiteall")
    await host.delegates.IdeShowDiffPreview(diff(path, "    b()", "b()"), callOf())
    expect(await nvim.lua(hidden(32))).toEqual([false, 0, false])
  })
})

describeWith("nvim")("a diff preview", () => {
  test("is a tab of two read-only scratch buffers in diff mode, at the first change", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.lua", text(50))
    await host.delegates.IdeShowDiffPreview(diff(path, "line 30\n", "line thirty\nand more\n"), callOf())
    const { tabs, tab, windows } = await nvim.screen()
    expect([tabs, tab]).toEqual([2, 2])
    expect(windows.map(({ name }) => name.replace(/\d+/, "N"))).toEqual([
      "stepline://N/current/a.lua",
      "stepline://N/proposed/a.lua",
    ])
    expect(windows[0]!.lines).toEqual(text(50).trimEnd().split("\n"))
    expect(windows[1]!.lines.slice(28, 32)).toEqual(["line 29", "line thirty", "and more", "line 31"])
    for (const window of windows) {
      expect(window).toMatchObject({
        diff: true,
        readonly: true,
        modifiable: false,
        modified: false,
        buftype: "nofile",
        syntax: "lua",
        cursor: [30, 1],
      })
    }
    // What is left has no name and no entry in the list of buffers.
    expect(await readFile(path, "utf8")).toBe(text(50))
    expect(await nvim.lua("return #vim.fn.getbufinfo({ buflisted = 1 })")).toBe(1)
  })

  test("is closed by the effect, which gives tab, window and cursor back", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(50))
    await nvim.command("tabnew | vsplit | split")
    await nvim.edit(path)
    await nvim.command("wincmd p")
    await nvim.edit(path)
    await nvim.command("normal! 20G3l")
    await nvim.command("tabnew | tabprevious")
    const before = await nvim.screen()
    await host.delegates.IdeShowDiffPreview(diff(path, "line 30\n", "line thirty\n"), callOf())
    expect((await nvim.screen()).tabs).toBe(4)
    await host.delegates.IdeClosePreview(close, callOf())
    expect(await nvim.screen()).toEqual(before)
    expect(before.windows.find(({ isCurrent }) => isCurrent)!.cursor).toEqual([20, 4])
  })

  test("is closed by q in either window, with its buffers", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    const before = await nvim.screen()
    const buffers = () => nvim.lua<number>("return #vim.api.nvim_list_bufs()")
    const count = await buffers()
    for (const keys of ["q", "<C-w>wq"]) {
      await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
      expect(await buffers()).toBe(count + 2)
      await nvim.type(keys)
      expect(await nvim.screen()).toEqual(before)
      expect(await buffers()).toBe(count)
    }
    await host.delegates.IdeClosePreview(close, callOf())
    expect(await nvim.screen()).toEqual(before)
  })

  test("whose one window is quit closes the other one too", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    const before = await nvim.screen()
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.type(":quit<CR>")
    expect(await nvim.screen()).toEqual(before)
  })

  test.each([
    ["in the middle of a line", "2Glli", "lilXne 2"],
    ["at its end", "2GA", "line 2lX"],
    ["in replace mode", "2GllR", "lilX 2"],
  ])("interrupts a user who types %s, and lets them go on", async (_, keys, expected) => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await nvim.edit(path)
    await nvim.type(`${keys}l`)
    const before = await nvim.screen()
    await host.delegates.IdeShowDiffPreview(diff(path, "line 3", "line three"), callOf())
    await nvim.type("dd")
    expect(await nvim.screen()).toMatchObject({ mode: "n", tabs: 2 })
    await host.delegates.IdeClosePreview(close, callOf())
    await nvim.type("<Ignore>")
    expect(await nvim.screen()).toEqual(before)
    await nvim.type("X")
    expect((await nvim.screen()).windows[0]!.lines[1]).toBe(expected)
  })

  test("that is closed while the command-line window is open goes when that is left", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.command("tabprevious")
    await nvim.type("q:")
    await host.delegates.IdeClosePreview(close, callOf())
    expect((await nvim.screen()).tabs).toBe(2)
    await nvim.type(":quit<CR>")
    expect((await nvim.screen()).tabs).toBe(1)
  })

  test("gives a terminal back in terminal mode", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await nvim.command("terminal cat")
    await nvim.type("i")
    expect((await nvim.screen()).mode).toBe("t")
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.type("<Ignore>")
    expect(await nvim.screen()).toMatchObject({ mode: "n", tabs: 2 })
    await nvim.type("q")
    expect(await nvim.screen()).toMatchObject({ mode: "t", tabs: 1 })
  })

  test("leaves a user who has gone to another tab where they are", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.command("tabnew elsewhere.txt")
    await host.delegates.IdeClosePreview(close, callOf())
    const screen = await nvim.screen()
    expect(screen.tabs).toBe(2)
    expect(names(screen)).toEqual([expect.stringMatching(/elsewhere\.txt$/)])
  })

  test("takes nothing with it that the user has opened in its tab", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.command("new notes.txt")
    await nvim.type("ithoughts<Esc>")
    await host.delegates.IdeClosePreview(close, callOf())
    const { tabs, windows } = await nvim.screen()
    expect(tabs).toBe(2)
    expect(windows).toMatchObject([{ name: expect.stringMatching(/notes\.txt$/), lines: ["thoughts"] }])
  })

  test("can be closed where it is all that is left", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf())
    await nvim.command("tabonly")
    await host.delegates.IdeClosePreview(close, callOf())
    expect(await nvim.screen()).toMatchObject({
      tabs: 1,
      windows: [{ name: "", lines: [""], diff: false, modifiable: true }],
    })
  })

  test("shows CRLF as lines, and hides a byte order mark", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", "\uFEFFone\r\ntwo\r\n")
    await host.delegates.IdeShowDiffPreview(diff(path, "one\ntwo", "1\n2\n3"), callOf())
    const { windows } = await nvim.screen()
    expect(windows.map(({ lines }) => lines)).toEqual([
      ["one", "two"],
      ["1", "2", "3"],
    ])
  })

  test.each([
    ["one\ntwo\n", ["one\n", "one\r\n"], "Only line endings change."],
    ["one\ntwo\n", ["two\n", "two"], "Only the newline at the end of the file is taken away."],
    ["one\ntwo", ["two", "two\n"], "Only a newline at the end of the file is added."],
    ["one\r\ntwo\r\n", ["one\n", "one\r\n"], "Nothing changes."],
  ] as const)("of %j with %j says what cannot be seen", async (content, [before, after], sentence) => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", content)
    await host.delegates.IdeShowDiffPreview(diff(path, before, after), callOf())
    const { windows } = await nvim.screen()
    expect(windows).toMatchObject([{ lines: [sentence], diff: false, modifiable: false }])
    await host.delegates.IdeClosePreview(close, callOf())
    expect((await nvim.screen()).tabs).toBe(1)
  })

  test("of edits that do not match fails with the reason, and shows nothing", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await expect(host.delegates.IdeShowDiffPreview(diff(path, "line 9", "x"), callOf())).rejects.toThrow(
      `Cannot show what would change in ${path}: Edit 1: old_string not found in file.`,
    )
    expect((await nvim.screen()).tabs).toBe(1)
  })

  test("that Neovim refuses fails with what it says, and leaves nothing behind", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(3))
    await nvim.type("q:")
    await nvim.until("return vim.fn.getcmdwintype() ~= ''")
    const count = await nvim.lua("return #vim.api.nvim_list_bufs()")
    await expect(host.delegates.IdeShowDiffPreview(diff(path, "line 2", "x"), callOf())).rejects.toThrow(
      "Neovim says: The command-line window is open, in which nothing can be shown. Close it with :quit.",
    )
    expect((await nvim.screen()).tabs).toBe(1)
    expect(await nvim.lua("return #vim.api.nvim_list_bufs()")).toBe(count)
  })

  test("of a file that is very long is left out", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", `start\n${"x".repeat(4 * 1024 * 1024)}`)
    await host.delegates.IdeShowDiffPreview(diff(path, "start", "end"), callOf())
    await host.delegates.IdeShowPreview(preview(path, "x".repeat(4 * 1024 * 1024 + 1)), callOf("2"))
    expect((await nvim.screen()).tabs).toBe(1)
  })
})

describeWith("nvim")("the preview of a new file", () => {
  test("is a tab of one read-only scratch buffer, and nothing on disk", async () => {
    const { nvim, host, folder } = await openEditor()
    const path = join(folder, "new", "b.lua")
    await host.delegates.IdeShowPreview(preview(path, "local a = 1\n\n-- end"), callOf())
    expect(await nvim.screen()).toMatchObject({
      tabs: 2,
      windows: [
        {
          name: expect.stringMatching(/^stepline:\/\/\d+\/new\/new\/b\.lua$/),
          lines: ["local a = 1", "", "-- end"],
          diff: false,
          readonly: true,
          modifiable: false,
          buftype: "nofile",
          syntax: "lua",
        },
      ],
    })
    await host.delegates.IdeClosePreview(close, callOf())
    expect((await nvim.screen()).tabs).toBe(1)
    await expect(readFile(path)).rejects.toThrow("ENOENT")
  })

  test("of nothing is an empty line", async () => {
    const { nvim, host, folder } = await openEditor()
    await host.delegates.IdeShowPreview(preview(join(folder, "empty"), ""), callOf())
    expect((await nvim.screen()).windows[0]!.lines).toEqual([""])
  })
})

describeWith("nvim")("one preview at a time", () => {
  test("the second waits in line until the first is closed, and has the first one's place", async () => {
    const { nvim, host, folder, file } = await openEditor()
    const path = await file("a.txt", text(3))
    const before = await nvim.screen()
    await host.delegates.IdeShowDiffPreview(diff(path, "line 2", "line two"), callOf("1", "one"))
    const second = host.delegates.IdeShowPreview(preview(join(folder, "b"), "b"), callOf("2", "two"))
    const third = host.delegates.IdeShowPreview(preview(join(folder, "c"), "c"), callOf("3", "three"))
    expect(names(await nvim.screen())).toEqual([
      expect.stringContaining("/current/a.txt"),
      expect.stringContaining("/proposed/a.txt"),
    ])
    await host.delegates.IdeClosePreview(close, callOf("1", "one"))
    await second
    expect(names(await nvim.screen())).toEqual([expect.stringMatching(/\/new\/b$/)])
    // What the user closes makes room too.
    await nvim.type("q")
    await third
    expect(names(await nvim.screen())).toEqual([expect.stringMatching(/\/new\/c$/)])
    await host.delegates.IdeClosePreview(close, callOf("3", "three"))
    expect(await nvim.screen()).toEqual(before)
  })

  test("a call that shows nothing closes nothing of another call", async () => {
    const { nvim, host, folder } = await openEditor()
    await host.delegates.IdeShowPreview(preview(join(folder, "b"), "b"), callOf("1"))
    await host.delegates.IdeClosePreview(close, callOf("2"))
    expect((await nvim.screen()).tabs).toBe(2)
  })

  test("closing the host closes what it shows", async () => {
    const { nvim, host, folder } = await openEditor()
    await host.delegates.IdeShowPreview(preview(join(folder, "b"), "b"), callOf("1", "one"))
    const waiting = host.delegates.IdeShowPreview(preview(join(folder, "c"), "c"), callOf("2", "two"))
    await host.close()
    await waiting
    expect((await nvim.screen()).tabs).toBe(1)
    await host.delegates.IdeShowPreview(preview(join(folder, "d"), "d"), callOf("3"))
    expect((await nvim.screen()).tabs).toBe(1)
  })
})
