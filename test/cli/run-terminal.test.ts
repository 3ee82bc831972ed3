// @module-tag waits
// @module-tag node
import { access, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useCli } from "./built-cli.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-run-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const runScript = async (
  commands: ReadonlyArray<string>,
  ...args: ReadonlyArray<string>
): Promise<PseudoTerminal> => {
  const lines = commands.map((command) => JSON.stringify({ name: "shell", params: { command } }))
  await writeFile(join(cwd, "calls.jsonl"), lines.join("\n"))
  return new PseudoTerminal([cli.path, "run", ...args, "calls.jsonl"], { cwd })
}

describe("run on a terminal", () => {
  test("asks for what no rule allows, one call after the other", async () => {
    await using terminal = await runScript(["touch a", "touch b"])
    await terminal.see(
      /\? shell\(touch a\)\n {2}\[a\]lways allows shell: \{"command":"touch a"\} in \S[\s\S]*?\n {2}\[y\]es \[n\]o \[a\]lways/,
    )
    terminal.type("y")
    await terminal.see(
      /\? shell\(touch b\)\n {2}\[a\]lways allows shell: \{"command":"touch b"\} in \S[\s\S]*?\n {2}\[y\]es \[n\]o \[a\]lways/,
    )
    terminal.type("n")
    expect(await terminal.exited).toBe(3)
    // On a busy machine a call takes so long that its time is told.
    const screen = terminal.screen().replace(/ [\d.]+s$/gm, "")
    expect(screen).toBe("✓ shell(touch a)\n  (no output)\n⊘ shell(touch b)\n  Denied by user")
    await access(join(cwd, "a"))
    await expect(access(join(cwd, "b"))).rejects.toThrow("ENOENT")
  })

  test("shows all of a call, a page at a time, before it can be approved", async () => {
    const hidden = Array.from({ length: 30 }, (_, line) => `: ${line}`).join("\n")
    await using terminal = await runScript([`${hidden}\ntouch PWN #\rls -la`])
    await terminal.see(/│ : 0\n[\s\S]*\[n\]o {2}space shows 11 more rows/)
    terminal.type("y ")
    await terminal.see(/│ : 29\n│ touch PWN #⟦CR⟧ls -la\n {2}\[y\]es \[n\]o {2}PageUp/)
    terminal.type("n")
    expect(await terminal.exited).toBe(3)
    await expect(access(join(cwd, "PWN"))).rejects.toThrow("ENOENT")
  })

  test("with --yes asks nothing, and Ctrl-C stops the whole run and gives the terminal back", async () => {
    await using terminal = await runScript(["sleep 600", "touch later"], "--yes")
    await terminal.see(/⚙ shell\(sleep 600\)/)
    expect(terminal.screen()).not.toContain("[y]es")
    terminal.control("c")
    expect(await terminal.exited).toBe(130)
    expect(terminal.screen()).toMatch(/⊘ shell\(sleep 600\)/)
    expect(terminal.raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(terminal.raw.lastIndexOf("\u001b[?25l"))
    expect(terminal.raw).toContain("\u001b[?2004l")
  })
})
