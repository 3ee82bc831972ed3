// @module-tag waits
/** Which keys answer a gate, and which were never meant for it. */
import { access, writeFile } from "node:fs/promises"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { editFileTool, writeFileTool } from "../../../src/impls/index.ts"
import { noIde, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { compileScript } from "../../support/run-script.ts"
import { note } from "./note-tool.ts"
import { PseudoTerminal } from "./pseudo-terminal.ts"
import type { ScreenOptions } from "./screen.ts"
import { SessionTerminal } from "./session-terminal.ts"

const path = useTempFolder()

const open = (screen: ScreenOptions = {}): SessionTerminal => {
  const filters = ToolFilters.empty({ cwd: path() })
  const registry = new ToolRegistry([note, writeFileTool, editFileTool])
  return new SessionTerminal(
    { executor: new ToolExecutor(registry, { cwd: path(), filters, delegates: noIde }), filters },
    screen,
  )
}

/** Each as a read of its own. */
const typeEach = async (terminal: SessionTerminal, keys: ReadonlyArray<string>): Promise<void> => {
  for (const key of keys) {
    terminal.type(key)
    await setImmediate()
  }
}

const escape = "\u001b"

describe("Esc goes back at once, whatever is typed behind it:", () => {
  const ways: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["key by key", [escape, "n", "\r"]],
    ["all at once", [`${escape}n\r`]],
    ["with the key behind it", [`${escape}n`, "\r"]],
    ["twice", [escape, escape, "n", "\r"]],
  ]
  for (const [how, keys] of ways) {
    test(`e, Esc, n, Enter denies the call, ${how}`, async () => {
      await using terminal = open()
      terminal.enter("write_file a.txt hello")
      await terminal.see("[y]es [n]o [a]lways [e]dit\n")
      terminal.type("e")
      await terminal.see("The parameters as JSON: Enter approves the call with it")
      await typeEach(terminal, keys)
      await terminal.see("Denied by user")
      await expect(access(path("a.txt"))).rejects.toThrow("ENOENT")
    })
  }

  test("a, Esc, n, Enter denies the call, and remembers nothing", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("[a]lways [e]dit")
    terminal.type("a")
    await terminal.see("› 1. ")
    await typeEach(terminal, [escape, "n", "\r"])
    await terminal.see("Denied by user")
    terminal.enter("note hello")
    await terminal.see("? note(hello)")
  })

  test("Alt and Enter, which are the same to a terminal, approve no edit", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("[e]dit")
    terminal.type("e")
    await terminal.see("› hello")
    terminal.type("!")
    await terminal.see("› hello!")
    await typeEach(terminal, [`${escape}\r`, "\r"])
    await terminal.missing("hello!")
    expect(terminal.screen()).toMatch(/\[y\]es \[n\]o \[a\]lways \[e\]dit\n\n›$/)
  })

  test("while the keys of a line, and sequences that come in two parts, stay what they are", async () => {
    await using terminal = open()
    terminal.enter("note one two")
    await terminal.see("[e]dit")
    terminal.type("e")
    await terminal.see("› one two")
    await typeEach(terminal, [`${escape}b`, escape, "[D", "!"])
    await terminal.see("› one! two")
    terminal.type("\r")
    await terminal.see("✓ note(one! two)")
  })
})

describe("an edit that changes nothing approves nothing", () => {
  const unchanged = "Nothing was changed, and nothing is decided yet: [y]es approves the call as it\nis.\n"

  test("whether it stands as it was, or only looks otherwise", async () => {
    await using terminal = open()
    terminal.enter("write_file a.txt hello")
    const ways = [
      { typed: "", drawn: "\n  }" },
      { typed: "\u001b[H ", drawn: "\n   }" },
    ]
    for (const { typed, drawn } of ways) {
      await terminal.see(/\[e\]dit\n\n›$/)
      terminal.type("e")
      await terminal.see("\n  }")
      terminal.type(typed)
      await terminal.see(drawn)
      terminal.type("\r")
      await terminal.see(unchanged)
      terminal.control("l")
      await terminal.missing(unchanged)
    }
    terminal.type("y")
    await terminal.see("✓ write_file(a.txt)")
  })
})

describe("what was typed before a question was drawn does not answer it:", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("a key that is read once the time to react is over, while the screen does not yet offer it", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("  …\n\n›")
    vi.advanceTimersByTime(400)
    terminal.type("y")
    await terminal.see("› y")
    expect(terminal.everything()).not.toContain("kept")
  })

  test("Enter in a menu or an edit that is not on the screen yet", async () => {
    await using terminal = open()
    terminal.enter("note hello")
    await terminal.see("…")
    vi.advanceTimersByTime(300)
    await terminal.see("[e]dit")
    terminal.type("a")
    await setImmediate()
    terminal.type("\r")
    await terminal.see("› 1. ")
    terminal.type(escape)
    await terminal.missing("› 1. ")
    terminal.type("e")
    await setImmediate()
    terminal.type("!")
    await setImmediate()
    terminal.type("\r")
    await terminal.see("› hello!")
    expect(terminal.everything()).not.toContain("kept")
    terminal.type("\r")
    await terminal.see("kept 6")
  })
})

test("a line end that is left of a long paste, in a read of its own, approves no edit", async () => {
  await using terminal = open({ columns: 200, rows: 60 })
  terminal.enter("note hello")
  await terminal.see("[e]dit")
  terminal.type("e")
  await terminal.see("› hello")
  await typeEach(terminal, ["x".repeat(4095), "\r"])
  await terminal.see("xxx")
  expect(terminal.everything()).not.toContain("kept")
  terminal.type("\r")
  await terminal.see("kept 4100")
})

test("a key that waits in the terminal while this process is busy does not answer the gate that it then draws", async () => {
  const file = await compileScript("test/hosts/terminal/busy-session.ts")
  await using terminal = new PseudoTerminal([file, path()])
  await terminal.see("ready")
  terminal.enter("busy")
  await expect.poll(() => access(path("drawing"))).toBeUndefined()
  terminal.type("y")
  await writeFile(path("typed"), "")
  await terminal.see("once the line below is empty\n\n› y")
  expect(terminal.everything()).not.toContain("done")
  terminal.control("u")
  await terminal.see(/\[e\]dit\n\n›$/)
  terminal.type("y")
  await terminal.see("done")
})

describe("a large edit", () => {
  const count = 199
  const lines = (word: string) =>
    Array.from({ length: count }, (_, i) => `const ${word}${i} = ${i}\n`).join("")
  const edits = Array.from({ length: count }, (_, i) => ({
    old_string: `before${i} =`,
    new_string: `after${i} =`,
  }))

  test("begins with its diff, has no JSON, and End goes to the answer and says what was passed over", async () => {
    await writeFile(path("a.ts"), lines("before"))
    await using terminal = open({ columns: 100 })
    terminal.enter(`edit_file a.ts ${JSON.stringify({ edits })}`)
    const first = await terminal.see("[n]o")
    expect(first).toMatch(
      /\? edit_file\(a\.ts\)\n│ --- .*\n│ \+\+\+ .*\n│ @@ .*\n│ -const before0 = 0\n[\s\S]*\n {2}\[n\]o {2}space shows 384 more rows; End goes to the answer\n\n›$/,
    )
    terminal.type("y")
    terminal.type("\u001b[F")
    await terminal.see("│ +const after198 = 198")
    const last = await terminal.see(/\[e\]dit {2}.* rows were not shown: PageUp goes back/)
    expect(last.slice(last.indexOf("? edit_file"))).not.toContain("old_string")
    terminal.type("y")
    await terminal.see("✓ edit_file(a.ts)")
  })
})
