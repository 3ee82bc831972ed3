// @module-tag waits
/** What has to be seen before it can be approved. */
import { access, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Type } from "@sinclair/typebox"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { shellTool } from "../../../src/impls/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { note } from "./note-tool.ts"
import type { ScreenOptions } from "./screen.ts"
import { SessionTerminal } from "./session-terminal.ts"

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-gates-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const stage = defineTool({
  name: "stage",
  description: "Shows what it would do.",
  parameters: Type.Object({ label: Type.String() }),
  compose: ({ label }) =>
    pipeline()
      .andThen(() => Step.Output(Array.from({ length: 60 }, (_, i) => `change ${i}\u202e`).join("\n")))
      .awaitResolve({ label })
      .andThen(() => Step.Output("done")),
})

const open = (screen: ScreenOptions = {}): SessionTerminal => {
  const executor = new ToolExecutor(new ToolRegistry([shellTool, note, stage]), { cwd })
  return new SessionTerminal({ executor }, screen)
}

const isThere = (name: string): Promise<boolean> =>
  access(join(cwd, name)).then(
    () => true,
    () => false,
  )

const call = (name: string, params: object): string => JSON.stringify({ name, params })

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `echo ${i + 1}`).join("\n")

test("a carriage return does not overwrite what runs", async () => {
  await using terminal = open()
  terminal.enter(call("shell", { command: "touch PWN #\rls -la", working_dir: "\u001b[2J\u202e." }))
  await terminal.see(
    "? shell(touch PWN #⟦CR⟧ls -la)\n  working_dir: ⟦ESC⟧[2J⟦U+202E⟧.\n  [y]es [n]o [a]lways",
  )
  terminal.type("n\r")
  await terminal.see("⊘ shell(touch PWN #⟦CR⟧ls -la)")
})

test("blanks do not push a command away: their number stands in their place", async () => {
  await using terminal = open()
  terminal.enter(call("shell", { command: `echo hi${" ".repeat(5000)}; touch PWN` }))
  await terminal.see("? shell(echo hi⟦5000 spaces⟧; touch PWN)\n  [y]es [n]o [a]lways")
  terminal.type("n\r")
})

test("a call that is taken out makes room for the next gate", async () => {
  const executor = new ToolExecutor(new ToolRegistry([shellTool]), { cwd })
  await using terminal = new SessionTerminal({ executor })
  const asking = (callId: string) => ({
    callId,
    lane: callId,
    name: "shell",
    params: { command: `echo ${callId}` },
  })
  executor.enqueue([asking("first"), asking("second")])
  await terminal.see(/\? shell\(echo first\)[\s\S]*1 more to decide/)
  executor.leave("first")
  expect(await terminal.see("? shell(echo second)\n  [y]es")).not.toContain("echo first")
  terminal.type("y")
  await terminal.see("✓ shell(echo second)")
})

