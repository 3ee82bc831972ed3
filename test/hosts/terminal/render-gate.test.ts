/** What stands at a gate, read back from the screen of a terminal. */
import xterm from "@xterm/headless"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { queuedBlock } from "../../../src/hosts/terminal/block.ts"
import { LiveRegion } from "../../../src/hosts/terminal/live-region.ts"
import { renderGate } from "../../../src/hosts/terminal/render-gate.ts"
import { shellTool } from "../../../src/impls/index.ts"
import { unmarked } from "../../text/unmarked.ts"
import { untrustedText } from "../../text/untrusted-text.ts"

const gateOf = (params: unknown, width = 60, more: object = {}) => {
  const call = queuedBlock({ callId: "1", name: "shell", params: params as Record<string, unknown> })
  const block = { ...call, status: "pending", ...more } as const
  return renderGate(block, { width, now: 0, colors: false, tool: shellTool })
}

/** The lines that were broken into these rows; ours begin with two blanks, those of values with a bar. */
const linesOf = (rows: ReadonlyArray<string>): Array<string> => {
  const lines: Array<string> = []
  for (const row of rows) {
    if (row.startsWith("┊ ")) lines.push(lines.pop()! + row.slice(2))
    else lines.push(row)
  }
  return lines
}

/** The command and the folder, as a person reads them. */
const readGate = (header: string, rows: ReadonlyArray<string>) => {
  const lines = linesOf(rows)
  const takeValue = (): string => {
    const count = lines.findIndex((line) => !line.startsWith("│ "))
    const taken = lines.splice(0, count === -1 ? lines.length : count)
    return unmarked(taken.map((line) => line.slice(2)).join("\n"))
  }
  const inHeader = /^\? shell\((.*)\)$/.exec(header)![1]!
  const command = lines[0]?.startsWith("│ ") ? takeValue() : unmarked(inHeader)
  const line = lines.shift()!.slice(2)
  expect(line).toMatch(/^working_dir:/)
  const inline = unmarked(line.slice("working_dir: ".length))
  if (lines.length > 0) return { command, working_dir: takeValue() }
  return { command, working_dir: inline.startsWith('"') ? JSON.parse(inline) : inline }
}

/** What a terminal of this width shows of the rows. */
const onScreen = async (rows: ReadonlyArray<string>, width: number): Promise<Array<string>> => {
  const terminal = new xterm.Terminal({ cols: width + 1, rows: rows.length + 3, allowProposedApi: true })
  let written = ""
  const region = new LiveRegion({
    columns: width + 1,
    rows: rows.length + 3,
    write: (text) => (written += text),
  })
  region.draw({ live: rows })
  await new Promise<void>((resolve) => terminal.write(written, resolve))
  const shown = rows.map((_, row) => terminal.buffer.active.getLine(row)!)
  expect(shown.some((line) => line.isWrapped)).toBe(false)
  terminal.dispose()
  return shown.map((line) => line.translateToString(true))
}

test("all of a command and its folder can be read back from the screen of a terminal, at any width", async () => {
  await fc.assert(
    fc.asyncProperty(
      untrustedText,
      untrustedText,
      fc.integer({ min: 20, max: 70 }),
      async (command, folder, width) => {
        const params = { command, working_dir: folder }
        const { header, rows } = gateOf(params, width)
        // A terminal has no characters for halves of surrogate pairs, and none are drawn.
        const [first, ...rest] = await onScreen([header, ...rows], width)
        expect(
          readGate(
            first!,
            rest.map((row) => row.padEnd(2)),
          ),
        ).toEqual(params)
      },
    ),
    { numRuns: 150 },
  )
})

test("a mark that is wider than a narrow terminal is left to the rows", () => {
  const { header, rows } = gateOf({ command: "\n".repeat(12) }, 20)
  expect([header, ...rows]).toEqual(["? shell(…)", "│ ⟦12 newlines⟧"])
})

test("calls that differ are drawn differently", () => {
  const params = fc.record({ command: untrustedText, working_dir: untrustedText })
  fc.assert(
    fc.property(params, params, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      const drawn = [one, other].map((given) => [gateOf(given).header, ...gateOf(given).rows].join("\n"))
      expect(drawn[0]).not.toBe(drawn[1])
    }),
    { numRuns: 200 },
  )
})

