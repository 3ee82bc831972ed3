// @module-tag waits
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Session, type SessionOptions } from "../../../src/hosts/terminal/index.ts"
import { subagentTools } from "../../../src/impls/index.ts"
import { ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { useCli } from "../../cli/built-cli.ts"
import { isAlive } from "../../support/is-alive.ts"
import { compileScript } from "../../support/run-script.ts"
import { PseudoTerminal } from "./pseudo-terminal.ts"
import type { ScreenOptions } from "./screen.ts"
import { SessionTerminal } from "./session-terminal.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-session-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

/** The command itself, for what its process does. */
const openCommand = async (args: ReadonlyArray<string> = []): Promise<PseudoTerminal> => {
  const terminal = new PseudoTerminal([cli.path, ...args], { cwd })
  await terminal.see("/help")
  return terminal
}

/** @param allow Patterns of commands that are not asked. */
const openSession = async (
  allow: ReadonlyArray<string> = [],
  screen: ScreenOptions = {},
): Promise<SessionTerminal> => {
  const filters = ToolFilters.compile({ shell: { allow: [...allow] } }, { cwd })
  const executor = new ToolExecutor(new ToolRegistry(subagentTools()), { cwd, filters })
  return new SessionTerminal({ executor, cwd, filters, colors: true, greeting: "/help" }, screen)
}

const isThere = (name: string): Promise<boolean> =>
  access(join(cwd, name)).then(
    () => true,
    () => false,
  )

test("an input that is no terminal is refused before anything is written", () => {
  const written = new PassThrough()
  const executor = new ToolExecutor(new ToolRegistry())
  const streams = { input: new PassThrough(), output: written } as unknown as Pick<SessionOptions, "input">
  expect(() => new Session({ executor, ...streams, greeting: "hello" })).toThrow(
    new TypeError(
      "Expected `input` to be a terminal, got a stream that is none: open a session only where `process.stdin.isTTY` is true",
    ),
  )
  expect(written.read()).toBe(null)
})

test("lines that are typed while the session starts are calls of their own, and answer none", async () => {
  await using terminal = new PseudoTerminal([cli.path, "--allow", "shell=^echo"], { cwd })
  for (const line of ["shell echo one", "shell touch two", "y", "shell echo three"]) terminal.enter(line)
  await terminal.see(/\? shell\(touch two\)\n[\s\S]*\[e\]dit\n/)
  expect(await terminal.see("✓ shell(echo one)", "everything")).toContain("There is no tool y.")
  terminal.type("n\r")
  await terminal.see("✓ shell(echo three)", "everything")
})

describe("a gate", () => {
  test("y approves the call, and n denies the next one", async () => {
    await using terminal = await openCommand()
    terminal.enter("shell touch yes.txt")
    await terminal.see("[y]es [n]o [a]lways")
    expect(await isThere("yes.txt")).toBe(false)
    terminal.type("y")
    await terminal.see("✓ shell(touch yes.txt)")
    expect(await isThere("yes.txt")).toBe(true)

    terminal.enter("shell touch no.txt")
    await terminal.see("[y]es [n]o [a]lways")
    terminal.type("n\r")
    await terminal.see("Denied by user")
    expect(terminal.screen()).toContain("⊘ shell(touch no.txt)")
    expect(await isThere("no.txt")).toBe(false)
  })

  test("a approves the call and, without asking, the same one again", async () => {
    await using terminal = await openSession()
    terminal.enter("shell echo first; echo second")
    await terminal.see("[y]es")
    terminal.type("a")
    await terminal.see("› 1. this very call, and no other")
    terminal.type("\r")
    await terminal.see(/✓ shell[\s\S]*✓ shell|✓ shell/)
    terminal.enter("shell echo first; echo second")
    await terminal.see(/✓ shell[\s\S]*✓ shell/)
    expect(terminal.everything().match(/\[y\]es/g)).toBeNull()
  })

  test("is not decided by what is typed on, or pasted", async () => {
    await using terminal = await openSession()
    terminal.enter("shell touch x.txt")
    await terminal.see("[y]es")
    terminal.type("\u001b[200~y\u001b[201~")
    await terminal.see("once the line below is empty")
    terminal.type("y")
    await terminal.see("› yy")
    expect(await isThere("x.txt")).toBe(false)
    terminal.control("u")
    await terminal.see(/\[e\]dit\n\n›$/)
    terminal.type("y")
    await terminal.see("✓ shell(touch x.txt)")
  })

  test("shows an edit's diff, and the file changes only after it", async () => {
    await writeFile(join(cwd, "a.txt"), "one\ntwo\nthree\n")
    await using terminal = await openSession()
    terminal.enter('edit_file {"path": "a.txt", "edits": [{"old_string": "two", "new_string": "2"}]}')
    const gate = await terminal.see("[y]es")
    expect(gate).toContain("│ -two\n│ +2")
    expect(terminal.raw).toContain("\u001b[32m+2")
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n")
    terminal.type("y")
    await terminal.see("Successfully applied 1 edit(s) to a.txt")
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n2\nthree\n")
  })
})

describe("output", () => {
  test("that streams is folded to its ten newest lines while it runs, and can be shown unfolded", async () => {
    await using terminal = await openSession(["^(seq|sleep)\\b"], { rows: 30 })
    terminal.enter("shell seq 101 140; sleep 600")
    const screen = await terminal.see(/⚙ shell\(.*\n {2}… 30 more lines\n {2}131\n/)
    expect(screen).toContain("  140")
    expect(screen).not.toContain("  130\n")
    terminal.control("o")
    await terminal.see(/ {2}101\n {2}102\n[\s\S]* {2}130\n/, "everything")
    terminal.control("c")
    await terminal.see("⊘ shell(")
  })

  test("keeps its place when the terminal changes its size", async () => {
    await using terminal = await openSession([], { columns: 100, rows: 24 })
    terminal.enter(`shell seq 5; sleep 600 ${"0 ".repeat(20)}`)
    // While a gate waits nothing is drawn, so that nothing of the old size arrives at the new one.
    await terminal.see(
      /\n\? shell\(.*\)\n {2}asked because[^\n]*\n(?:┊.*\n)?.{2}\[a\]lways[^\n]*\n(?:┊.*\n)?.{2}\[y\]es/,
    )
    terminal.resize(50, 24)
    await terminal.see(
      /\n\? shell\(.*…\)\n│ seq 5; sleep 600[ 0␣\n┊]+asked because: .*\n┊ .*\n {2}\[a\]lways allows .*\n┊ .*\n {2}\[y\]es \[n\]o \[a\]lways \[e\]dit\n\n›$/,
    )
    terminal.type("y")
    await terminal.see(/…\) . [\d.]+s\n {2}1\n {2}2\n {2}3\n {2}4\n {2}5\n\n›$/)
    terminal.control("c")
    const screen = await terminal.see("⊘ shell(")
    expect(screen.match(/[?⚙] shell/g)).toBeNull()
  })
})

describe("the background", () => {
  test("& starts a task there; /tasks, /take and the lane go on beside it", async () => {
    await using terminal = await openSession(["."])
    terminal.enter("shell until [ -e go ]; do sleep 0.05; done; echo finished &")
    await terminal.see("Running in background (task_id: 1)")
    terminal.enter("/tasks")
    await terminal.see(/1 shell\(until .* {2}(?:pending|running)/)
    terminal.enter("/take 1")
    await terminal.see("Task 1 still runs.")
    terminal.enter("shell echo meanwhile")
    await terminal.see("✓ shell(echo meanwhile)")
    await writeFile(join(cwd, "go"), "")
    await terminal.see("task 1: shell has ended [Complete]; /take 1 takes its result.")
    expect(terminal.screen()).toMatch(/✓ \[bg\] shell\(until [\s\S]*\n {2}finished\n/)
    terminal.enter("/take 1")
    await terminal.see(/› \/take 1\n✓ \[bg\] shell\(until [\s\S]*\n {2}finished\n\n›$/)
    terminal.enter("/take 1")
    await terminal.see("There is no task 1. /tasks lists them.")
  })

  test("Ctrl-B moves the running call there, and the next call of the lane starts", async () => {
    await using terminal = await openSession(["^(echo|sleep)\\b"])
    terminal.enter("shell sleep 600")
    await terminal.see("⚙ shell(sleep 600)")
    terminal.enter("shell echo next")
    await terminal.see("? shell(echo next) queued")
    terminal.control("b")
    await terminal.see("✓ shell(echo next)")
    await terminal.see("⚙ [bg] shell(sleep 600)")
    terminal.enter("/cancel 1")
    await terminal.see("⊘ [bg] shell(sleep 600)")
  })
})

describe("Ctrl-C", () => {
  test("denies what waits, else cancels what runs and what is queued, else leaves", async () => {
    await using terminal = await openSession(["^sleep\\b"])
    terminal.enter("shell touch x.txt")
    await terminal.see("[y]es")
    terminal.control("c")
    await terminal.see("⊘ shell(touch x.txt)")
    terminal.enter("shell sleep 600")
    await terminal.see("⚙ shell(sleep 600)")
    terminal.enter("shell sleep 601")
    await terminal.see("queued")
    terminal.control("c")
    await terminal.see(/⊘ shell\(sleep 601\)[\s\S]*⊘ shell\(sleep 600\)/)
    terminal.control("c")
    await terminal.ended
    expect(await isThere("x.txt")).toBe(false)
  })

  test("clears a typed line before it leaves, and warns of tasks that would be stopped", async () => {
    await using terminal = await openSession(["^sleep\\b"])
    terminal.enter("shell sleep 600 &")
    await terminal.see("task_id: 1")
    terminal.type("half a line")
    await terminal.see("› half a line")
    terminal.control("c")
    await terminal.missing("half a line")
    terminal.control("c")
    await terminal.see("1 background task still runs. Ctrl-C again stops and leaves.")
    terminal.control("c")
    await terminal.ended
  })
})

test("e at a gate gives a long call to $EDITOR, and the terminal to the session again", async () => {
  const env = { ...process.env, VISUAL: "sed -i s/PWN/fine/" }
  await using terminal = new PseudoTerminal([cli.path], { cwd, env })
  await terminal.see("/help")
  const command = [...Array.from({ length: 9 }, (_, line) => `: ${line}`), "touch PWN"].join("\n")
  terminal.enter(JSON.stringify({ name: "shell", params: { command } }))
  await terminal.see(/│ touch PWN[\s\S]*\[y\]es/)
  terminal.type("e")
  await terminal.see("✓ shell(")
  expect([await isThere("PWN"), await isThere("fine")]).toEqual([false, true])
  terminal.enter("/pending")
  await terminal.see("Nothing is pending.")
})

describe("leaving", () => {
  test("ends what runs and gives the terminal back", async () => {
    await using terminal = await openCommand(["--allow", "shell=^echo\\b", "--allow", "shell=^exec\\b"])
    terminal.enter("shell echo $$ > pid; exec sleep 600")
    await terminal.see("[y]es")
    terminal.type("y")
    await terminal.see("⚙ shell(")
    const written = () => readFile(join(cwd, "pid"), "utf8").catch(() => "")
    await expect.poll(written).toMatch(/^\d+\n$/)
    const pid = Number(await written())
    expect(isAlive(pid)).toBe(true)
    terminal.control("d")
    expect(await terminal.exited).toBe(0)
    expect(isAlive(pid)).toBe(false)
    expect(terminal.raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(terminal.raw.lastIndexOf("\u001b[?25l"))
    expect(terminal.raw.endsWith("\u001b[?2004l")).toBe(true)
    expect(terminal.screen()).not.toContain("›\n")
  })

  test("by SIGTERM ends what runs too, with the status of the signal", async () => {
    await using terminal = await openCommand(["--allow", "shell=^sleep\\b"])
    terminal.enter("shell sleep 600")
    await terminal.see("⚙ shell(sleep 600)")
    process.kill(terminal.pid, "SIGTERM")
    expect(await terminal.exited).toBe(143)
    expect(terminal.screen()).toContain("⊘ shell(sleep 600)")
    expect(terminal.raw.endsWith("\u001b[?2004l")).toBe(true)
  })

  test("by a crash gives the terminal back too, and tells what happened", async () => {
    const file = await compileScript("test/hosts/terminal/crashing-session.ts")
    await using terminal = new PseudoTerminal([file])
    await terminal.see("ready")
    terminal.enter("crash")
    expect(await terminal.exited).toBe(1)
    expect(terminal.everything()).toContain("thrown from a timer")
    expect(terminal.raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(terminal.raw.lastIndexOf("\u001b[?25l"))
    expect(terminal.raw).toContain("\u001b[?2004l")
  })

  test("by /quit", async () => {
    await using terminal = await openCommand()
    terminal.enter("/quit")
    expect(await terminal.exited).toBe(0)
  })
})

describe("the line", () => {
  test("has a history, edits in the middle, and completes names", async () => {
    await using terminal = await openSession(["^echo\\b"])
    terminal.enter("shell echo one")
    await terminal.see("✓ shell(echo one)")
    terminal.type("\u001b[A")
    await terminal.see(/› shell echo one$/)
    terminal.type("\u001b[D\u001b[D\u001b[Dbig \r")
    await terminal.see("✓ shell(echo big one)")
    terminal.type("read_f\t")
    await terminal.see(/› read_file\s*$/)
    expect(terminal.cursor.column).toBe(12)
  })

  test("answers what it does not know with what there is", async () => {
    await using terminal = await openSession()
    terminal.enter("shel ls")
    await terminal.see("There is no tool shel. Tools: read_file,")
    terminal.enter("/tools")
    await terminal.see("read_file PATH [START_LINE] [END_LINE]")
  })

  test("is broken at the width, and edited anywhere", async () => {
    await using terminal = await openSession([], { columns: 40 })
    terminal.type(`shell echo ${"x".repeat(60)} end`)
    await terminal.see(/› shell echo x+\n {2}x+ *\n {2}end$/)
    terminal.control("a")
    await terminal.see("› shell")
    await expect.poll(() => terminal.cursor.column).toBe(2)
  })
})
