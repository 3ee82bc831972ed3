import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { publishedModule } from "../published-module.ts"

const { CURSOR_MARKER, truncateToWidth, visibleWidth, wrapTextWithAnsi } =
  await publishedModule("@mariozechner/pi-tui")

const red = (text: string): string => `\x1b[31m${text}\x1b[39m`
const link = "\x1b]8;;http://x\x07text\x1b]8;;\x07"

describe("visibleWidth", () => {
  it("counts columns: wide characters two, sequences and marks none, tabs three", () => {
    expect(
      ["plain", "漢字", "👨‍👩‍👧", "🇩🇪", "e\u0301", red("x"), link, CURSOR_MARKER, "a\tb", ""].map(
        visibleWidth,
      ),
    ).toEqual([5, 4, 2, 2, 1, 1, 4, 0, 5, 0])
  })
})

describe("truncateToWidth", () => {
  it("leaves what fits, and ends what it cuts with an ellipsis inside the width", () => {
    expect(truncateToWidth("abcdef", 6)).toBe("abcdef")
    expect(truncateToWidth("abcdefg", 6)).toBe("abc...")
    expect(truncateToWidth("abcdefg", 6, "…")).toBe("abcde…")
    expect(truncateToWidth("漢字漢字", 6, "…")).toBe("漢字…")
    expect(truncateToWidth("abc", 0)).toBe("")
  })

  it("cuts the ellipsis itself where there is no more room", () => {
    expect(truncateToWidth("abcdef", 2)).toBe("..")
  })

  it("pads where asked", () => {
    expect(truncateToWidth("漢", 4, "…", true)).toBe("漢  ")
    expect(truncateToWidth("漢字漢", 4, "…", true)).toBe("漢… ")
  })

  it("closes the styles that it cuts in the middle, and nothing else", () => {
    expect(truncateToWidth(`a${red("bcdef")}`, 4, "…")).toBe("a\x1b[31mbc\x1b[39m…")
    expect(truncateToWidth(`${red("ab")}cdef`, 4, "…")).toBe(`${red("ab")}c…`)
  })
})

describe("wrapTextWithAnsi", () => {
  it("breaks at spaces, and inside words that are too long", () => {
    expect(wrapTextWithAnsi("one two three", 7)).toEqual(["one two", "three"])
    expect(wrapTextWithAnsi("abcdefgh ij", 3)).toEqual(["abc", "def", "gh", "ij"])
    expect(wrapTextWithAnsi("漢字漢字", 5)).toEqual(["漢字", "漢字"])
  })

  it("keeps empty lines and indents", () => {
    expect(wrapTextWithAnsi("a\n\n  b c", 5)).toEqual(["a", "", "  b c"])
    expect(wrapTextWithAnsi("", 5)).toEqual([""])
    expect(wrapTextWithAnsi("    abcd efgh", 8)).toEqual(["    abcd", "efgh"])
  })

  it("opens styles again on the next line", () => {
    expect(wrapTextWithAnsi(red("one two"), 4)).toEqual(["\x1b[31mone\x1b[39m", "\x1b[31mtwo\x1b[39m"])
    expect(wrapTextWithAnsi("\x1b[1;38;5;208;44mone\ntwo\x1b[0m", 9)).toEqual([
      "\x1b[1;38;5;208;44mone\x1b[22;39;49m",
      "\x1b[1;38;5;208;44mtwo\x1b[0m",
    ])
  })

  it("forgets a style that was turned off", () => {
    expect(wrapTextWithAnsi("\x1b[1m\x1b[31ma\x1b[32mb\x1b[22mc\nd", 9)[1]).toBe("\x1b[32md\x1b[39m")
  })

  it("never exceeds the width, and loses nothing but spaces", () => {
    const piece = fc.constantFrom(
      "a",
      "word ",
      " ",
      "漢",
      "é",
      "\x1b[31m",
      "\x1b[0m",
      "👨‍👩‍👧",
      "long-long-word",
      "\n",
    )
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join("")),
        fc.integer({ min: 2, max: 12 }),
        (text, width) => {
          const lines = wrapTextWithAnsi(text, width)
          expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(width)
          const letters = (value: string) => value.replace(/\x1b\[[\d;]*m|\s/g, "")
          expect(letters(lines.join(""))).toBe(letters(text))
        },
      ),
    )
  })
})
