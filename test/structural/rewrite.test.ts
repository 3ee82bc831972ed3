import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rewritten, rewrittenText } from "./rewrite-text.ts"

describe("metavariables", () => {
  it("keep the source text of what they capture, comments and spacing included", async () => {
    const text = "log(a, /* why */ b,   c)"
    expect(await rewrittenText("ts", text, ["log($$$ARGS)", "emit('x', $$$ARGS)"])).toBe(
      "emit('x', a, /* why */ b,   c)",
    )
    expect(await rewrittenText("ts", "x.get({ a: 1 })", ["$O.get($K)", "read($K, $O)"])).toBe(
      "read({ a: 1 }, x)",
    )
  })

  it("expand right after a letter, and are left alone where they are part of a word", async () => {
    expect(await rewrittenText("ts", "call(user)", ["call($A)", "get$A($Name)"])).toBe("getuser($Name)")
  })

  it("of several nodes take their comma with them where they stand for none", async () => {
    const text = "log(); log(1); log(1, 2,)"
    const of = (replacement: string) => rewrittenText("ts", text, ["log($$$A)", replacement])
    expect(await of("emit(x, $$$A)")).toBe("emit(x); emit(x, 1); emit(x, 1, 2,)")
    expect(await of("emit($$$A, y)")).toBe("emit(y); emit(1, y); emit(1, 2, y)")
    expect(await of("emit(x, $$$A, y)")).toBe("emit(x, y); emit(x, 1, y); emit(x, 1, 2, y)")
    expect(await of("emit($$$A)")).toBe("emit(); emit(1); emit(1, 2,)")
  })

  it("count offsets like strings do, not in bytes", async () => {
    const text = "const s = '😀é'; foo('é')"
    expect(await rewrittenText("ts", text, ["foo($A)", "bar($A, $A)"])).toBe("const s = '😀é'; bar('é', 'é')")
  })
})

