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
    [
      "what takes no place of its own behind another character",
      "a\u{1f3fd} \u{1f469}\u{1f3fd} ന\u0d4eത",
      "a⟦U+1F3FD⟧ \u{1f469}⟦U+1F3FD⟧ ന⟦U+0D4E⟧ത",
    ],
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
    [
      "marks on letters whose script has none, or others",
      "日\u0307 한\u0338 ก\u0301 ש\u0e31",
      "日⟦U+0307⟧ 한⟦U+0338⟧ ก⟦U+0301⟧ \u200eש⟦U+0E31⟧\u200e",
    ],
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
    "ภาษาไทยที่นี่",
    "မြန်မာစာ ខ្មែរ தமிழ் বাংলা",
    "한국어",
    "├── src → ✓",
  ])("and ordinary text is not: %s", (text) => {
    expect(visibleText(text)).toBe(text)
  })

  test("what is read from right to left keeps to its place", () => {
    expect(visibleText("مُحَمَّد שָׁלוֹם")).not.toContain("⟦")
    expect(visibleText("שלום; rm 1")).toBe("\u200eשלום\u200e; rm 1")
  })
})

/** All that are assigned, but for letters of Han and private ones: those of the first two planes, and the tags. */
const blocks = [...Array.from({ length: 0x20 }, (_, index) => index * 0x1000), 0xe0000]

test.each(["", "a", "日", "👩", "ש"])(
  "of all characters, none comes out behind %j that cannot be seen",
  (before) => {
    const loose = before === "ש" ? "" : "\\p{M}"
    const unseen = new RegExp(
      `[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Emoji_Modifier}${loose}]`,
      "gu",
    )
    for (const first of blocks) {
      const codes = Array.from({ length: 0x1000 }, (_, index) => first + index)
      const text = codes.map((code) => before + String.fromCodePoint(code) + before).join(" ")
      const drawn = visibleText(text, { singleLine: true }).replaceAll("\u200e", "")
      expect(drawn.match(unseen)).toBeNull()
    }
  },
)

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

describe("of a sentence for people", () => {
  const sentence = (text: string) => visibleText(text, { prose: true })

  test.each([
    "It’s “fine” – really… isn’t it?",
    "Delete the users’ files (pages 3–5)?",
    "“Don’t”, she said. ‘Why?’\n“He said ‘no’”",
  ])("the typography of %j is no mark", (text) => {
    expect(sentence(text)).toBe(text)
    expect(visibleText(text)).not.toBe(text)
  })

  test.each([
    ["an option", "Run rm –rf now?", "Run rm ⟦U+2013⟧rf now?"],
    ["a path", "Delete src/it’s?", "Delete src/it⟦U+2019⟧s?"],
    ["a command", "Run echo ’$(rm x)’ now?", "Run echo ⟦U+2019⟧$(rm x)⟦U+2019⟧ now?"],
    ["a command with an option", "Run ls -a “x”?", "Run ls -a ⟦U+201C⟧x⟦U+201D⟧?"],
    ["what ASCII quotes", "It’s 'x'", "It⟦U+2019⟧s 'x'"],
    ["a name", "Delete a–b and x”y", "Delete a⟦U+2013⟧b and x⟦U+201D⟧y"],
    ["what may be a command", "rm ‘a b’ 3–5 it’s", "rm ⟦U+2018⟧a b⟦U+2019⟧ 3⟦U+2013⟧5 it’s"],
    ["another line", "It’s\nsrc/it’s", "It’s\nsrc/it⟦U+2019⟧s"],
    ["what turns and hides", "It’s \u202e\u200b", "It’s ⟦U+202E⟧⟦U+200B⟧"],
    ["letters that pass for others", "It’s раypal", "It’s ⟦U+0440⟧⟦U+0430⟧ypal"],
  ])("marks stay in %s", (_name, text, expected) => {
    expect(sentence(text)).toBe(expected)
  })

  test("nothing is left out", () => {
    fc.assert(
      fc.property(untrustedText, (text) => {
        expect(unmarked(sentence(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
    const long = "It’s\n".repeat(200_000) + "’ ".repeat(200_000)
    expect(unmarked(sentence(long))).toBe(long)
  })
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
