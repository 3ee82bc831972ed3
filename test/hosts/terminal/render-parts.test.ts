import { describe, expect, it } from "vitest"
import {
  queuedBlock,
  renderApprovalPrompt,
  renderBlock,
  renderPrefix,
  renderResult,
  renderStatus,
} from "../../../src/hosts/terminal/index.ts"

const colors = false

describe("renderStatus", () => {
  it.each([
    ["queued", "?"],
    ["pending", "?"],
    ["running", "⚙"],
    ["complete", "✓"],
    ["error", "✗"],
    ["denied", "⊘"],
    ["cancelled", "⊘"],
  ] as const)("draws %s as %s", (status, sign) => {
    expect(renderStatus({ status }, { colors })).toBe(sign)
  })

  it("turns a spinner where it is told the time", () => {
    const frames = [0, 99, 100, 1000].map((now) => renderStatus({ status: "running" }, { colors, now }))
    expect(frames).toEqual(["⠋", "⠋", "⠙", "⠋"])
    expect(renderStatus({ status: "complete" }, { colors, now: 0 })).toBe("✓")
  })

  it("is coloured unless told otherwise", () => {
    expect(renderStatus({ status: "error" })).toBe("\u001b[31m✗\u001b[39m")
  })
})

it("renderPrefix marks background calls alone", () => {
  expect([renderPrefix(true, { colors }), renderPrefix(false, { colors })]).toEqual(["[bg] ", ""])
})

it("renderApprovalPrompt names the keys, and `always` where that is remembered", () => {
  expect(renderApprovalPrompt({ colors })).toBe("  [y]es [n]o")
  expect(renderApprovalPrompt({ colors, remembers: true })).toBe("  [y]es [n]o [a]lways")
})

describe("renderResult", () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n")

  it("leaves lines out in the middle, or in front of what still grows", () => {
    expect(renderResult(text, 2, { colors })).toEqual(["  line 1", "  … 10 more lines", "  line 12"])
    expect(renderResult(text, 2, { colors, isPartial: true })).toEqual([
      "  … 10 more lines",
      "  line 11",
      "  line 12",
    ])
    expect(renderResult(text)).toHaveLength(11)
  })

  it("wraps to a width and cleans escapes away", () => {
    expect(renderResult("abcdef\u001b[2J", 10, { colors, width: 6 })).toEqual(["  abcd", "  ef"])
    expect(renderResult("", 10, { colors })).toEqual([])
  })
})

it("a block is drawn of these parts", () => {
  const base = queuedBlock({ callId: "a", name: "read_file", params: { path: "x" }, background: true })
  const block = { ...base, status: "complete", text: "one\ntwo\nthree" } as const
  const [header, ...rest] = renderBlock(block, { width: 80, now: 0, colors, maxLines: 2 })
  expect(header).toBe(`${renderStatus(block, { colors })} ${renderPrefix(true, { colors })}read_file(x)`)
  expect(rest).toEqual(renderResult(block.text, 2, { colors, width: 80 }))
  const gate = { ...base, status: "pending" } as const
  expect(renderBlock(gate, { width: 80, now: 0, colors }).at(-1)).toBe(
    renderApprovalPrompt({ colors, remembers: true }),
  )
})