describe("what does not fit is paged", () => {
  test("and y counts once the last page was on the screen", async () => {
    await using terminal = open()
    terminal.enter(call("shell", { command: `${numbered(50)}\ntouch seen` }))
    const first = await terminal.see("[n]o")
    expect(first).toMatch(/│ echo 1\n[\s\S]*│ echo 18\n {2}\[n\]o {2}space shows 33 more rows\n\n›$/)
    expect(first).not.toContain("[y]es")
    terminal.type("ya")
    terminal.type(" ")
    await terminal.see(/│ echo 19\n[\s\S]*│ echo 36\n {2}\[n\]o {2}space shows 15 more rows\n\n›$/)
    terminal.type("y")
    expect(await isThere("seen")).toBe(false)
    terminal.type("\r")
    await terminal.see(/│ touch seen\n {2}\[y\]es \[n\]o \[a\]lways \[e\]dit {2}PageUp goes back\n\n›$/)
    expect(await isThere("seen")).toBe(false)
    terminal.type("\u001b[5~")
    await terminal.see("│ echo 16\n")
    terminal.type("y")
    await terminal.see("✓ shell(")
    expect(await isThere("seen")).toBe(true)
  })

  test("two keys at once turn one page: what was never drawn was never seen", async () => {
    await using terminal = open()
    terminal.enter(call("shell", { command: `${numbered(50)}\ntouch seen` }))
    await terminal.see("[n]o")
    terminal.type("    y")
    await terminal.see(/│ echo 19\n[\s\S]*15 more rows/)
    terminal.type("n\r")
    await terminal.see("Denied by user")
    expect(await isThere("seen")).toBe(false)
  })

  test("n denies on any page", async () => {
    await using terminal = open()
    terminal.enter(call("note", { text: numbered(100) }))
    await terminal.see("more rows")
    terminal.type("n\r")
    await terminal.see("Denied by user")
  })

  test("from its beginning again, where the window becomes narrower before all was seen", async () => {
    await using terminal = open({ columns: 60 })
    terminal.enter(call("note", { text: numbered(45) }))
    await terminal.see(/│ echo 1\n[\s\S]*\[n\]o/)
    terminal.type(" ")
    await terminal.see("│ echo 19\n")
    terminal.resize(40, 24)
    await terminal.see(/\? note\(.*\n│ echo 1\n/)
    terminal.type(" ")
    await terminal.see("│ echo 19\n")
    terminal.type(" ")
    await terminal.see("[y]es")
    terminal.resize(60, 24)
    await terminal.see("[y]es")
    terminal.type("y")
    await terminal.see("kept")
  })

  test("and nothing is approved in a window that is too low to show anything", async () => {
    await using terminal = open({ rows: 5 })
    terminal.enter(call("note", { text: "a\nb\nc" }))
    await terminal.see("[n]o  this window is too low to show it")
    terminal.type("y")
    terminal.resize(80, 24)
    await terminal.see("│ a\n│ b\n│ c\n  [y]es")
    terminal.type("y")
    await terminal.see("kept 5")
  })
})

describe("the keys of a gate", () => {
  test("n asks for a reason, which Esc takes back", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("[y]es")
    terminal.type("n")
    await terminal.see(
      /\[e\]dit\n\nWhy not\? Enter denies the call, also without a reason; Esc goes back\.\n›$/,
    )
    terminal.type("y")
    await terminal.see("› y")
    terminal.type("\u001b")
    await terminal.missing("Why not?")
    terminal.type("n")
    await terminal.see("Why not?")
    terminal.enter("not today")
    await terminal.see("Denied: not today")
  })

  test("e edits a lone text as it is, and Enter approves the call with it", async () => {
    await using terminal = open()
    terminal.enter(call("note", { text: "one\ntwo" }))
    await terminal.see("[y]es")
    terminal.type("e")
    await terminal.see(/The text: Enter approves the call with it.*\n› one\n {2}two$/)
    terminal.type("!")
    await terminal.see("two!")
    terminal.type("\r")
    await terminal.see("kept 8")
    expect(terminal.screen()).toContain("✓ note(one ⏎ two!)")
  })

  test("an edited call is shown with the parameters that run", async () => {
    await using terminal = open()
    terminal.enter(call("shell", { command: "echo one" }))
    await terminal.see("[y]es")
    terminal.type("e")
    await terminal.see("Enter approves")
    terminal.type("\u0015sleep 100")
    await terminal.see("sleep 100")
    terminal.type("\r")
    await terminal.see(/⚙ shell\(sleep 100\)/)
    terminal.type("\u0003")
    await terminal.see("⊘ shell(sleep 100)")
  })

  test("e edits all else as JSON, and goes on asking where it is none", async () => {
    await using terminal = open()
    terminal.enter(call("shell", { command: "touch one", working_dir: "." }))
    await terminal.see("[y]es")
    terminal.type("e")
    await terminal.see('  "command": "touch one",')
    terminal.type("x")
    await terminal.see("}x")
    terminal.type("\r")
    await terminal.see(/That is no JSON: [\s\S]*The parameters as JSON: Enter approves/)
    terminal.type("\u007f\u001b[A\u001b[A\u001b[F\u001b[D\u001b[D\u0008\u0008\u0008two")
    await terminal.see("touch two")
    terminal.type("\r")
    await terminal.see("✓ shell(touch two)")
    expect([await isThere("one"), await isThere("two")]).toEqual([false, true])
  })

  test("e takes a long text to the editor that is set, and gives the keys back", async () => {
    const edited: Array<string> = []
    vi.stubEnv("VISUAL", "my-editor --wait")
    onTestFinished(() => void vi.unstubAllEnvs())
    const executor = new ToolExecutor(new ToolRegistry([note]))
    const editText = async (command: string, text: string, fileName: string) => {
      edited.push(command, text, fileName)
      return `${text}more\n`
    }
    await using terminal = new SessionTerminal({ executor, editText })
    terminal.enter(call("note", { text: numbered(12) }))
    await terminal.see("[y]es")
    terminal.type("e")
    await terminal.see(`kept ${numbered(12).length + 4}`)
    expect(edited).toEqual(["my-editor --wait", numbered(12), "text.txt"])
    terminal.enter("note again")
    await terminal.see("? note(again)")
  })

  test("e does nothing before all was seen", async () => {
    await using terminal = open()
    terminal.enter(call("note", { text: numbered(30) }))
    await terminal.see("more rows")
    terminal.type("e")
    terminal.type(" ")
    await terminal.see("[y]es")
    expect(terminal.screen()).not.toContain("Enter approves")
  })

  test("a says what it would remember, and is not offered where nothing can be", async () => {
    const filters = ToolFilters.compile({ note: { deny: ["secret"] } }, { cwd })
    const executor = new ToolExecutor(new ToolRegistry([shellTool, note]), { cwd, filters })
    await using terminal = new SessionTerminal({ executor, filters })
    terminal.enter("shell touch a.txt")
    await terminal.see(
      /\[a\]lways allows shell: \{"command":"touch a\.txt"\} in [^[]*\[y\]es \[n\]o \[a\]lways \[e\]dit\n/,
    )
    terminal.type("a")
    await terminal.see("› 1. this very call, and no other")
    terminal.type("\r")
    await terminal.see("✓ shell(touch a.txt)")
    terminal.enter("shell touch a.txt")
    await terminal.see(/✓ shell\(touch a\.txt\)[\s\S]*✓ shell\(touch a\.txt\)/)
    terminal.enter(`shell echo ${"long ".repeat(60)}`)
    await terminal.see("[a]lways allows this very call of shell, and no other\n  [y]es [n]o [a]lways")
    terminal.type("n\r")
    terminal.enter("shell cat <<$'E\\x{46'")
    await terminal.see(
      /\? shell\(cat.*\n {2}asked because: What the line runs[^[]*\n {2}\[y\]es \[n\]o \[e\]dit\n/,
    )
    terminal.type("n\r")
    await terminal.see("⊘ shell(cat")
  })

  test("a offers rules, each shown before it is stored, and one of one's own", async () => {
    const filters = ToolFilters.empty({ cwd })
    const executor = new ToolExecutor(new ToolRegistry([shellTool]), { cwd, filters })
    await using terminal = new SessionTerminal({ executor, filters })
    terminal.enter("shell echo one && echo two")
    await terminal.see("[y]es")
    terminal.type("a")
    await terminal.see('› 1. this very call, and no other: {"command":"echo one && echo two"}')
    await terminal.see(
      [
        "  2. each of its commands, also alone: ^echo one$  ^echo two$",
        "  3. any command of shell here; risky options and redirections still ask: .*",
        "  4. a pattern of your own",
      ].join("\n"),
    )
    terminal.type("\u001b")
    await terminal.see(/\[e\]dit\n\n›$/)
    expect(filters.remembered()).toEqual({})
    terminal.type("a")
    await terminal.see("4. a pattern of your own")
    terminal.type("4")
    await terminal.see("› 4. a pattern")
    terminal.type("\r")
    await terminal.see("A regular expression for shell.")
    terminal.control("u")
    terminal.type("^git")
    await terminal.see("› ^git")
    terminal.type("\r")
    await terminal.see("This pattern does not allow the call")
    terminal.control("u")
    terminal.type("^echo [a-z]+")
    await terminal.see("› ^echo [a-z]+")
    terminal.type("\r")
    await terminal.see("✓ shell(echo one && echo two)")
    expect(filters.remembered()).toEqual({ shell: { allow: ["^echo [a-z]+"] } })
  })

  test("what a offers is read whole on a narrow screen, and so are the keys", async () => {
    const filters = ToolFilters.empty({ cwd })
    const executor = new ToolExecutor(new ToolRegistry([shellTool]), { cwd, filters })
    await using terminal = new SessionTerminal({ executor, filters }, { columns: 20 })
    terminal.enter("shell echo one && echo two")
    await terminal.see(/^\[y\]es \[n\]o \[a\]lways\n\n›$/m)
    terminal.type("a")
    await terminal.see(
      "Approve it, and from\nnow on without\nasking:\n› 1. this very call,\n   and no other\n",
    )
    terminal.type("3")
    await terminal.see(
      "› 3. any command of␣\n  shell here; risky␣\n  options and redire\n  ctions still ask\n",
    )
    terminal.type("\u001b")
    await terminal.missing("any command")
    terminal.type("n\r")
    await terminal.see("⊘ shell(")
    terminal.enter(call("shell", { command: numbered(30) }))
    await terminal.see(/^ {2}\[n\]o {2}space shows…$/m)
  })

  test("why it asks stands at the gate, and why it was denied below it", async () => {
    const filters = ToolFilters.compile({ shell: { allow: ["^ls"], deny: ["rm"] } }, { cwd })
    const executor = new ToolExecutor(new ToolRegistry([shellTool]), { cwd, filters })
    await using terminal = new SessionTerminal({ executor, filters })
    terminal.enter("shell ls && echo hi")
    await terminal.see(
      /asked because: No allow rule matches `echo hi`\.\n {2}\[a\]lways allows shell: [^[]*\[y\]es/,
    )
    terminal.type("n\r")
    await terminal.see("⊘ shell(ls")
    terminal.enter("shell rm a")
    await terminal.see(
      "Denied by policy: a rule forbids this call of shell\n  The deny rule `rm` matches `rm a`.",
    )
  })
})

describe("what was typed before anybody can have read a gate", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("does not answer it, and neither does a key that is held down", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("? note(hello)\n  …")
    terminal.type("y")
    await terminal.see("once the line below is empty\n\n› y")
    vi.advanceTimersByTime(200)
    terminal.type("\u007f")
    await terminal.see(/…\n\n›$/)
    vi.advanceTimersByTime(200)
    terminal.type("y")
    await terminal.see("› y")
    terminal.type("\u007f")
    await terminal.see(/…\n\n›$/)
    expect(terminal.everything()).not.toContain("[y]es")
    vi.advanceTimersByTime(300)
    await terminal.see("[y]es")
    terminal.type("y")
    await terminal.see("kept 5")
  })

  test("does not answer the next one either, of the same call or of another", async () => {
    const twice = defineTool({
      name: "twice",
      description: "Asks twice.",
      parameters: Type.Object({}),
      compose: () => pipeline().awaitApproval({ label: "One" }).awaitApproval({ label: "Two" }),
    })
    const executor = new ToolExecutor(new ToolRegistry([twice]))
    await using terminal = new SessionTerminal({ executor })
    terminal.enter("twice")
    for (const label of ["One", "Two"]) {
      await terminal.see(`  ${label}\n  …`)
      vi.advanceTimersByTime(300)
      await terminal.see(`  ${label}\n  [y]es`)
      terminal.type("y")
    }
    await terminal.see("✓ twice")
  })

  test("turns no page", async () => {
    await using terminal = open()
    terminal.enter(call("note", { text: numbered(30) }))
    await terminal.see("│ echo 1\n")
    terminal.type(" ")
    await terminal.see("once the line below is empty")
    expect(terminal.screen()).toContain("│ echo 1\n")
  })
})

test("keys that come at once, as what is pasted may, approve nothing", async () => {
  await using terminal = open()
  terminal.enter("note hello")
  await terminal.see("[y]es")
  for (const keys of ["y\r", "a\r", "echo hi\r", "\u001b[200~x\u001b[201~y\r"]) {
    terminal.type(keys)
    await setImmediate()
  }
  terminal.control("l")
  expect(terminal.everything()).not.toContain("kept")
  terminal.enter("x")
  await terminal.see("There is no tool")
  await terminal.see("[y]es")
  terminal.type("e")
  await terminal.see("Enter approves")
  terminal.type("!\r")
  await terminal.see("› hello!")
  terminal.type("\r")
  await terminal.see("kept 6")
})

test("a gate takes the place of what runs beside it, where it would have none", async () => {
  const filters = ToolFilters.compile({ shell: { allow: ["^\\[", "^sleep"] } })
  const executor = new ToolExecutor(new ToolRegistry([shellTool, note]), { cwd, filters })
  await using terminal = new SessionTerminal({ executor }, { rows: 12 })
  for (let count = 0; count < 6; count += 1) {
    terminal.enter("shell until [ -e go ]; do sleep 0.05; done &")
    await terminal.see(`Running in background (task_id: ${count + 1})`, "everything")
  }
  terminal.enter(call("note", { text: numbered(8) }))
  await terminal.see(/^\? note\(.*\n│ echo 1\n[\s\S]*│ echo 7\n {2}\[n\]o {2}space shows 1 more row\n\n›$/m)
  terminal.type(" ")
  await terminal.see("│ echo 8\n  [y]es")
  terminal.type("y")
  await terminal.see("kept")
})

test("a preview that /apply would make true is printed whole, with what hides in it", async () => {
  await using terminal = open()
  terminal.enter(call("stage", { label: "All\u200b" }))
  await terminal.see("[1 pending: All⟦U+200B⟧] ›")
  const shown = terminal.everything()
  for (let line = 0; line < 60; line += 1) expect(shown).toContain(`│ change ${line}⟦U+202E⟧\n`)
})

test("a command's own output can do nothing to the terminal, as it streams and when it has ended", async () => {
  const filters = ToolFilters.compile({ shell: { allow: ["."] } })
  const executor = new ToolExecutor(new ToolRegistry([shellTool]), { cwd, filters })
  await using terminal = new SessionTerminal({ executor })
  const hostile = "\\033[2J\\033]0;title\\007\\033P1$r0m\\033\\\\\\302\\2332J"
  terminal.enter(`shell printf 'streamed${hostile}\\n'; until [ -e go ]; do sleep 0.05; done &`)
  await terminal.see("task_id: 1")
  terminal.enter(`shell printf 'ended${hostile}\\n'`)
  await terminal.see(/\n {2}ended\n/)
  expect(terminal.raw).not.toMatch(/\u001b\[2J|\u001b\]0;|\u001bP|[\u0080-\u009f]/)
})

test("a gate that somebody else answers, as on a page, is asked here no longer", async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = defineTool({
    name: "slow",
    description: "Says nothing for a while.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline()
        .awaitApproval()
        .andThen(async () => {
          await released
          return Step.Output("at last")
        }),
  })
  const executor = new ToolExecutor(new ToolRegistry([slow]), { cwd })
  await using terminal = new SessionTerminal({ executor })
  terminal.enter(call("slow", {}))
  await terminal.see("[y]es [n]o")
  expect(executor.approve("1")).toBe(true)
  await terminal.missing("[y]es")
  release()
  await terminal.see("at last")
})
