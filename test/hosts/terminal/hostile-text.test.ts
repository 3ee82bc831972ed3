/** Text that takes long where a pattern is tried from each of its characters anew: in that time nobody could answer or cancel anything. */
import { describe, expect, it } from "vitest"
import { expandTabs } from "../../../src/hosts/terminal/columns.ts"
import { printable } from "../../../src/hosts/terminal/printable.ts"
import { plainLines, singleLine, withLineEnds } from "../../../src/hosts/terminal/render-text.ts"
import { TextBuffer } from "../../../src/hosts/terminal/text-buffer.ts"

/** With a step for each pair of them, each of these would take longer than a test may. */
const many = 500_000

describe("half a million of the same character", () => {
  it.each([
    ["carriage returns", "\r"],
    ["newlines", "\n"],
    ["tabs", "\t"],
    ["blanks", " "],
    ["escapes", "\u001b"],
    ["beginnings of sequences", "\u001b["],
    ["beginnings of titles", "\u001b]"],
    ["beginnings of titles in one byte", "\u009d"],
    ["beginnings of sequences in one byte", "\u009b"],
  ])("that are %s are drawn", (_name, character) => {
    const text = `${character.repeat(many)}日`
    expect(printable(text)).toMatch(/日$/)
    expect(plainLines(text).at(-1)).toMatch(/日$/)
    expect(singleLine(`a${text}`)).toMatch(/日$/)
  })

  it("are no word in front of the cursor", () => {
    const buffer = new TextBuffer()
    buffer.insert(`${"a".repeat(many)} b  `)
    buffer.cutWordBefore()
    expect(buffer.text).toHaveLength(many + 1)
  })
})

describe("one line", () => {
  it("has its line ends, with the blanks around them, as one mark", () => {
    expect(withLineEnds("a \n\n\t b  c", " ⏎ ")).toBe("a ⏎ b  c")
  })

  it("has each tab up to its stop, behind what takes two columns too", () => {
    expect(expandTabs("a\tbcde\tf\t\tg")).toBe("a   bcde    f       g")
    expect(expandTabs("日\t本\tx")).toBe("日  本  x")
  })
})
