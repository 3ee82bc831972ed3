// @module-tag waits
import { readFile, symlink, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { runNode, useCli } from "./built-cli.ts"

const path = useTempFolder()
const cli = useCli()

const stepline = (...args: ReadonlyArray<string>) =>
  runNode([cli.path, ...args], { cwd: path(), env: { ...process.env, HOME: path("home") } })

it("takes back what an earlier run has changed, once that is confirmed", async () => {
  await writeFile(path("a"), "one\n")
  const edits = [{ old_string: "one", new_string: "two" }]
  await stepline("--yes", "edit_file", "a", JSON.stringify({ edits }))
  await stepline("--yes", "write_file", "b", "new")
  expect(await readFile(path("a"), "utf8")).toBe("two\n")
  const listed = await stepline("undo", "--list")
  expect(listed.stdout).toMatch(/:\S+ write_file +created .*\/b\n.*:\S+ edit_file +changed .*\/a\n/)
  const shown = await stepline("undo", "--last", "2")
  expect(shown).toMatchObject({ status: 3 })
  expect(shown.stdout).toContain("changed  a\ndeleted  b\n")
  expect(shown.stdout).toContain("Nothing is changed: add --yes to make these changes.\n")
  expect(await readFile(path("a"), "utf8")).toBe("two\n")
  expect(await stepline("undo", "--last", "2", "--yes")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("2 changes made."),
  })
  expect(await readFile(path("a"), "utf8")).toBe("one\n")
  await expect(readFile(path("b"))).rejects.toThrow("ENOENT")
  expect(await stepline("undo", "--yes")).toMatchObject({
    status: 1,
    stdout: "Nothing that the last call of agent main changed can be taken back.\n",
  })
  const [undo] = (await stepline("undo", "--list")).stdout.trim().split(/\s+/)
  expect(await stepline("undo", undo!, "--yes")).toMatchObject({ status: 0 })
  expect(await readFile(path("a"), "utf8")).toBe("two\n")
  expect(await stepline("undo", "--last", "x")).toMatchObject({ status: 2 })
})

it("knows what was changed in its folder under another name", async () => {
  await symlink(".", path("link"))
  await stepline("--cwd", "link", "--yes", "write_file", "b", "new")
  expect(await stepline("undo", "--yes")).toMatchObject({ status: 0 })
  await expect(readFile(path("b"))).rejects.toThrow("ENOENT")
})

it.each(["c", "d"])("changes nothing if Ctrl-%s leaves its question", async (letter) => {
  await stepline("--yes", "write_file", "b", "new")
  const env = { ...process.env, HOME: path("home"), XDG_STATE_HOME: "" }
  await using terminal = new PseudoTerminal([cli.path, "undo"], { cwd: path(), env })
  await terminal.see("Make these changes? [y/N]")
  terminal.control(letter)
  expect(await terminal.exited).toBe(3)
  expect(terminal.screen()).toMatch(/Make these changes\? \[y\/N\]$/)
  expect(await readFile(path("b"), "utf8")).toBe("new")
})

it("takes no answer that was typed before its question", async () => {
  await stepline("--yes", "write_file", "b", "new")
  const env = { ...process.env, HOME: path("home"), XDG_STATE_HOME: "" }
  await using terminal = new PseudoTerminal([cli.path, "undo"], { cwd: path(), env })
  terminal.type("y\r")
  await terminal.see("Make these changes? [y/N]")
  terminal.type("\r")
  expect(await terminal.exited).toBe(3)
  expect(await readFile(path("b"), "utf8")).toBe("new")
})
