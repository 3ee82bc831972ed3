// @module-tag waits
/** What tools of other agents ask and tell in a session of the command, with keys typed into a real terminal. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { CustomTools } from "../../../src/custom-tools/index.ts"
import { shellTool } from "../../../src/impls/index.ts"
import { ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { runNode, useCli } from "../../cli/built-cli.ts"
import { PseudoTerminal } from "./pseudo-terminal.ts"
import type { ScreenOptions } from "./screen.ts"
import { SessionTerminal } from "./session-terminal.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-dialogs-"))
  await mkdir(join(cwd, "tools"))
  await writeFile(join(cwd, "tools/asker.js"), asker)
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

/** `ask` evaluates its code, and shows what that gives behind `told`. */
const asker = `import { existsSync, writeFileSync } from "node:fs"
const until = async (path) => {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20))
}
export default (api) => ({
  name: "ask",
  label: "Ask",
  description: "Asks what it is told to ask.",
  parameters: api.typebox.Type.Object({ code: api.typebox.Type.String() }),
  annotations: { readOnlyHint: true },
  async execute(_id, { code }, _onUpdate, ctx) {
    const AsyncFunction = (async () => {}).constructor
    const tools = { ui: ctx.ui, ctx, until, write: writeFileSync, cwd: ctx.cwd }
    const told = await new AsyncFunction(...Object.keys(tools), code)(...Object.values(tools))
    return { content: [{ type: "text", text: "told " + JSON.stringify(told) }] }
  },
})`

const openSession = async (screen: ScreenOptions = {}): Promise<SessionTerminal> => {
  const registry = new ToolRegistry([shellTool])
  const customTools = await CustomTools.load({ cwd, registry, paths: [join(cwd, "tools")], discovery: false })
  const filters = ToolFilters.compile({ shell: { allow: ["^(\\[|sleep) "] } })
  const executor = new ToolExecutor(registry, { cwd, filters, hooks: customTools.hooks })
  customTools.attach(executor)
  const terminal = new SessionTerminal({ executor, colors: true }, { columns: 160, rows: 40, ...screen })
  customTools.setUIContext(terminal.session.ui, true)
  await customTools.emit({ reason: "start" })
  await terminal.see(/›$/)
  return terminal
}

const ask = (code: string): string => `ask ${JSON.stringify({ code })}`
const escape = "\u001b"

