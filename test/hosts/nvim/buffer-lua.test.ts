// @module-tag waits
import { link, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { describeWith } from "../../support/needs.ts"
import { callOf } from "./call-of.ts"
import { nvimAt, openEditor } from "./editor.ts"

const text = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

const open = (path: string, line?: number, column?: number) =>
  ({
    _tag: "IdeOpen",
    path,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }) as const

const reload = (path: string) => ({ _tag: "IdeReloadBuffer", path }) as const

const check = (path: string) => ({ _tag: "IdeCheckUnsavedEdits", path }) as const

const oddNames = [
  "with space.txt",
  `quote's "double".txt`,
  "percent % hash # bang !.txt",
  "new\nline.txt",
  "$HOME ~ `echo x`.txt",
  "[glob]*{a,b}?.txt",
  "back\\slash | bar.txt",
  "+cmd.txt",
  "ünï→.txt",
]

describeWith("nvim")("IdeOpen", () => {
  test("opens at a line and a column, counted in characters", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", `${text(5)}áéí→x\n`)
    await host.delegates.IdeOpen(open(path, 3, 4), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ name: path, cursor: [3, 4] }])
    await host.delegates.IdeOpen(open(path, 6, 5), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ name: path, cursor: [6, 10] }])
    expect(await nvim.lua("return vim.bo.buflisted")).toBe(true)
  })

  test.each([
    [99, undefined, [5, 1]],
    [0, undefined, [1, 1]],
    [-3, -3, [1, 1]],
    [2.7, 3.2, [2, 3]],
    [2, 99, [2, 6]],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, [5, 6]],
  ])("takes line %d and column %d for the nearest there is", async (line, column, cursor) => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await host.delegates.IdeOpen(open(path, line, column), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ cursor }])
  })

  test("without a line keeps the cursor where it was in that file", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await nvim.edit(path)
    await nvim.command("normal! 4G")
    await host.delegates.IdeOpen(open(path), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ name: path, cursor: [4, 1] }])
  })

  test.each(oddNames)("opens %j", async (name) => {
    const { nvim, host, file } = await openEditor()
    const path = await file(name, "here\n")
    await host.delegates.IdeOpen(open(path, 1), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ name: path, lines: ["here"] }])
  })

  test("goes to the window that shows the file already", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await nvim.edit(path)
    await nvim.command("vsplit other.txt")
    await host.delegates.IdeOpen(open(path, 2), callOf())
    const { windows } = await nvim.screen()
    expect(windows.map(({ isCurrent }) => isCurrent)).toEqual([false, true])
    expect(windows[1]).toMatchObject({ name: path, cursor: [2, 1] })
  })

  test("does not take the window of a terminal, nor that of unsaved changes where these would be lost", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await nvim.command("terminal cat")
    await host.delegates.IdeOpen(open(path, 2), callOf())
    expect((await nvim.screen()).windows.map(({ buftype }) => buftype).sort()).toEqual(["", "terminal"])
    await nvim.command("set nohidden | only! | enew")
    await nvim.type("iunsaved<Esc>")
    await host.delegates.IdeOpen(open(path, 2), callOf())
    const { windows } = await nvim.screen()
    expect(windows.map(({ lines }) => lines[0]).sort()).toEqual(["line 1", "unsaved"])
  })

  test("opens beside a preview, not in it", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await host.delegates.IdeShowPreview(
      { _tag: "IdeShowPreview", preview: { path, content: "x" } },
      callOf("1"),
    )
    await host.delegates.IdeOpen(open(path, 2), callOf("2"))
    expect(await nvim.screen()).toMatchObject({ tabs: 2, tab: 1, windows: [{ name: path }] })
  })

  test("is not stopped by the swap file of another Neovim", async () => {
    const { nvim, host, folder, file } = await openEditor()
    const path = await file("a.txt", text(5))
    const other = await nvimAt(join(folder, "other.sock"), folder)
    for (const each of [nvim, other]) await each.command(`set swapfile directory=${folder}`)
    await other.edit(path)
    await other.type("ix<Esc>")
    await host.delegates.IdeOpen(open(path, 2), callOf())
    expect((await nvim.screen()).windows).toMatchObject([{ name: path, cursor: [2, 1] }])
    expect(await nvim.lua("return vim.o.shortmess")).not.toContain("A")
  })
})

