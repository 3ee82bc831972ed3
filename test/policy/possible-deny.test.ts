// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import { type Piece, PossibleMatch } from "../../src/policy/possible-match.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (deny: string, command: string) =>
  ToolFilters.compile({ shell: { allow: [".*"], deny: [deny] } }).evaluate(shell, { command })

describe("a deny pattern that could match what is known only when the line runs makes it a question", () => {
  it("and it is asked", () => {
    const rows = [
      ["^npm publish", "npm $(echo publish)"],
      ["^npm publish", "npm `echo publish`"],
      ["^npm publish", "npm $x"],
      ["^npm publish", 'npm "$x"'],
      ["^npm publish", "npm pub$x"],
      ["^npm publish", "npm publis?"],
      ["^npm publish", "npm p*"],
      ["^npm publish", "npm [p]ublish"],
      ["^npm publish", "npm ~/x"],
      ["^npm publish", "npm {1..999999}"],
      ["^npm publish", "npm --silent publish"],
      ["^npm publish", "npm --prefix x publish"],
      ["^npm publish", "npm -s --loglevel=silent publish"],
      ["^npm publish", "env npm $x"],
      ["touch\\s+PWN", "touch -- PWN"],
      ["touch\\s+PWN", "touch ./PWN"],
      ["touch\\s+PWN", "touch .//x/../PWN"],
      ["touch\\s+PWN", "touch ../here/PWN"],
      ["touch\\s+PWN", "touch /here/PWN"],
      ["touch\\s+PWN", "touch ./$x"],
      ["touch\\s+PWN", "touch $'\\x{50}WN'"],
      ["touch\\s+PWN", "echo PWN | xargs touch"],
      ["touch\\s+PWN", "echo PWN | xargs -I % touch %"],
      ["touch\\s+PWN", "find . -exec touch {} +"],
      ["touch\\s+PWN", "bash -c 'touch $1' x PWN"],
      ["touch\\s+PWN", "/bin/touch -a PWN"],
      ["^cat (.*/)?\\.env$", "cat $f"],
      ["^git push(?! --dry-run)", "git $x"],
      ["^(\\w+) \\1$", "echo $x"],
      ["\\bsecret\\b", "cat $x"],
    ] as const
    expect(rows.filter(([deny, command]) => decide(deny, command) !== undefined)).toEqual([])
  })

  it("and what a reading without surprises finds is not approved either", () => {
    const rows = [
      ["^npm publish", "for c in publish; do npm $c; done"],
      ["^npm publish", "for c in ls publish; do npm $c; done"],
      ["^npm publish", "c=publish && npm $c"],
      ["^npm publish", "npm pub{lish,}"],
      ["^npm publish", "npm $x publish"],
      ["^npm publish", "npm {,}publish"],
      ["^npm publish", "{npm,publish}"],
      ["^npm publish", "npm publis{h..i}"],
      ["touch\\s+PWN", "touch {PWN,x}"],
      ["touch\\s+PWN", "touch a; command touch P{W,V}N"],
    ] as const
    expect(rows.filter(([deny, command]) => decide(deny, command) === "approve")).toEqual([])
  })

  it("and leaves alone what it could not match", () => {
    const rows = [
      ["^npm publish", "npm test"],
      ["^npm publish", "npm run --silent test"],
      ["^npm publish", "ls $x"],
      ["^echo publish", "echo run $x"],
      ["^npm publish", "echo {publish,x}"],
      ["^touch\\s+PWN", "touch ./PWM"],
      ["^touch\\s+PWN", "touch x/PWN"],
      ["^touch\\s+PWN$", "touch PWN$x.txt"],
      ["^git push", "for f in a b; do cat $f; done"],
      ["^rm\\b", "ls *.ts"],
    ] as const
    expect(rows.filter(([deny, command]) => decide(deny, command) !== "approve")).toEqual([])
  })

  it("and says so", () => {
    const filters = ToolFilters.compile({ shell: { allow: [".*"], deny: ["^npm publish"] } })
    expect(filters.explain(shell, { command: "npm $x" })).toMatchObject({
      verdict: "ask",
      because: "The deny rule `^npm publish` may match what is known only when the line runs.",
    })
    expect(filters.explain(shell, { command: "$x y" })).toMatchObject({
      verdict: "ask",
      because: "What the line runs cannot be told for certain: the command is named by an expansion.",
    })
    expect(filters.explain(shell, { command: "ls > x" })).toMatchObject({
      because: "Only a rule that is this very line approves it: it writes to a file.",
    })
  })
})

describe("a possible match", () => {
  const may = (pattern: string, ...pieces: ReadonlyArray<Piece>): boolean =>
    new PossibleMatch(pattern).in([{ alternatives: [pieces], optional: false }], 1_000_000)

  it.each([
    ["^a{2,3}$", "aa", true],
    ["^a{2,3}$", "aaaa", false],
    ["^a{2,}$", "aaaa", true],
    ["^a{2}$", "a", false],
    ["^a{,2}$", "a{,2}", true],
    ["^[^a-c]+$", "xyz", true],
    ["^[^a-c]+$", "xbz", false],
    ["^\\x41\\u0042\\d\\.$", "AB1.", true],
    ["^\\x41\\u0042\\d\\.$", "AB1x", false],
    ["^(?:a|b(?<n>c))*d?$", "abcad", true],
    ["^(?:a|b(?<n>c))*d?$", "abd", false],
    ["b$", "ab", true],
    ["b$", "ba", false],
    ["^b", "ab", false],
    ["", "x", true],
    ["^$", "x", false],
    ["[]", "x", false],
    ["^[^]$", "x", true],
    ["^a+?b*?$", "aab", true],
    ["^]}$", "]}", true],
    ["^\\$\\(\\/$", "$(/", true],
    ["^a.c$", "a\nc", false],
  ])("of %s in %j, of which all is known, is a match", (pattern, text, expected) => {
    expect(new RegExp(pattern).test(text)).toBe(expected)
    expect(may(pattern, text)).toBe(expected)
  })

  it("does not go back and forth", () => {
    expect(may("^(a+)+$", `${"a".repeat(1000)}b`)).toBe(false)
  })

  it("takes a part that is not known for anything", () => {
    expect(may("^ab+c$", "a", undefined)).toBe(true)
    expect(may("^ab+c$", undefined, "d")).toBe(false)
    expect(may("^ab+c$", "a", undefined, "c", undefined)).toBe(true)
    expect(may("^ab+c$", "ac", undefined)).toBe(false)
    expect(may("^$", undefined)).toBe(true)
    expect(may("x{5}", "x", undefined, "x")).toBe(true)
  })

  it("says yes where a pattern cannot be followed, or takes too long", () => {
    expect(may("^(?:(?:x{99}){99}){99}$", "y")).toBe(true)
    const segment = { alternatives: [["y".repeat(100)]], optional: false }
    expect(new PossibleMatch("^x").in([segment], 10)).toBe(true)
    expect(new PossibleMatch("^x").in([segment], 10_000)).toBe(false)
  })
})