describe("confirm", () => {
  const question = ask(`return [ctx.hasUI, await ui.confirm("Go on?", "It’s “long” – wait…")]`)
  const asked = /\n\? ask: Go on\?\n│ It’s “long” – wait…\n\[y\]es \[n\]o$/

  test.each([
    ["y", "true", "yes"],
    ["N", "false", "no"],
    [escape, "false", "(not answered)"],
  ])("is answered by the key %j with %s, and the prompt is back", async (key, answer, said) => {
    await using terminal = await openSession()
    terminal.enter(question)
    await terminal.see(asked)
    terminal.type(key)
    await terminal.see(`told [true,${answer}]`)
    expect(await terminal.see(/\n›$/)).toContain(`\nask: Go on? ${said}\n`)
  })

  test("takes no other key and no paste for an answer", async () => {
    await using terminal = await openSession()
    terminal.enter(question)
    await terminal.see(asked)
    terminal.type(`\u001b[200~y${escape}[201~x\ry`)
    terminal.control("o")
    await terminal.see(/(?:\? ask: Go on\?[\s\S]*){2}/)
    terminal.type("y")
    await terminal.see("told [true,true]")
    await terminal.see(/\n›$/)
    expect(terminal.everything()).not.toContain("(not answered)")
  })

  test("shows all that it asks, a page at a time, and takes an answer once the last one was there", async () => {
    await using terminal = await openSession({ rows: 16 })
    terminal.enter(
      ask(`const lines = Array.from({ length: 40 }, (_, i) => "line " + i + "\\u001b[2J").join("\\n")
        return ui.confirm("Sure\\u001b]0;title\\u0007?", lines)`),
    )
    const first = await terminal.see(
      /\? ask: Sure⟦ESC⟧\]0;title⟦BEL⟧\?\n│ line 0⟦ESC⟧\[2J\n[\s\S]* {2}space shows \d+ more rows$/,
    )
    expect(first).not.toContain("[y]es")
    terminal.type("y")
    for (let line = 8; line < 39; line += 9) {
      terminal.type(" ")
      await terminal.see(`│ line ${line}⟦`)
    }
    await terminal.see(/│ line 39⟦ESC⟧\[2J\n\[y\]es \[n\]o$/)
    terminal.type("n")
    await terminal.see("told false")
    expect(terminal.raw).not.toMatch(/\u001b\[2J|\u001b\]0;title/)
  })
})

describe("select", () => {
  const question = ask(`return ui.select("Where to?", ["staging", "production", "nowhere"]) ?? null`)
  const asked = /\n\? ask: Where to\?\n› 1\. staging\n {2}2\. production\n {2}3\. nowhere\n/

  test("takes an option by its number and Enter", async () => {
    await using terminal = await openSession()
    terminal.enter(question)
    await terminal.see(asked)
    terminal.type("2")
    await terminal.see("› 2. production")
    expect(terminal.screen()).not.toContain("told")
    terminal.type("\r")
    await terminal.see('told "production"')
    expect(terminal.screen()).toContain("\nask: Where to? production\n")
  })

  test("takes an option by the arrow keys, which stop at the ends", async () => {
    await using terminal = await openSession()
    terminal.enter(question)
    await terminal.see(asked)
    terminal.type("\u001b[A\u001b[B\u001b[B\u001b[B")
    await terminal.see("› 3. nowhere")
    terminal.type("\u001b[A")
    await terminal.see("› 2. production")
    terminal.type("\r")
    await terminal.see('told "production"')
  })

  test("gives nothing on Esc, and asks nothing where there are no options", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`return [await ui.select("Which?", []), await ui.select("What?", ["a"])].map(String)`))
    await terminal.see("› 1. a")
    terminal.type(escape)
    await terminal.see('told ["undefined","undefined"]')
    expect(terminal.screen()).not.toContain("ask: Which?")
  })

  test("shows options whole that its lines would cut, before one can be taken", async () => {
    await using terminal = await openSession({ columns: 40, rows: 16 })
    terminal.enter(ask(`return ui.select("Which?", ["a".repeat(60) + " rm", "b", "c\\r"])`))
    await terminal.see(
      /\? ask: Which\?\n│ 1. a{34}\n┊ a{26} rm\n│ 2. b\n│ 3. c⟦CR⟧\n› 1. a{34}\n {2}a{26} rm\n/,
    )
    terminal.type("3")
    await terminal.see("› 3. c")
    terminal.type("\r")
    await terminal.see('told "c\\r"')
  })

  test("shows, of many options, those around the chosen one", async () => {
    await using terminal = await openSession({ rows: 16 })
    terminal.enter(
      ask(`return ui.select("Which?", Array.from({ length: 30 }, (_, i) => "option " + (i + 1)))`),
    )
    await terminal.see("1 of 30")
    expect(terminal.screen()).not.toContain("option 17")
    terminal.type("17")
    await terminal.see("› 17. option 17")
    expect(terminal.screen()).toContain("17 of 30")
    terminal.type("\r")
    await terminal.see('told "option 17"')
  })
})

describe("input", () => {
  test("gives the line, whatever keys would decide elsewhere", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`return ui.input("Your name?", "first and last")`))
    await terminal.see(/\n\? ask: Your name\?\n› first and last\n/)
    terminal.type("nyx")
    await terminal.see("› nyx")
    expect(terminal.cursor.column).toBe(5)
    terminal.type("\u001b[D\u001b[Da\u001b[200~ b\rc\u001b[201~\r")
    await terminal.see('told "na b cyx"')
    terminal.type("\u001b[A")
    await terminal.see(/› ask \{/)
  })

  test("gives nothing on Esc, and the line that was typed is gone", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`return String(await ui.input("Your name?"))`))
    await terminal.see(/\n\? ask: Your name\?\n› *\n/)
    terminal.type("half")
    await terminal.see("› half")
    terminal.type(escape)
    await terminal.see('told "undefined"')
    await terminal.see(/\n›$/)
  })

  test("an editor is such a line with its text in it, of as many lines as it has", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`return [await ui.editor("Edit", "abc"), await ui.editor("Long", "a\\nb")]`))
    await terminal.see(/\? ask: Edit\n› abc\n/)
    terminal.type("d\r")
    await terminal.see(/\? ask: Long\n› a\n {2}b\n/)
    terminal.type("c\r")
    await terminal.see('told ["abcd","a\\nbc"]')
  })
})