describeWith("nvim")("IdeCheckUnsavedEdits", () => {
  test("passes a file that is not open, or is open and saved", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", text(5))
    await host.delegates.IdeCheckUnsavedEdits(check(path), callOf())
    await nvim.edit(path)
    await nvim.command("new other.txt")
    await nvim.type("iunsaved<Esc>")
    expect(await host.delegates.IdeCheckUnsavedEdits(check(path), callOf())).toBeUndefined()
  })

  test.each(oddNames)("fails where %j has unsaved changes in a hidden buffer", async (name) => {
    const { nvim, host, file } = await openEditor()
    const path = await file(name, text(5))
    await nvim.edit(path)
    await nvim.type("ix<Esc>")
    await nvim.command("enew")
    await expect(host.delegates.IdeCheckUnsavedEdits(check(path), callOf())).rejects.toThrow(
      `${path} has unsaved changes in Neovim. Save them there with :w, or discard them with :e!, and try again.`,
    )
  })

  describe("finds the file under another name", () => {
    test.each([
      ["a link to the file", (real: string, name: string) => symlink(real, name)],
      ["a hard link", (real: string, name: string) => link(real, name)],
    ])("%s", async (_kind, make) => {
      const { nvim, host, folder, file } = await openEditor()
      const path = await file("a.txt", text(5))
      const name = join(folder, "b.txt")
      await make(path, name)
      await nvim.edit(name)
      await nvim.type("ix<Esc>")
      await expect(host.delegates.IdeCheckUnsavedEdits(check(path), callOf())).rejects.toThrow("unsaved")
    })

    test("a link to the folder of a file that is not there yet", async () => {
      const { nvim, host, folder } = await openEditor()
      await mkdir(join(folder, "real"))
      await symlink(join(folder, "real"), join(folder, "link"))
      await nvim.edit(join(folder, "link", "new.txt"))
      await nvim.type("ix<Esc>")
      const path = join(folder, "real", "new.txt")
      await expect(host.delegates.IdeCheckUnsavedEdits(check(path), callOf())).rejects.toThrow("unsaved")
    })
  })
})

describeWith("nvim")("IdeReloadBuffer", () => {
  test.each([["autoread"], ["noautoread"]])(
    "reads a file again with %s, and keeps the cursor",
    async (option) => {
      const { nvim, host, file } = await openEditor()
      const path = await file("a.txt", text(50))
      await nvim.command(`set ${option}`)
      await nvim.edit(path)
      await nvim.command("normal! 30G3l")
      await writeFile(path, text(50).replace("line 2\n", "line two\n"))
      await host.delegates.IdeReloadBuffer(reload(path), callOf())
      const [window] = (await nvim.screen()).windows
      expect(window).toMatchObject({ modified: false, cursor: [30, 4] })
      expect(window!.lines[1]).toBe("line two")
    },
  )

  test("reads hidden buffers and those of a link again, and leaves all others", async () => {
    const { nvim, host, folder, file } = await openEditor()
    const path = await file("a.txt", text(5))
    const other = await file("other.txt", "old\n")
    await symlink(path, join(folder, "link.txt"))
    await nvim.edit(join(folder, "link.txt"))
    await nvim.edit(other)
    await writeFile(path, "new\n")
    await writeFile(other, "changed\n")
    await host.delegates.IdeReloadBuffer(reload(path), callOf())
    const linesOf = (name: string) =>
      nvim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufadd(...), 0, -1, false)", name)
    expect(await linesOf(join(folder, "link.txt"))).toEqual(["new"])
    expect(await linesOf(other)).toEqual(["old"])
  })

  test.each(["current", "hidden"])(
    "reads a file that has just been made into its %s empty buffer",
    async (where) => {
      const { nvim, host, folder } = await openEditor()
      const path = join(folder, "new % file.txt")
      await nvim.edit(path)
      if (where === "hidden") await nvim.command("enew")
      await writeFile(path, "made\n")
      await host.delegates.IdeReloadBuffer(reload(path), callOf())
      await nvim.edit(path)
      expect((await nvim.screen()).windows).toMatchObject([{ name: path, lines: ["made"], modified: false }])
    },
  )

  test("refuses where the buffer is modified, and keeps the changes", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", "old\n")
    await nvim.edit(path)
    await nvim.type("imine <Esc>")
    await writeFile(path, "theirs\n")
    await expect(host.delegates.IdeReloadBuffer(reload(path), callOf())).rejects.toThrow(
      `${path} was not reloaded: Neovim holds unsaved changes of it. There, :e! takes what is on disk and :w! keeps the changes.`,
    )
    expect((await nvim.screen()).windows).toMatchObject([{ lines: ["mine old"], modified: true }])
    expect(await readFile(path, "utf8")).toBe("theirs\n")
  })

  test("does nothing for a file that is not open", async () => {
    const { nvim, host, file } = await openEditor()
    const path = await file("a.txt", "old\n")
    const before = await nvim.lua("return #vim.api.nvim_list_bufs()")
    await host.delegates.IdeReloadBuffer(reload(path), callOf())
    expect(await nvim.lua("return #vim.api.nvim_list_bufs()")).toBe(before)
  })
})
