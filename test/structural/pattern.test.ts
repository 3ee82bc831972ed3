import { describe, expect, it } from "vitest"
import { matchesOf, mayMatch } from "../../src/structural/match.ts"
import { compilePattern } from "../../src/structural/pattern.ts"
import { compileTemplate } from "../../src/structural/template.ts"
import { grammarOf } from "./rewrite-text.ts"

const problemOf = async (language: string, pattern: string): Promise<string> => {
  const grammar = await grammarOf(language)
  try {
    compilePattern(grammar, pattern)
    return "none"
  } catch (cause) {
    return (cause as Error).message
  }
}

const notValid = (pattern: string, language: string) =>
  `The pattern ${pattern} is not valid ${language}. It must be one complete piece of code: close its brackets, or name the language with lang.`

describe("compilePattern", () => {
  it.each([
    ["typescript", " \n ", "The pattern is empty. Give the code to look for."],
    ["typescript", "$A", "The pattern $A stands for any code. Put it into some code, such as name($A)."],
    ["typescript", "$$$", "The pattern $$$ stands for any code. Put it into some code, such as name($$$)."],
    ["typescript", "foo(", notValid("foo(", "typescript")],
    ["typescript", "if ($C) {", notValid("if ($C) {", "typescript")],
    ["python", "print($A", notValid("print($A", "python")],
    ["css", "foo($A)", notValid("foo($A)", "css")],
    ["html", "<p", notValid("<p", "html")],
    [
      "typescript",
      "a(); b()",
      "The pattern a(); b() is more than one piece of code. Give one statement or expression, or put them into a block.",
    ],
    [
      "go",
      "a(); b()",
      "The pattern a(); b() is more than one piece of code. Give one statement or expression, or put them into a block.",
    ],
  ])("refuses in %s what would match nothing: %j", async (language, pattern, message) => {
    expect(await problemOf(language, pattern)).toBe(message)
  })

  it.each([
    ["rust", "let $A = $B"],
    ["go", "$X := f($A)"],
    ["css", "$S { $$$RULES }"],
    ["typescript", "switch ($X) { $$$CASES }"],
    ["rust", "match $X { $$$ARMS }"],
    ["python", "match $X:\n    $$$CASES"],
  ])(
    "takes in %s a statement without its end, and metavariables where no name may stand: %s",
    async (language, pattern) => {
      expect(await problemOf(language, pattern)).toBe("none")
    },
  )

  it("knows what every matching text holds, and nothing that it may lack", async () => {
    const grammar = await grammarOf("typescript")
    const text = 'logger.log("a", `b`)\nlet wait = async () => {}'
    for (const source of ['logger.log("a", $B)', "let $X = async () => {}"]) {
      const pattern = compilePattern(grammar, source)
      expect(mayMatch(text, pattern)).toBe(true)
      expect(matchesOf(text, grammar.parseNow(text), pattern)).toHaveLength(1)
    }
    expect(mayMatch("console.log(1)", compilePattern(grammar, "logger.log($A)"))).toBe(false)
  })
})

describe("compileTemplate", () => {
  const template = async (pattern: string, replacement: string) =>
    compileTemplate(replacement, compilePattern(await grammarOf("ts"), pattern))

  it("refuses a metavariable that the pattern does not capture", async () => {
    await expect(template("foo($A, $$$B)", "bar($C)")).rejects.toThrow(
      "The replacement uses $C, but its pattern foo($A, $$$B) captures $A, $$$B. Use a metavariable as the pattern spells it.",
    )
    await expect(template("foo($$$A)", "bar($A)")).rejects.toThrow(
      "uses $A, but its pattern foo($$$A) captures $$$A.",
    )
    await expect(template("foo($_X)", "bar($_X)")).rejects.toThrow(
      "uses $_X, but its pattern foo($_X) captures nothing.",
    )
  })
})