test("notify prints above the prompt, cleaned, and what is no text as text", async () => {
  await using terminal = await openSession()
  terminal.enter(
    ask(`ui.notify("one\\u001b[2J\\ntwo", "error"); ui.notify(3); ui.setStatus("a", "b"); return 1`),
  )
  await terminal.see("told 1")
  expect(await terminal.see(/\n›$/)).toContain("\nask: one\ntwo\nask: 3\n")
  expect(terminal.raw).toContain("\u001b[31mask: one")
})

describe("a question", () => {
  test("waits until those before it are answered", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`return Promise.all([ui.confirm("First?"), ui.confirm("Second?")])`))
    const screen = await terminal.see(/\n\? ask: First\?\n\[y\]es \[n\]o$/)
    expect(screen).not.toContain("ask: Second?")
    terminal.type("y")
    await terminal.see(/\n\? ask: Second\?\n\[y\]es \[n\]o$/)
    terminal.type("n")
    await terminal.see("told [true,false]")
  })

  test("ends when its signal is aborted, when its time is over, and when it was aborted before", async () => {
    await using terminal = await openSession()
    terminal.enter(
      ask(`const controller = new AbortController()
        const signal = controller.signal
        const answers = [ui.input("Aborted?", "", { signal }), ui.confirm("Late?", "", { timeout: 1 })]
        await answers[1]
        controller.abort()
        answers.push(ui.confirm("Never asked?", "", { signal }))
        return (await Promise.all(answers)).map(String)`),
    )
    await terminal.see('told ["undefined","false","false"]')
    const screen = await terminal.see(/\n›$/)
    expect(screen).toContain("ask: Aborted? (not answered)")
    expect(screen).not.toContain("ask: Never asked? (")
  })

  test("goes with its call when Ctrl-C cancels that, and the session goes on", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`for (;;) await ui.confirm("Again?")`))
    await terminal.see("? ask: Again?")
    terminal.control("c")
    await terminal.see(/⊘ ask\([\s\S]*\n›$/)
    terminal.enter(ask("return 1"))
    await terminal.see("told 1")
  })

  test("goes with its call when that is cancelled elsewhere, although it was given no signal", async () => {
    await using terminal = await openSession()
    terminal.enter(ask(`setTimeout(() => ctx.abort(), 1); return ui.confirm("Still?")`))
    await terminal.see(
      /ask: Still\? \(not answered\)[\s\S]*⊘ ask\([\s\S]*\n›$|⊘ ask\([\s\S]*Still\? \(not[\s\S]*\n›$/,
    )
  })

  test("waits until the line that is typed is empty", async () => {
    await using terminal = await openSession()
    terminal.enter(`${ask(`await until(cwd + "/go"); return ui.confirm("Now?")`)} &`)
    await terminal.see("task_id: 1")
    terminal.type("y")
    await terminal.see(/› y$/)
    await writeFile(join(cwd, "go"), "")
    await terminal.see(/\n\? ask: Now\? {2}waits until the line below is empty\n› y$/)
    terminal.type("y")
    await terminal.see(/› yy$/)
    terminal.control("u")
    await terminal.see(/\n\? ask: Now\?\n\[y\]es \[n\]o$/)
    terminal.type("y")
    await terminal.see("ask: Now? yes")
  })

  test("waits until the gate on show is decided", async () => {
    await using terminal = await openSession()
    terminal.enter(`${ask(`await until(cwd + "/go"); return ui.confirm("Now?")`)} &`)
    await terminal.see("task_id: 1")
    terminal.enter("shell echo decided")
    await terminal.see("[y]es [n]o [a]lways")
    await writeFile(join(cwd, "go"), "")
    await terminal.see(/\[e\]dit\n\n\? ask: Now\? {2}waits until the call above is decided\n›$/)
    terminal.type("y")
    await terminal.see("✓ shell(echo decided)")
    await terminal.see(/\n\? ask: Now\?\n\[y\]es \[n\]o$/)
    terminal.type("n")
    await terminal.see("told false")
  })

  test("keeps the keys from a gate that opens behind it", async () => {
    await using terminal = await openSession()
    terminal.enter("shell until [ -e open ]; do sleep 0.05; done")
    await terminal.see("⚙ shell(")
    terminal.enter("shell echo decided")
    await terminal.see("queued")
    terminal.enter(`${ask(`return ui.confirm("Now?")`)} &`)
    await terminal.see(/\n\? ask: Now\?\n\[y\]es \[n\]o$/)
    await writeFile(join(cwd, "open"), "")
    await terminal.see(/\[e\]dit {2}once the question below is answered\n\n\? ask: Now\?\n\[y\]es \[n\]o$/)
    // The second key comes before anybody can have read whose it would be.
    terminal.type("y")
    await setImmediate()
    terminal.type("y")
    await terminal.see("told true", "everything")
    await terminal.see(/\[e\]dit {2}once the line below is empty\n\n› y$/)
    terminal.type("\u007f")
    await terminal.see(/\[e\]dit\n\n›$/)
    terminal.type("n\r")
    await terminal.see(/⊘ shell\(echo decided\)/)
  })

  test("is turned down when the user leaves, and whoever asks again is told so", async () => {
    await using terminal = await openSession()
    terminal.enter(
      ask(`const answers = [await ui.confirm("One?")]
        try { for (;;) answers.push(await ui.confirm("Two?")) }
        catch (error) { write(cwd + "/left", answers + " " + error.message) }`),
    )
    await terminal.see("? ask: One?")
    terminal.control("d")
    await terminal.ended
    expect(await readFile(join(cwd, "left"), "utf8")).toMatch(/^false \S/)
    expect(terminal.everything()).not.toContain("ask: Two?")
    expect(terminal.raw.endsWith("\u001b[?2004l")).toBe(true)
  })
})

test("an extension may ask when the session begins", async () => {
  await writeFile(
    join(cwd, "tools/greeter.js"),
    `export default (pi) => pi.on("session_start", async (_event, ctx) => {
      const name = await ctx.ui.input("Who is there?")
      ctx.ui.notify("Hello " + name)
    })`,
  )
  await using terminal = new PseudoTerminal([cli.path, "--no-discovery", "--tool-path", "tools"], { cwd })
  await terminal.see(/\n\? Who is there\?\n› \n?/)
  terminal.enter("Ada")
  await terminal.see(/\nHello Ada\n[\s\S]*›$/)
})

test("what could not be loaded is told above the prompt", async () => {
  await writeFile(join(cwd, "tools/broken.js"), "throw new Error('no luck')")
  await using terminal = new PseudoTerminal([cli.path, "--no-discovery", "--tool-path", "tools"], { cwd })
  await terminal.see(/\ntools: Failed to load tool: no luck\n[\s\S]*›$/)
})

test("an extension that asks until it is answered does not hold up who leaves", async () => {
  await writeFile(
    join(cwd, "tools/greeter.js"),
    `export default (pi) => pi.on("session_start", async (_event, ctx) => {
      for (let name; !name; ) name = await ctx.ui.input("Who is there?")
    })`,
  )
  await using terminal = new PseudoTerminal([cli.path, "--no-discovery", "--tool-path", "tools"], { cwd })
  await terminal.see("? Who is there?")
  terminal.control("d")
  expect(await terminal.exited).toBe(0)
})

test("an extension may ask before it lets a call run", async () => {
  await writeFile(
    join(cwd, "tools/guard.js"),
    `export default (pi) => pi.on("tool_call", async (event, ctx) => {
      if (event.toolName !== "shell" || (await ctx.ui.confirm("Dangerous", event.input.command))) return
      return { block: true, reason: "Not allowed here" }
    })`,
  )
  await using terminal = await openSession()
  terminal.enter("shell touch x")
  await terminal.see(/\? shell: Dangerous\n│ touch x\n\[y\]es \[n\]o$/)
  terminal.type("n")
  await terminal.see("Not allowed here")
})

test("nobody is asked in a script", async () => {
  const call = { name: "ask", params: { code: `return [ctx.hasUI, await ui.confirm("Go on?")]` } }
  const args = [cli.path, "run", "-", "--no-discovery", "--tool-path", "tools", "--yes"]
  const { stdout } = await runNode(args, { cwd, input: JSON.stringify(call) })
  expect(stdout).toContain("told [false,false]")
})
