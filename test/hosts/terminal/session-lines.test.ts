// @module-tag waits
/** What is typed into a session, and what it says of it: on a terminal within this process. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { LineHistory } from "../../../src/hosts/terminal/line-history.ts"
import type { SessionOptions } from "../../../src/hosts/terminal/session-options.ts"
import { readOnlyTools, shellTool } from "../../../src/impls/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import type { ScreenOptions } from "./screen.ts"
import { SessionTerminal } from "./session-terminal.ts"

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-lines-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const open = (options: Partial<SessionOptions> = {}, screen: ScreenOptions = {}): SessionTerminal => {
  const filters = ToolFilters.compile({ shell: { allow: ["."] } })
  const executor = new ToolExecutor(new ToolRegistry([shellTool, ...readOnlyTools()]), { cwd, filters })
  return new SessionTerminal({ executor, cwd, ...options }, screen)
}

const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`

describe("a line", () => {
  test("that is pasted keeps its line ends, can be edited, and runs when Enter says so", async () => {
    await using terminal = open()
    terminal.type(pasted("shell for i in 1 2\rdo echo line $i\rdone"))
    await terminal.see(/› shell for i in 1 2\n {2}do echo line \$i\n {2}done$/)
    terminal.type("\u001b[A\u001b[F!\r")
    await terminal.see(/\n {2}line 1!\n {2}line 2!\n/)
    expect(terminal.screen()).toContain("› shell for i in 1 2 ⏎ do echo line $i! ⏎ done\n")
  })

  test("that begins with ! is for the shell", async () => {
    await using terminal = open()
    terminal.enter("!echo $((40 + 2))")
    await terminal.see(/✓ shell\(echo .*\)\n {2}42\n/)
  })

  test("is found again by Ctrl-R, also one of an earlier session", async () => {
    const history = new LineHistory(["shell echo earlier", "shell echo other"])
    await using terminal = open({ history })
    terminal.control("r")
    terminal.type("ear")
    await terminal.see("search: ear › shell echo earlier")
    terminal.type("\r")
    await terminal.see(/✓ shell\(echo earlier\)\n {2}earlier\n/)
    expect(history.at(1)).toBe("shell echo earlier")
  })

  test("is completed by Tab, which lists what is possible", async () => {
    await writeFile(join(cwd, "notes.md"), "hello\n")
    await writeFile(join(cwd, "now.md"), "hello\n")
    await using terminal = open()
    terminal.type("read_f\tn")
    await terminal.see("› read_file n")
    terminal.type("\t")
    await terminal.see("› read_file no")
    terminal.type("\t")
    await terminal.see(/notes\.md {2}now\.md\n\n› read_file no$/)
    terminal.type("t\t")
    await terminal.see("› read_file notes.md")
    terminal.type("\r")
    await terminal.see("✓ read_file(notes.md)")
  })
})

describe("what people are told", () => {
  const rename = defineTool({
    name: "rename",
    description: "Renames.",
    parameters: Type.Object({ to: Type.String() }),
    compose: ({ to }) =>
      pipeline()
        .andThen(() => Step.Output(`would be ${to}`))
        .awaitResolve({ label: `Rename to ${to}` })
        .andThen(() => Step.Output(`is ${to}`)),
  })

  test("of a preview are the session's own commands, not the model's tool", async () => {
    const executor = new ToolExecutor(new ToolRegistry([rename]))
    await using terminal = new SessionTerminal({ executor })
    terminal.enter("rename b")
    await terminal.see("✓ rename(b)\n│ would be b\n/apply makes these changes, /discard drops them.")
    expect(terminal.everything()).not.toContain("Call the")
    terminal.enter("/apply")
    await terminal.see("is b")
  })

  test("of a task that never was is that there is none", async () => {
    await using terminal = open()
    terminal.enter("get_background_task 9")
    await terminal.see("› get_background_task 9\nThere is no task 9. /tasks lists them.\n\n›")
  })

  test("of a task that is left running counts no call that was cancelled in the foreground", async () => {
    const gate = deferred<void>()
    const slow = defineTool({
      name: "slow",
      description: "Takes its time to clean up.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline()
          .andThen(() => new Promise<Step>(() => {}))
          .finally(() => gate.promise.then(() => Step.Continue)),
    })
    const executor = new ToolExecutor(new ToolRegistry([slow]), { finallyTimeout: "Infinity" })
    const terminal = new SessionTerminal({ executor })
    terminal.enter("slow")
    await terminal.see("⚙ slow()")
    terminal.control("c")
    terminal.control("c")
    await terminal.see("Stopping what runs…", "everything").catch(() => undefined)
    gate.resolve()
    await terminal.ended
    expect(terminal.everything()).not.toContain("background task")
  })
})

test("a screen that changes its width begins anew: nothing of the old one is left on it", async () => {
  await using terminal = open({}, { columns: 100, rows: 24 })
  terminal.enter("shell echo before; seq 3")
  await terminal.see(/\n {2}3\n\n›$/)
  terminal.enter(`shell seq 5; until [ -e go ]; do sleep 0.05; done; echo ${"0 ".repeat(30)}`)
  await terminal.see(/⚙ shell\(.*\n[\s\S]* {2}5\n\n›$/)
  for (const columns of [60, 40, 90, 30, 70]) {
    terminal.resize(columns, 24)
    const screen = await terminal.see(/^⚙ shell\(.*\) . [\d.]+s(?: .*)?\n {2}1\n[\s\S]* {2}5\n\n›$/m)
    expect(screen.match(/⚙ shell/g)).toHaveLength(1)
    expect(screen).toContain("› shell echo before; seq 3\n")
    expect(screen.match(/✓ shell/g)).toHaveLength(1)
  }
  await writeFile(join(cwd, "go"), "")
  await terminal.see(/✓ shell\(seq 5/)
})