describe("matches inside of matches", () => {
  it("are replaced inside of what is captured, each exactly once", async () => {
    const nested = await rewritten("ts", "foo(foo(1)); foo(foo(foo(x)))", ["foo($A)", "bar($A)"])
    expect(nested).toMatchObject({ text: "bar(bar(1)); bar(bar(bar(x)))", matches: 5, lost: 0 })
  })

  it("are replaced however deep they are, with all around them left as it is", async () => {
    const { code } = fc.letrec<{ code: string }>((tie) => ({
      code: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom("x", "1", "'foo(1)'", "foo"),
        fc.array(tie("code"), { maxLength: 3 }).map((args) => `foo(${args.join(", ")})`),
        fc.array(tie("code"), { maxLength: 3 }).map((args) => `[\n  ${args.join(",\n  ")}\n]`),
        tie("code").map((body) => `\`\n \${${body}}\``),
        tie("code").map((body) => `(() => {\n\treturn ${body}\n})()`),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(code, async (text) => {
        const expected = text.replaceAll(/(?<!')foo\(/g, "bar(")
        expect(await rewrittenText("ts", text, ["foo($$$A)", "bar($$$A)"])).toBe(expected)
      }),
    )
  })

  it("are not replaced again in what a replacement put in", async () => {
    expect(await rewritten("ts", "foo(foo(1))", ["foo($A)", "foo(wrap($A))"])).toMatchObject({
      text: "foo(wrap(foo(wrap(1))))",
      matches: 2,
      lost: 0,
    })
  })

  it("go first where they overlap with the outer one's own code, which is then tried again", async () => {
    expect(await rewritten("ts", "foo(foo(foo(2)))", ["foo($_)", "bar()"])).toMatchObject({
      text: "bar()",
      matches: 3,
      lost: 0,
    })
    expect(await rewrittenText("ts", "f(f(f(f(1))))", ["f(f($X))", "g($X)"])).toBe("g(g(1))")
    expect(await rewrittenText("ts", "z(); x.f().f().f().f(); z()", ["$A.f().f()", "$A.g()"])).toBe(
      "z(); x.g().g(); z()",
    )
  })

  it("are left after a hundred passes, and counted", async () => {
    const chain = (length: number) => `${"f(".repeat(length)}1${")".repeat(length)}`
    const result = await rewritten("ts", chain(300), ["f(f($X))", "f($X)"])
    expect(result.matches + result.lost).toBe(299)
    expect(result.lost).toBeGreaterThan(0)
  })

  it("are counted as lost where they do not match any more", async () => {
    expect(await rewritten("ts", "f(f(f(1)))", ["f(f($X))", "g($X)"])).toMatchObject({
      text: "f(g(1))",
      matches: 1,
      lost: 1,
    })
    expect(await rewritten("ts", "f(f(f(1)))", ["f(f($X))", "$X"])).toMatchObject({
      text: "f(1)",
      matches: 1,
      lost: 1,
    })
  })

  it("are refused past 1000 levels, and where they multiply without limit", async () => {
    const deep = (levels: number) => `${"a(".repeat(levels)}1${")".repeat(levels)}`
    expect(await rewrittenText("ts", deep(1000), ["a($A)", "b($A)"])).toBe(deep(1000).replaceAll("a", "b"))
    await expect(rewritten("ts", deep(1001), ["a($A)", "b($A)"])).rejects.toThrow(
      "Matches are nested more than 1000 deep. Edit this file by hand.",
    )
    await expect(rewritten("ts", deep(40), ["a($A)", "a($A, $A)"])).rejects.toThrow(
      "The result would be longer than 4000000 characters.",
    )
  })
})

describe("what a pattern does not see", () => {
  it("is counted where it is dropped: comments between what is captured", async () => {
    expect(
      await rewritten("ts", "foo(/* a */ x /* b */); foo(bar(/* c */))", ["foo($A)", "bar($A)"]),
    ).toMatchObject({
      text: "bar(x); bar(bar(/* c */))",
      comments: 2,
    })
  })

  it("is left alone at the end of a statement", async () => {
    const text = "function f() {\n  if (a) return 1 // why\n  return 2 /* because */;\n}\n"
    expect(await rewritten("ts", text, ["return $A", "yield $A"])).toMatchObject({
      text: text.replaceAll("return", "yield"),
      comments: 0,
    })
  })

  it("keeps a match with code that does not parse from being replaced", async () => {
    expect(await rewritten("ts", "foo(1 2)\nfoo(foo(3))\n", ["foo($A)", "bar($A)"])).toMatchObject({
      text: "foo(1 2)\nbar(bar(3))\n",
      matches: 2,
      unclear: 1,
    })
  })
})

describe("several replacements", () => {
  it("apply in order, each to what the earlier ones left", async () => {
    expect(await rewritten("ts", "a(1)", ["a($X)", "b($X)"], ["b($X)", "c($X)"])).toMatchObject({
      text: "c(1)",
      byReplacement: [1, 1],
      lost: 0,
    })
    expect(await rewrittenText("ts", "a(1)", ["b($X)", "c($X)"], ["a($X)", "b($X)"])).toBe("b(1)")
  })
})

describe("statements", () => {
  it("keep a semicolon that the pattern does not have", async () => {
    const text = "const a = require('a')\nconst b = require('b');\n"
    expect(await rewrittenText("ts", text, ["const $A = require($B)", "import $A from $B"])).toBe(
      "import a from 'a'\nimport b from 'b';\n",
    )
    expect(await rewrittenText("ts", "let a = 1;", ["let $A = $B;", "f()"])).toBe("f()")
  })
})

describe("lines", () => {
  it("are indented like the line that the match begins on", async () => {
    const text = "if (a) {\n\tfoo(1)\n}"
    expect(await rewrittenText("ts", text, ["foo($A)", "if ($A) {\n\tx\n}\n\ny()"])).toBe(
      "if (a) {\n\tif (1) {\n\t\tx\n\t}\n\n\ty()\n}",
    )
  })

  it("of a capture move with its first line, those inside of strings excepted", async () => {
    const text = "function f() {\n    a()\n    b(`x\n  y`, {\n        z: 1,\n    })\n}"
    const replacement = "class X {\n  m() {\n    try {\n      $$$B\n    } finally {}\n  }\n}"
    expect(await rewrittenText("ts", text, ["function f() { $$$B }", replacement])).toBe(
      "class X {\n  m() {\n    try {\n      a()\n      b(`x\n  y`, {\n          z: 1,\n      })\n    } finally {}\n  }\n}",
    )
  })

  it("of a capture in the middle of a line stay where they are", async () => {
    const text = "{\n  f(\n    1,\n    (a) => {\n      b\n    },\n  )\n}"
    expect(await rewrittenText("ts", text, ["f($$$A)", "g(0, $$$A)"])).toBe(
      "{\n  g(0, 1,\n    (a) => {\n      b\n    },)\n}",
    )
    expect(await rewrittenText("ts", text, ["f($$$A)", "if (x) {\n  g($$$A)\n}"])).toBe(
      "{\n  if (x) {\n    g(1,\n      (a) => {\n        b\n      },)\n  }\n}",
    )
  })

  it("of a match inside of a capture move too", async () => {
    const text = "class A:\n    def f(self):\n        if x:\n            print(1)\n            print(2)\n"
    const result = await rewrittenText(
      "python",
      text,
      ["print($A)", "log($A)\nlog2($A)"],
      ["if x:\n    $$$B", "with y:\n    if z:\n        $$$B"],
    )
    expect(result).toBe(
      "class A:\n    def f(self):\n        with y:\n            if z:\n                log(1)\n                log2(1)\n                log(2)\n                log2(2)\n",
    )
    const nested = "if (a) {\n  if (a) {\n    b()\n  }\n}"
    expect(await rewrittenText("ts", nested, ["if (a) { $$$B }", "{\n  {\n    $$$B\n  }\n}"])).toBe(
      "{\n  {\n    {\n      {\n        b()\n      }\n    }\n  }\n}",
    )
  })

  it("end like those of the file", async () => {
    expect(await rewrittenText("ts", "if (x) {\r\n  foo(1)\r\n}\r\n", ["foo($A)", "a($A)\nb($A)"])).toBe(
      "if (x) {\r\n  a(1)\r\n  b(1)\r\n}\r\n",
    )
  })
})

describe("languages", () => {
  it.each([
    ["typescript", "let a: T = f<X>(1)", "f<$T>($A)", "g<$T>($A)", "let a: T = g<X>(1)"],
    [
      "tsx",
      "<Foo a={1} b>hi {x}</Foo>",
      "<Foo $$$P>$$$C</Foo>",
      "<Bar $$$P>$$$C</Bar>",
      "<Bar a={1} b>hi {x}</Bar>",
    ],
    ["javascript", "x.then(y)", "$P.then($F)", "chain($P, $F)", "chain(x, y)"],
    ["css", "a { color: red; top: 0 }", "color: $C", "background: $C", "a { background: red; top: 0 }"],
    ["css", ".a { top: 0 }", ".a { $$$R }", ".b { $$$R }", ".b { top: 0 }"],
    ["html", '<div id="x"><p>hi</p></div>', "<p>$X</p>", "<b>$X</b>", '<div id="x"><b>hi</b></div>'],
    ["python", "print(a, b)\n", "print($$$A)", "log.info($$$A)", "log.info(a, b)\n"],
    ["rust", "fn f() { a.b().unwrap(); }", "$X.unwrap()", "$X?", "fn f() { a.b()?; }"],
    ["rust", "fn f() { let a = 3; }", "let $A = $B", "let mut $A = $B", "fn f() { let mut a = 3; }"],
    [
      "go",
      "package p\nfunc f() {\n\tfmt.Println(1, x)\n}\n",
      "fmt.Println($$$A)",
      "log.Print($$$A)",
      "package p\nfunc f() {\n\tlog.Print(1, x)\n}\n",
    ],
    [
      "go",
      "package p\nfunc f() {\n\ta := g(1)\n}\n",
      "func f() { $$$B }",
      "func h() {\n\t$$$B\n}",
      "package p\nfunc h() {\n\ta := g(1)\n}\n",
    ],
  ])("%s: %s", async (language, text, pattern, replacement, expected) => {
    expect(await rewrittenText(language, text, [pattern, replacement])).toBe(expected)
  })
})
