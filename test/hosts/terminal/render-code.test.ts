import { stripVTControlCharacters } from "node:util"
import fc from "fast-check"
import { expect, test } from "vitest"
import { askedRows } from "../../../src/hosts/terminal/render-gate.ts"
import { styleOf } from "../../../src/hosts/terminal/style.ts"

const shown = (source: string) => `\`\`\`js\n${source}\n\`\`\`\nIt names no tools.`
const [colored, plain] = [styleOf(true), styleOf(false)]

test("code at a gate is coloured, also where its rows are broken", () => {
  const { dim, name, ask, good, busy, mark } = colored
  const bar = dim("│ ")
  const on = dim("┊ ")
  expect(askedRows(shown("return tools.read('a\u200bbcdef') // so"), undefined, 16, colored)).toEqual([
    `${bar}\`\`\`js`,
    `${bar}${name("return")} ${ask("tools.rea")}`,
    `${on}${ask("d")}(${good("'a")}${mark("⟦U+200B⟧")}${good("bcde")}`,
    `${on}${good("f'")}) ${busy("// so")}`,
    `${bar}\`\`\``,
    `${bar}It names no tool`,
    `${on}s.`,
  ])
  expect(askedRows("for (const a of b)", undefined, 40, colored)).toEqual([`${bar}for (const a of b)`])
})

test("colours leave all of the code as it is, at any width", () => {
  const code = fc
    .array(fc.constantFrom("`", "'a'", "// b", "\n", "\t", "\u202e", "tools.x", "for ", "漢", "  "))
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(code, fc.integer({ min: 12, max: 40 }), (source, width) => {
      const rows = askedRows(shown(source), undefined, width, colored)
      expect(rows.map(stripVTControlCharacters)).toEqual(askedRows(shown(source), undefined, width, plain))
    }),
  )
})
