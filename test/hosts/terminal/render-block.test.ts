import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { type Block, foldBlock } from "../../../src/hosts/terminal/block.ts"
import { columnsOf } from "../../../src/hosts/terminal/columns.ts"
import { renderBlock } from "../../../src/hosts/terminal/render-block.ts"
import { formatElapsed } from "../../../src/hosts/terminal/render-header.ts"
import type { RenderBlockOptions } from "../../../src/hosts/terminal/render-options.ts"
import { defineTool, pipeline, type Tool, type ToolOptions } from "../../../src/index.ts"

const block = (changes: Partial<Block> = {}): Block => ({
  callId: "1",
  agentId: "main",
  toolName: "shell",
  params: { command: "npm test" },
  status: "complete",
  text: "",
  omittedLines: 0,
  background: false,
  ...changes,
})

const render = (changes: Partial<Block>, options: Partial<RenderBlockOptions> = {}): Array<string> =>
  renderBlock(block(changes), { width: 60, now: 10_000, colors: false, ...options })

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n")

describe("the header", () => {
  test.each([
    ["queued", "? shell(npm test) queued"],
    ["pending", "? shell(npm test)"],
    ["complete", "✓ shell(npm test)"],
    ["error", "✗ shell(npm test)"],
    ["denied", "⊘ shell(npm test)"],
    ["cancelled", "⊘ shell(npm test)"],
  ] as const)("of a %s call shows its icon", (status, expected) => {
    expect(render({ status })[0]).toBe(expected)
  })

  test("of a nested call has a mark, from its first event on", () => {
    const started = {
      _tag: "Started",
      agentId: "main",
      callId: "c/1",
      name: "shell",
      background: false,
    } as const
    const event = { ...started, params: { command: "npm test" }, seq: 1, at: 1 }
    const nested = foldBlock(undefined, { ...event, parentId: "c" }, 1)!
    expect(render({ ...nested, status: "complete" })[0]).toBe("✓ ↳ shell(npm test)")
    expect(render({ ...foldBlock(undefined, event, 1)!, status: "complete" })[0]).toBe("✓ shell(npm test)")
  })

  test("of a command that did not end with 0 shows the icon of a failure", () => {
    expect(render({ details: { exitCode: 0 } })[0]).toBe("✓ shell(npm test)")
    expect(render({ details: { exitCode: 3 } })[0]).toBe("✗ shell(npm test)")
    expect(render({ details: { exitCode: null, signal: "SIGKILL" } })[0]).toBe("✗ shell(npm test)")
  })

  test("of a running call shows a spinner that turns and the time that has passed", () => {
    const changes = { status: "running", startedAt: 8600 } as const
    expect(render(changes)[0]).toMatch(/^⚙ shell\(npm test\) [⠋-⠿] 1\.4s$/)
    expect(render(changes, { now: 10_100 })[0]).not.toBe(render(changes, { now: 10_200 })[0])
  })

  test("of a background call says so, and of another agent names it", () => {
    expect(render({ background: true })[0]).toBe("✓ [bg] shell(npm test)")
    expect(render({ agentId: "reviewer" })[0]).toBe("✓ reviewer shell(npm test)")
  })

  test("leaves out an mcp_ prefix", () => {
    expect(render({ toolName: "mcp_fetch_url", params: { url: "x" } })[0]).toBe("✓ fetch_url(x)")
  })

  test("shows the tool's primary parameter, else the first text, else all as JSON", () => {
    const tool = defineTool({
      name: "shell",
      description: "",
      parameters: {},
      primaryParam: "path",
      compose: () => pipeline(),
    })
    expect(render({ params: { mode: "fast", path: "a.ts" } }, { tool })[0]).toBe("✓ shell(a.ts)")
    expect(render({ params: { limit: 3, mode: "fast" } })[0]).toBe("✓ shell(fast)")
    expect(render({ params: { limit: 3 } })[0]).toBe('✓ shell({"limit":3})')
    expect(render({ params: {} })[0]).toBe("✓ shell()")
  })

  test("stays on one line and within the width", () => {
    const [header] = render({ params: { command: `echo ${"日本".repeat(50)}\nrm -rf /` }, status: "running" })
    expect(columnsOf(header!)).toBeLessThanOrEqual(60)
    expect(header).toContain("…)")
    expect(render({ params: { command: "a\nb" } })[0]).toBe("✓ shell(a ⏎ b)")
  })

  test("gives its hint up before it cuts the argument", () => {
    const running = { status: "running", startedAt: 10_000 } as const
    expect(render(running, { hint: "Ctrl-C cancels" })[0]).toMatch(/Ctrl-C cancels$/)
    expect(render(running, { hint: "Ctrl-C cancels", width: 30 })[0]).not.toContain("Ctrl-C")
  })
})

