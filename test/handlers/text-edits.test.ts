import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyTextEdits } from "../../src/handlers/text-edits.ts"

const replace = (text: string, old_string: string, new_string: string) =>
  applyTextEdits(text, [{ old_string, new_string }])

describe("applyTextEdits", () => {
  it("applies each edit to what the earlier ones left", () => {
    const edits = [
      { old_string: "one", new_string: "two two" },
      { old_string: "two two", new_string: "three" },
    ]
    expect(applyTextEdits("one", edits)).toBe("three")
  })

  it("takes the new text literally", () => {
    expect(replace("a b c", "b", "$& $1 $$ $`")).toBe("a $& $1 $$ $` c")
  })

  it("takes the old text literally", () => {
    expect(replace("a.c abc", "a.c", "x")).toBe("x abc")
  })

  it("may remove text, and leaves a missing last newline missing", () => {
    expect(replace("a\nb\nc", "b\n", "")).toBe("a\nc")
  })
})

describe("an edit that cannot be applied", () => {
  it.each([
    [
      "not found",
      ["z", "y"],
      "Edit 1: old_string not found in file. It must match exactly, with all whitespace, in the text as the earlier edits left it. Read the file again and copy the text from it.",
    ],
    [
      "copied with line numbers",
      ["   1│a", "b"],
      "Edit 1: old_string not found in file. Leave out the line numbers that read_file shows.",
    ],
    [
      "found three times",
      ["a", "b"],
      "Edit 1: old_string found 3 times (must be unique). Include more surrounding context to make the match unique.",
    ],
    [
      "found twice, overlapping",
      ["cc", "b"],
      "Edit 1: old_string found 2 times (must be unique). Include more surrounding context to make the match unique.",
    ],
    [
      "empty",
      ["", "b"],
      "Edit 1: old_string is empty. Give the text to replace; use write_file for a new file.",
    ],
    [
      "without effect",
      ["a", "a"],
      "Edit 1: old_string and new_string are the same. There is nothing to change.",
    ],
    [
      "half of a character",
      ["\ud83d", "b"],
      "Edit 1: old_string has half of a character (one of two surrogates). Give whole characters.",
    ],
    [
      "replaced by half of a character",
      ["ccc", "\ude00"],
      "Edit 1: new_string has half of a character (one of two surrogates). Give whole characters.",
    ],
  ] as const)("tells that it is %s", (_, [old_string, new_string], message) => {
    expect(() => replace("a a a ccc \u{1f600}", old_string, new_string)).toThrow(message)
  })

  it("is told by its number", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "a", new_string: "c" },
    ]
    expect(() => applyTextEdits("a", edits)).toThrow("Edit 2: old_string not found in file.")
  })

  it("is told where there is none", () => {
    expect(() => applyTextEdits("a", [])).toThrow("No edits given.")
  })
})

describe("line endings", () => {
  it("of a CRLF file are matched by LF and put into what is new", () => {
    expect(replace("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toBe("x\r\ny\r\nz\r\nc\r\n")
    expect(replace("a\r\nb\r\n", "b", "x\ny")).toBe("a\r\nx\r\ny\r\n")
    expect(replace("a\r\nb\r\n", "a\r\nb", "x\r\ny")).toBe("x\r\ny\r\n")
    expect(replace("a\r\nb", "\nb", "\nc\n")).toBe("a\r\nc\r\n")
  })

  it("outside of an edit stay as they are in a file that mixes them", () => {
    expect(replace("a\nb\r\nc\nd\r\n", "b\nc", "x\ny")).toBe("a\nx\r\ny\nd\r\n")
    expect(replace("a\r\nb\nc\n", "b\nc", "x\ny")).toBe("a\r\nx\ny\n")
    expect(replace("a\r\nb\n", "b", "x\ny")).toBe("a\r\nx\ny\n")
  })

  it("of an LF file stay LF, and a CR of the new text stays", () => {
    expect(replace("a\nb\n", "b", "x\r")).toBe("a\nx\r\n")
  })

  it("never matter to what is outside the edit", () => {
    const ending = fc.constantFrom("\n", "\r\n")
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z]{0,5}$/), ending)), ending, (lines, own) => {
        const before = lines.map(([text, end]) => text + end).join("")
        const after = replace(`${before}OLD${own}${before}`, "OLD", "NEW")
        expect(after).toBe(`${before}NEW${own}${before}`)
      }),
    )
  })
})
