import fc from "fast-check"
import { expect, test } from "vitest"
import { codeParts, fencedParts } from "../../src/text/code-parts.ts"

const told = (code: string) =>
  codeParts(code)
    .map(({ text, kind }) => (kind === undefined ? text : `${kind}<${text}>`))
    .join("")

test("parts of code are told apart", () => {
  expect(told('const a = "b // c" // d\nreturn await tools.read({ a })')).toBe(
    'word<const> a = string<"b // c"> comment<// d>\nword<return> word<await> tool<tools.read>({ a })',
  )
  expect(told("/* for\n'*/ object.for(`a\n\\`{b}`, 'it\\'s')")).toBe(
    "comment</* for\n'*/> object.for(string<`a\n\\`{b}`>, string<'it\\'s'>)",
  )
})

test("tools are found in strings and comments too, where code may stand that is taken for them", () => {
  expect(told('`{await tools["write-file"]()}` // /* tools.a')).toBe(
    'string<`{await >tool<tools["write-file">string<]()}`> comment<// /* >tool<tools.a>',
  )
})

test("the parts are the whole text, whatever it is", () => {
  const text = fc
    .array(fc.constantFrom("`", "'", '"', "/", "*", "\\", "\n", "${", "tools.", "for", " ", "a"))
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(text, (code) => {
      expect(
        codeParts(code)
          .map((part) => part.text)
          .join(""),
      ).toBe(code)
      const fenced = `\`\`\`js\n${code}\n\`\`\`\nIt names no tools.`
      expect(
        fencedParts(fenced)!
          .map((part) => part.text)
          .join(""),
      ).toBe(fenced)
    }),
  )
  expect(fencedParts("js")).toBeUndefined()
})