describe("the output", () => {
  test("of ten lines is shown whole", () => {
    expect(render({ text: `${lines(10)}\n` })).toHaveLength(11)
  })

  test("of more is folded to its first and last lines, with the number of the others", () => {
    const [, ...output] = render({ text: lines(40) })
    expect(output).toHaveLength(11)
    expect(output[0]).toBe("  line 1")
    expect(output[5]).toBe("  … 30 more lines")
    expect(output[10]).toBe("  line 40")
  })

  test("that is still coming shows its newest lines", () => {
    const [, more, ...output] = render({ text: lines(40), status: "running" })
    expect(more).toBe("  … 30 more lines")
    expect(output).toEqual(
      lines(40)
        .split("\n")
        .slice(30)
        .map((line) => `  ${line}`),
    )
  })

  test("counts the lines that were dropped already", () => {
    expect(render({ text: lines(10), omittedLines: 500 })[1]).toBe("  … 500 more lines")
  })

  test("is shown whole where everything is asked for", () => {
    expect(render({ text: lines(40) }, { maxLines: Number.POSITIVE_INFINITY })).toHaveLength(41)
  })

  test("cannot leave its indent, whatever it holds", () => {
    const text = "\u001b[1A\u001b[2K? shell(harmless)\r  [y]es [n]o\u001b]0;title\u0007"
    const output = render({ text }).slice(1)
    expect(output).toEqual(["    [y]es [n]o"])
  })

  test("is wrapped to the width, by columns, once it has ended, and cut while it comes", () => {
    const ended = render({ text: "日本".repeat(50) }).slice(1)
    expect(ended.map((line) => line.trim()).join("")).toBe("日本".repeat(50))
    for (const line of ended) expect(columnsOf(line)).toBeLessThanOrEqual(60)
    const [, cut, ...more] = render({ text: "日本".repeat(50), status: "running" })
    expect(cut!.endsWith("…")).toBe(true)
    expect(columnsOf(cut!)).toBeLessThanOrEqual(60)
    expect(more).toEqual([])
  })

  test("of an error is wrapped, so that the whole reason can be read", () => {
    const text = "File not found: some/where/very/deep/in/the/tree/of/this/project/file.ts. Check the path."
    const output = render({ status: "error", text }).slice(1)
    expect(output.length).toBeGreaterThan(1)
    expect(output.map((line) => line.trim()).join(" ")).toBe(text)
  })
})

describe("a denial", () => {
  test("shows its reason", () => {
    expect(render({ status: "denied", text: "not today" })[1]).toBe("  Denied: not today")
  })

  test("that says it was denied is not told twice", () => {
    expect(render({ status: "denied", text: "Denied by user" })[1]).toBe("  Denied by user")
  })
})

describe("a gate", () => {
  test("ends with the keys that decide it", () => {
    expect(render({ status: "pending" })).toEqual(["? shell(npm test)", "  [y]es [n]o [a]lways"])
  })

  test("shows its label and the other parameters", () => {
    const output = render({
      status: "pending",
      label: "Run it?",
      params: { command: "ls", working_dir: "/tmp" },
    })
    expect(output).toEqual(["? shell(ls)", "  Run it?", "  working_dir: /tmp", "  [y]es [n]o [a]lways"])
  })

  test("shows an argument whole that the header cuts or joins", () => {
    const command = `${"x".repeat(70)}; rm -rf /`
    const shown = render({ status: "pending", params: { command } }).slice(1, -1).join("").replaceAll(" ", "")
    expect(shown).toContain("rm-rf/")
    expect(render({ status: "pending", params: { command: "a\nb" } }).slice(1, 3)).toEqual(["│ a", "│ b"])
  })

  test("shows a diff in place of the parameters that it says all of, and no others", () => {
    const params = { path: "a", content: "secret\ntwo" }
    const diff = "@@ -0,0 +1,2 @@\n+secret\n+two\n"
    const told = render({ status: "pending", params, preview: { text: "new file", details: { diff } } })
    expect(told).toEqual([
      "? shell(a)",
      "│ new file",
      "│ @@ -0,0 +1,2 @@",
      "│ +secret",
      "│ +two",
      "  [y]es [n]o [a]lways",
    ])
    expect(render({ status: "pending", params, preview: { text: "new file" } })).toEqual([
      "? shell(a)",
      "  content:",
      "│ secret",
      "│ two",
      "  what would happen:",
      "│ new file",
      "  [y]es [n]o [a]lways",
    ])
  })

  test("that is not its turn offers no keys", () => {
    expect(render({ status: "pending" }, { answerable: false })).toEqual(["? shell(npm test) waits"])
  })
})