describe("nothing passes for something else:", () => {
  const rowsOf = (params: unknown, more: object = {}) => gateOf(params, 40, more).rows

  test("a line of a value for a parameter", () => {
    expect(rowsOf({ command: "ls\nworking_dir: /tmp" })).toEqual(["│ ls", "│ working_dir: /tmp"])
    expect(rowsOf({ command: "ls", working_dir: "/tmp" })).toEqual(["  working_dir: /tmp"])
  })

  test("a value for one of another kind", () => {
    expect(rowsOf({ command: "ls", timeout: 5 })).toEqual(["  timeout: 5"])
    expect(rowsOf({ command: "ls", timeout: "5" })).toEqual(['  timeout: "5"'])
    expect(rowsOf({ command: "ls", timeout: "" })).toEqual(['  timeout: ""'])
    expect(rowsOf({ command: "ls", timeout: null })).toEqual(["  timeout: null"])
    expect(rowsOf({ command: "ls", timeout: 10n })).toEqual(["  timeout: 10n"])
  })

  test("a name for a name with a value", () => {
    expect(rowsOf({ command: "ls", "a: b": "c" })).toEqual(['  "a: b": c'])
    expect(rowsOf({ command: "ls", a: "b: c" })).toEqual(["  a: b: c"])
  })

  test("a broken line for two", () => {
    const long = "x".repeat(38)
    expect(rowsOf({ command: `${long}y` })).toEqual([`│ ${long}`, "┊ y"])
    expect(rowsOf({ command: `${long}\ny` })).toEqual([`│ ${long}`, "│ y"])
    expect(rowsOf({ command: `${long.slice(1)} y` })).toEqual([`│ ${long.slice(1)}␣`, "┊ y"])
  })

  test("a label for a parameter", () => {
    expect(rowsOf({ command: "ls" }, { label: "working_dir: /tmp" })).toEqual(['  "working_dir: /tmp"'])
    expect(rowsOf({ command: "ls" }, { label: "Run\n[y]es" })).toEqual(["  Run ⏎ [y]es"])
  })

  test("a tool for another whose name it nearly has", () => {
    expect(gateOf({ command: "ls" }, 40, { toolName: "mcp_shell" }).header).toBe("? mcp_shell(ls)")
    const toolName = "x".repeat(64)
    expect(gateOf({ command: "ls" }, 40, { toolName }).rows).toEqual([
      "  tool:",
      `│ ${"x".repeat(38)}`,
      `┊ ${"x".repeat(26)}`,
      "│ ls",
    ])
  })

  test("what the tool draws for what runs", () => {
    const tool = { ...shellTool, renderCall: () => "\u001b[31mls -la\u001b[0m\r\u001b[8m" }
    const block = {
      ...queuedBlock({ callId: "1", name: "shell", params: { command: "rm x" } }),
      status: "pending",
    } as const
    expect(renderGate(block, { width: 40, now: 0, colors: true, tool }).rows.join("\n")).toContain(
      "ls -la\u001b[7m⟦CR⟧\u001b[27m",
    )
  })
})

describe("a preview", () => {
  const edit = { path: "a", edits: [{ old_string: "one\ntwo", new_string: "1\ntwo" }] }

  test("stands in the place of the edits that it says all of", () => {
    const text = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"
    expect(gateOf(edit, 60, { preview: { text } }).rows).toEqual(
      text
        .trimEnd()
        .split("\n")
        .map((line) => `│ ${line}`),
    )
  })

  test("that was cut does not hide what was cut", () => {
    const text = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-one\n"
    const { rows } = gateOf(edit, 60, { preview: { text } })
    expect(rows.slice(0, 2)).toEqual([
      '  edits: [{"old_string":"one\\ntwo","new_string":"1\\ntwo"}]',
      "  what would happen:",
    ])
  })

  test("shows what stands before the first hunk, and what hides in its lines", () => {
    const text = "--- a\nsomething else\n@@ -1 +1 @@\n-x\r\n+x \n"
    expect(gateOf({ path: "a" }, 60, { preview: { text } }).rows).toEqual([
      "│ --- a",
      "│ something else",
      "│ @@ -1 +1 @@",
      "│ -x⟦CR⟧",
      "│ +x␣",
    ])
  })
})

test("parameters that are no object are shown too", () => {
  expect(gateOf([1, "rm"]).rows).toEqual(['  parameters: [1,"rm"]'])
})

test("a preview that is no diff stands for no parameter: it may hold the same texts for another one", () => {
  const preview = { text: "moves\na\nb\nto\nc\nd" }
  const gates = [
    { command: "move", from: "a\nb", to: "c\nd" },
    { command: "move", from: "c\nd", to: "a\nb" },
  ].map((params) => gateOf(params, 60, { preview }).rows)
  expect(gates[0]).not.toEqual(gates[1])
  expect(gates[0]).toEqual(expect.arrayContaining(["  from:", "│ a", "│ b", "  to:", "│ c", "│ d"]))
})

test("a blank behind a tab at the end of a row is drawn as one, and the tab as a tab", () => {
  const { rows } = gateOf({ command: `${"x".repeat(33)}\t aaa` }, 40)
  expect(rows).toEqual([`│ ${"x".repeat(33)}⇥   ␣`, "┊ aaa"])
})
