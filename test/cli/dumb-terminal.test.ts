// @module-tag waits
/** The command on a terminal that can only print, such as one within an editor. */
import { access, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { verifyDecisionLog } from "../../src/index.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useCli } from "./built-cli.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-dumb-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

test("lines are asked for, gates are printed whole and decided by a line, and nothing moves the cursor", async () => {
  await using terminal = new PseudoTerminal([cli.path], { cwd, env: { ...process.env, TERM: "dumb" } })
  await terminal.see(/› $|›$/)
  const command = Array.from({ length: 40 }, (_, line) => `: ${line}`).join("\\n")
  terminal.enter(`shell {"command": "${command}\\ntouch PWN #\\rls"}`)
  await terminal.see(/│ : 0\n[\s\S]*│ : 39\n│ touch PWN #⟦CR⟧ls\n\s+\[y\]es \[n\]o$/, "everything")
  terminal.enter("no not this one")
  await terminal.see("Denied: not this one")
  terminal.enter("shell touch yes.txt")
  await terminal.see(
    /\? shell\(touch yes\.txt\)\n {2}\[a\]lways allows shell: \{"command":"touch yes\.txt"\} in \S[\s\S]*?\n {2}\[y\]es/,
  )
  terminal.enter("what?")
  await terminal.see(/(?:\[y\]es[^[]*\[n\]o \[a\]lways[^[]*){2}$/)
  terminal.enter("y")
  await terminal.see("✓ shell(touch yes.txt)")
  await access(join(cwd, "yes.txt"))
  terminal.control("d")
  expect(await terminal.exited).toBe(3)
  await expect(access(join(cwd, "PWN"))).rejects.toThrow("ENOENT")
  expect(terminal.raw).not.toContain("\u001b")
})

test("the log has who answered: the name of --as, or of the login", async () => {
  const deciders = async (answer: string, ...args: ReadonlyArray<string>) => {
    const log = join(cwd, `${answer}.jsonl`)
    const env = { ...process.env, TERM: "dumb" }
    await using terminal = new PseudoTerminal([cli.path, "--log", log, ...args], { cwd, env })
    await terminal.see(/› $|›$/)
    terminal.enter("shell true")
    await terminal.see(/\[y\]es \[n\]o \[a\]lways$/)
    terminal.enter(answer)
    await terminal.see(answer === "y" ? "✓ shell(true)" : "Denied")
    terminal.control("d")
    await terminal.exited
    const { lines } = verifyDecisionLog(await readFile(log, "utf8"))
    return lines.map(({ verdict, id }) => `${verdict} ${id}`)
  }
  expect(await deciders("y", "--as", "ann")).toEqual(["approve ann", "run ann"])
  expect(await deciders("n")).toEqual([`deny ${userInfo().username}`])
})

test("a line that was typed before its gate was printed does not decide that, but is a line", async () => {
  await using terminal = new PseudoTerminal([cli.path], { cwd, env: { ...process.env, TERM: "dumb" } })
  await terminal.see(/› $|›$/)
  terminal.type("shell touch PWN\ry\ryes\r")
  await terminal.see(/\[y\]es \[n\]o \[a\]lways$/)
  terminal.enter("n")
  await terminal.see(/Denied by user[\s\S]*no tool y\.[\s\S]*no tool yes\./)
  await expect(access(join(cwd, "PWN"))).rejects.toThrow("ENOENT")
})

test("a session keeps its history for the next one, for nobody else to read", async () => {
  const env = { ...process.env, XDG_STATE_HOME: cwd }
  const open = async () => {
    const terminal = new PseudoTerminal([cli.path, "--allow", "shell=^echo"], { cwd, env })
    await terminal.see("/help")
    return terminal
  }
  {
    await using terminal = await open()
    terminal.enter("shell echo first")
    await terminal.see("✓ shell(echo first)")
    terminal.control("d")
    await terminal.exited
  }
  await using terminal = await open()
  terminal.type("\u001b[A")
  await terminal.see("› shell echo first")
  expect(await readFile(join(cwd, "stepline/history"), "utf8")).toBe('"shell echo first"\n')
})
