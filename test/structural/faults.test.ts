import { describe, expect, it } from "vitest"
import { expectParses, faultsOf } from "../../src/structural/faults.ts"
import { grammarOf } from "./rewrite-text.ts"

const problemOf = async (language: string, before: string, after: string): Promise<string> => {
  try {
    await expectParses(await grammarOf(language), before, after)
    return "none"
  } catch (cause) {
    return (cause as Error).message
  }
}

describe("expectParses", () => {
  it.each([
    ["typescript", "foo(1)\n", "foo(\n", "line 1 would have a syntax error at: foo("],
    ["typescript", "if (a) {\n}", "if (a) {\n", "line 1 lacks }"],
    ["python", "x = 1\nf(x)\n", "x = 1\nf(x\n", "line 2 would have a syntax error at: f(x"],
    ["html", "<p>a</p>", "<p>a</b>", "line 1 would have a syntax error at: </b>"],
    ["rust", "fn f() {}", "fn f( {}", "line 1 lacks )"],
    ["css", "a { top: 0 }", "a { top: 0 ", "line 1 would have a syntax error at: a { top: 0"],
  ])("refuses broken %s", async (language, before, after, what) => {
    expect(await problemOf(language, before, "")).toBe("none")
    expect(await problemOf(language, before, after)).toBe(
      `The result would not be valid ${language}: ${what}. Correct the replacement.`,
    )
  })

  it("lets a fault be that was there before, and tells it from a new one", async () => {
    const broken = "function f() {\n  let x = (;\n}\n\nfunction g() {\n  foo(1)\n}\n"
    const grammar = await grammarOf("ts")
    expect(faultsOf(grammar.parseNow(broken), grammar.language)).toHaveLength(1)
    expect(await problemOf("ts", broken, broken.replace("foo", "bar"))).toBe("none")
    expect(await problemOf("ts", broken, broken.replace("1", "1 +"))).toContain("line 6 lacks identifier.")
  })

  it.each([
    ["html", "<script></script><br><ul><li>a<li>b</ul>"],
    ["go", "package p\nvar x = 1"],
    ["typescript", "const a = ''\nconst b = ``\nf(<T>(x: T) => x)"],
    ["python", "def f(): pass"],
  ])("finds no fault in correct %s", async (language, text) => {
    expect(await problemOf(language, "", text)).toBe("none")
  })
})
