// @module-tag waits
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { HeadlessNvim } from "../hosts/nvim/headless-nvim.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { describeWith } from "../support/needs.ts"
import { runNode, useCli } from "./built-cli.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-nvim-")))
  await writeFile(join(cwd, "a.txt"), "one\ntwo\n")
  const params = { path: "a.txt", edits: [{ old_string: "two", new_string: "2" }] }
  await writeFile(join(cwd, "calls.jsonl"), JSON.stringify({ name: "edit_file", params }))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const shown = async (nvim: HeadlessNvim): Promise<Array<ReadonlyArray<string>>> =>
  (await nvim.screen()).windows.map(({ lines }) => lines)

describeWith("nvim")("--nvim", () => {
  test("shows what a run is about to edit, and reloads what it has edited", async () => {
    await using nvim = await HeadlessNvim.start(join(cwd, "nvim.sock"), cwd)
    await nvim.edit(join(cwd, "a.txt"))
    await using terminal = new PseudoTerminal([cli.path, "run", "--nvim=nvim.sock", "calls.jsonl"], { cwd })
    await terminal.see("[y]es [n]o [a]lways")
    expect(await shown(nvim)).toEqual([
      ["one", "two"],
      ["one", "2"],
    ])
    terminal.type("y")
    expect(await terminal.exited).toBe(0)
    expect(await shown(nvim)).toEqual([["one", "2"]])
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n2\n")
  })

  test("works in a session, which says where Neovim is and closes what it shows when it is left", async () => {
    await using nvim = await HeadlessNvim.start(join(cwd, "nvim.sock"), cwd)
    await using terminal = new PseudoTerminal([cli.path, "--nvim", nvim.address], { cwd, columns: 200 })
    await terminal.see(`Neovim at ${nvim.address} shows what is about to change.`)
    terminal.enter(`write_file {"path": "b.txt", "content": "new"}`)
    await terminal.see("[y]es [n]o [a]lways")
    expect(await shown(nvim)).toEqual([["new"]])
    terminal.control("c")
    await terminal.see("⊘ write_file")
    expect((await nvim.screen()).tabs).toBe(1)
    terminal.enter("/quit")
    expect(await terminal.exited).toBe(0)
  })

  test("without a Neovim says so, and runs all the same", async () => {
    const result = await runNode([cli.path, "run", "--yes", "calls.jsonl", "--nvim=none.sock"], { cwd })
    expect(result.stderr).toBe(
      "stepline: No Neovim answers at none.sock. Start one with nvim --listen SOCKET; until then nothing is shown in it.\n",
    )
    expect(result.status).toBe(0)
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n2\n")
    const bare = await runNode([cli.path, "run", "--yes", "calls.jsonl", "--nvim"], {
      cwd,
      env: { PATH: process.env.PATH },
    })
    expect(bare.stderr).toContain(
      "No Neovim answers at /tmp/nvim-<tmux session>.sock, $NVIM_LISTEN_ADDRESS or $NVIM.",
    )
  })
})
