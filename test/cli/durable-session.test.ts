// @module-tag waits
/** `stepline --durable` on a pseudo-terminal: killed, and started again. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { useCli } from "./built-cli.ts"

const path = useTempFolder()
const cli = useCli()

const open = (...args: ReadonlyArray<string>): PseudoTerminal => {
  const env = { ...process.env, HOME: path() }
  return new PseudoTerminal([cli.path, "--durable", "calls.db", ...args], { cwd: path(), env })
}

const kill = async (terminal: PseudoTerminal): Promise<void> => {
  process.kill(terminal.pid, "SIGKILL")
  await terminal.exited
}

it("goes on where it was killed: questions, tasks with their ids, previews", async () => {
  await writeFile(path("a.ts"), "foo(1)\n")
  await using first = open("--allow", "shell=^sleep")
  await first.see("/help")
  first.enter("shell touch background.txt; sleep 600 &")
  await first.see("[y]es")
  first.type("y")
  await expect.poll(() => existsSync(path("background.txt"))).toBe(true)
  first.enter('ast_edit {"ops": [{"pattern": "foo($A)", "replacement": "bar($A)"}], "paths": ["."]}')
  await first.see("/apply makes these changes")
  first.enter("shell touch asked.txt")
  await first.see(/touch asked\.txt[\s\S]*\[y\]es/)
  await kill(first)
  expect(existsSync(path("asked.txt"))).toBe(false)

  await using second = open()
  await second.see("1 call, 1 background task, and 1 preview go on in calls.db.")
  await second.see(/touch asked\.txt[\s\S]*\[y\]es/)
  second.type("y")
  await second.see("✓ shell(touch asked.txt)")
  expect(existsSync(path("asked.txt"))).toBe(true)
  // A command is not run again: it may have run.
  await second.see("/take 1 takes its result")
  second.enter("/take 1")
  await second.see("Interrupted: the process ended while Shell ran.")
  second.enter("/apply")
  await second.see(/Replace foo\(\$A\)[\s\S]*\+ *bar\(1\)[\s\S]*\[y\]es/)
  second.type("y")
  await second.see("✓ resolve")
  expect(await readFile(path("a.ts"), "utf8")).toBe("bar(1)\n")
  second.enter("shell touch new.txt")
  await second.see(/touch new\.txt[\s\S]*\[y\]es/)
  const { stdout } = await promisify(execFile)(process.execPath, [cli.path, "inbox", "--store", "calls.db"], {
    cwd: path(),
  })
  const [, id] =
    /^(\d+) of main: shell \{"command":"touch new\.txt"\} waits for an approval/m.exec(stdout) ?? []
  expect(Number(id)).toBeGreaterThan(3)
  second.control("d")
  await second.see("1 call waits in calls.db.", "everything")
  expect(await second.exited).toBe(0)
  expect(second.screen()).not.toContain("[y]es")
  expect(existsSync(path("new.txt"))).toBe(false)
})

it("is for a session: a single call refuses it", async () => {
  const calling = promisify(execFile)(
    process.execPath,
    [cli.path, "--durable", "calls.db", "shell", "true"],
    {
      cwd: path(),
    },
  )
  await expect(calling).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "--durable is for a session, and for `stepline run`: not for a single call.",
    ),
  })
  expect(existsSync(path("calls.db"))).toBe(false)
})