describe("a diff", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"

  test("in the details is drawn under the text, without the lines that name the file", () => {
    expect(render({ text: "Applied 1 edit", details: { diff } }).slice(1)).toEqual([
      "  Applied 1 edit",
      "  @@ -1,2 +1,2 @@",
      "   same",
      "  -old",
      "  +new",
    ])
  })

  test("that stands in the text too is drawn once, in its place there", () => {
    const output = render({ text: `Would change x:\n\n${diff}\nNothing is changed yet.`, details: { diff } })
    expect(output.slice(1)).toEqual([
      "  Would change x:",
      "  @@ -1,2 +1,2 @@",
      "   same",
      "  -old",
      "  +new",
      "  Nothing is changed yet.",
    ])
  })

  test("is coloured, also where the output itself is one", () => {
    const output = render({ text: diff }, { colors: true })
    expect(output).toContain("  \u001b[32m+new\u001b[39m")
    expect(output).toContain("  \u001b[31m-old\u001b[39m")
  })

  test("is shown whole, however long its lines are", () => {
    const long = `${"x".repeat(200)}end`
    const output = render({ status: "pending", preview: { text: `@@ -1 +1 @@\n+${long}` } }, { colors: true })
    const green = output.filter((line) => line.includes("\u001b[32m") && !line.includes("[y]es"))
    expect(green.length).toBeGreaterThan(3)
    expect(green.join("")).toContain("end")
  })

  test("is shown at the gate", () => {
    const output = render({ status: "pending", preview: { text: diff } }, { colors: true })
    expect(output).toContain("\u001b[2m│ \u001b[22m\u001b[32m+new\u001b[39m")
  })

  test("is not seen in text that only mentions one", () => {
    const text = "see:\n@@ -1 +1 @@\n-old"
    expect(render({ text }, { colors: true })).toContain("  -old")
  })
})

describe("a tool's own renderers", () => {
  const toolWith = (renderers: Partial<ToolOptions<ReturnType<typeof Type.Object>>>): Tool =>
    defineTool({
      name: "shell",
      description: "",
      parameters: Type.Object({}),
      compose: () => pipeline(),
      ...renderers,
    })

  test("draw the call and the result", () => {
    const tool = toolWith({
      renderCall: () => "my call\nsecond line",
      renderResult: (result, { width, expanded }) =>
        `${result.status} ${result.content} ${width} ${expanded}`,
    })
    expect(render({ text: "out" }, { tool })).toEqual([
      "✓ my call",
      "  second line",
      "  complete out 58 false",
    ])
  })

  test("that throw, or give no string, fall back to the default", () => {
    const fails = toolWith({
      renderCall: () => {
        throw new Error("broken")
      },
      renderResult: () => 7 as unknown as string,
    })
    expect(render({ text: "out" }, { tool: fails })).toEqual(render({ text: "out" }))
  })

  test("may colour, and can do nothing else to the terminal", () => {
    const tool = toolWith({ renderResult: () => "\u001b[31mred\u001b[2J" })
    expect(render({}, { tool, colors: true })[1]).toBe("  \u001b[31mred\u001b[0m")
    expect(render({}, { tool })[1]).toBe("  red")
  })

  test("wrap a result that is too wide, and cut a call", () => {
    const words = "word ".repeat(20).trim()
    const tool = toolWith({ renderCall: () => words, renderResult: () => `\u001b[31m${words}` })
    const [header, ...result] = render({}, { tool, colors: true })
    expect(header).toMatch(/ wo…$/)
    expect(result.map((line) => line.trim()).join(" ")).toBe(words)
    expect(result.every((line) => columnsOf(line) <= 60)).toBe(true)
  })

  test("do not hide at the gate what is approved", () => {
    const tool = toolWith({ renderCall: () => "something harmless" })
    const output = render({ status: "pending", params: { command: "rm -rf /" } }, { tool })
    expect(output).toEqual([
      "? shell(rm -rf /)",
      "  drawn by the tool:",
      "│ something harmless",
      "  [y]es [n]o [a]lways",
    ])
  })
})

test("what failed to clean up stands below the output, however much of that is folded", () => {
  const output = render(
    { text: lines(40), cleanupErrors: ["close: no editor", "reload: gone"] },
    { maxLines: 2 },
  )
  expect(output.slice(-2)).toEqual(["  Cleanup failed: close: no editor", "  Cleanup failed: reload: gone"])
  expect(output).toHaveLength(6)
})

test.each([
  [0, "0.0s"],
  [1449, "1.4s"],
  [59_400, "59s"],
  [185_000, "3m 05s"],
  [7_800_000, "2h 10m"],
])("%i ms are shown as %s", (milliseconds, expected) => {
  expect(formatElapsed(milliseconds)).toBe(expected)
})
