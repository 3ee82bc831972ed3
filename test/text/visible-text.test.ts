import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { visibleText } from "../../src/index.ts"
import { unmarked } from "./unmarked.ts"
import { untrustedText } from "./untrusted-text.ts"

describe("what cannot be seen is drawn", () => {
  test.each([
    ["a carriage return", "touch PWN #\rls -la", "touch PWN #⟦CR⟧ls -la"],
    ["CSI, with one byte or two", "\u001b[2Jx\u009b2Jy", "⟦ESC⟧[2Jx⟦U+009B⟧2Jy"],
    [
      "OSC, DCS and APC",
      "\u001b]0;t\u0007\u0090q\u009c\u001b_x\u001b\\",
      "⟦ESC⟧]0;t⟦BEL⟧⟦U+0090⟧q⟦U+009C⟧⟦ESC⟧_x⟦ESC⟧\\",
    ],
    ["what turns the direction", "a\u202egpj\u2066\u061c", "a⟦U+202E⟧gpj⟦U+2066⟧⟦U+061C⟧"],
    ["what has no width", "r\u200bm\u00ad\ufeff\u2060", "r⟦U+200B⟧m⟦U+00AD⟧⟦U+FEFF⟧⟦U+2060⟧"],
    ["tags and variation selectors", "x\u{e0041}\ufe0f\u{e0100}", "x⟦U+E0041⟧⟦U+FE0F⟧⟦U+E0100⟧"],
    ["letters and patterns that show nothing", "\u3164\u2800\u115f", "⟦U+3164⟧⟦U+2800⟧⟦U+115F⟧"],
    ["line separators", "a\u2028b\u2029c\u0085", "a⟦U+2028⟧b⟦U+2029⟧c⟦U+0085⟧"],
    ["blanks of another kind", "a\u00a0b\u3000", "a⟦U+00A0⟧b⟦U+3000⟧"],
    ["half of a surrogate pair", "\ud83d!", "⟦U+D83D⟧!"],
    ["blanks that push something away", `a${" ".repeat(5000)}b`, "a⟦5000 spaces⟧b"],
    ["empty lines that do", `a${"\n".repeat(99)}b`, "a⟦99 newlines⟧b"],
    ["blanks at the end of a line", "a  \nb ", "a␣␣\nb␣"],
    ["a tab", "\tx", "⇥   x"],
    ["the marks themselves", "⟦ESC⟧ ⏎ ␣ ⇥", "⟦U+27E6⟧ESC⟦U+27E7⟧ ⟦U+23CE⟧ ⟦U+2423⟧ ⟦U+21E5⟧"],
  ])("%s", (_name, text, expected) => {
    expect(visibleText(text)).toBe(expected)
  })
})

describe("what is taken for something else is drawn", () => {
  test.each([
    ["letters of another script in a word", "раypal", "⟦U+0440⟧⟦U+0430⟧ypal"],
    ["a word of nothing but such", "сор /x", "⟦U+0441⟧⟦U+043E⟧⟦U+0440⟧ /x"],
    ["other widths and styles", "ｒm 𝐱", "⟦U+FF52⟧m ⟦U+1D431⟧"],
    ["dashes and quotes", "–rf ‘a’", "⟦U+2013⟧rf ⟦U+2018⟧a⟦U+2019⟧"],
    ["a letter that is put together", "e\u0301", "e⟦U+0301⟧"],
    ["digits of another script", "٣", "⟦U+0663⟧"],
    ["scripts that nobody writes every day", "ꓡꓢ", "⟦U+A4E1⟧⟦U+A4E2⟧"],
  ])("%s", (_name, text, expected) => {
    expect(visibleText(text)).toBe(expected)
  })

  test.each([
    "Привет, мир",
    "naïve café Tiếng Việt",
    "日本語テキスト",
    "नमस्ते दुनिया",
    "한국어",
    "├── src → ✓",
  ])("and ordinary text is not: %s", (text) => {
    expect(visibleText(text)).toBe(text)
  })

  test("what is read from right to left keeps to its place", () => {
    expect(visibleText("שלום; rm 1")).toBe("\u200eשלום\u200e; rm 1")
  })
})

test("on a single line, line ends are drawn", () => {
  expect(visibleText("a\nb \n\nc", { singleLine: true })).toBe("a ⏎ b␣ ⏎  ⏎ c")
})

test("tabs stay for hosts that draw them", () => {
  expect(visibleText("\ta", { keepTabs: true })).toBe("\ta")
})

test("nothing is left out: whatever is drawn can be read back", () => {
  fc.assert(
    fc.property(untrustedText, (text) => {
      expect(unmarked(visibleText(text))).toBe(text)
      expect(unmarked(visibleText(text, { singleLine: true }))).toBe(text)
    }),
    { numRuns: 1500 },
  )
})

test("nothing that is drawn acts on a screen, turns or hides", () => {
  fc.assert(
    fc.property(untrustedText, (text) => {
      // U+200E stands around words that are read from right to left.
      const drawn = visibleText(text).replaceAll("\u200e", "").replaceAll("\n", "")
      expect(drawn).not.toMatch(/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u)
    }),
    { numRuns: 1500 },
  )
})

/** What an eye makes of a text: what Unicode calls the same is the same, what has no shape is not there. */
const look = (drawn: string): string =>
  drawn
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[\u2010-\u2013\u2212]/g, "-")
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[аеос]/g, (letter) => ({ а: "a", е: "e", о: "o", с: "c" })[letter]!)
    .replace(/ +$/gm, "")

test("texts that differ do not look alike", () => {
  const part = fc.constantFrom(
    "",
    " ",
    "\u200b",
    "\u0301",
    "\n",
    "\t",
    "a",
    "а",
    "e\u0301",
    "é",
    "-",
    "–",
    "\r",
    "␣",
  )
  fc.assert(
    fc.property(untrustedText, untrustedText, part, part, (start, end, first, second) => {
      const [one, other] = [start + first + end, start + second + end]
      fc.pre(one !== other)
      expect(look(visibleText(one))).not.toBe(look(visibleText(other)))
    }),
    { numRuns: 1500 },
  )
})

test("texts of megabytes take no longer than their length", () => {
  for (const text of [
    "é".repeat(500_000),
    `${" ".repeat(500_000)}é`,
    "ก็".repeat(200_000),
    "a é\t".repeat(100_000),
  ]) {
    expect(unmarked(visibleText(text))).toBe(text)
  }
})
