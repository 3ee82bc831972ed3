import { applyPatch } from "diff"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { unifiedDiff } from "../../src/handlers/unified-diff.ts"

describe("unifiedDiff", () => {
  it("names the file and shows three lines around a change", async () => {
    const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
    const before = `${lines.join("\n")}\n`
    expect(await unifiedDiff("a/b.txt", before, before.replace("5", "five"))).toBe(
      "--- a/b.txt\n+++ a/b.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    )
  })

  it("leads from one text to the other", async () => {
    const text = fc.array(fc.constantFrom("a", "b", "\n"), { maxLength: 40 }).map((parts) => parts.join(""))
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        expect(applyPatch(before, await unifiedDiff("file", before, after))).toBe(after)
      }),
    )
  })

  it.each([
    ["replaced", "n", ""],
    ["replaced, the last newline too", "n", "\n"],
    ["removed", undefined, ""],
  ])("of thousands of lines that are %s leads from one text to the other too", async (_, to, end) => {
    const lines = Array.from({ length: 3000 }, (_, index) => `${index % 7}`)
    const before = `start\n${lines.join("\n")}\nend`
    const after = to === undefined ? "start\nend" : `start\n${lines.map(() => to).join("\n")}\nend${end}`
    expect(applyPatch(before, await unifiedDiff("file", before, after))).toBe(after)
  })

  it("is cut past 50,000 bytes, with a note", async () => {
    const diff = await unifiedDiff("file", "é".repeat(50_000), "x")
    expect(Buffer.byteLength(diff)).toBeLessThan(50_100)
    expect(diff).toMatch(/é\n\[truncated: the diff has 100\d{3} bytes\]\n$/)
  })
})
