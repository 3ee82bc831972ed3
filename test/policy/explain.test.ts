import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
const read = { name: "read", primaryParam: "path", primaryKind: "path" } as const
const search = { name: "search", primaryParam: "query", primaryKind: "text" } as const

const filters = ToolFilters.compile(
  {
    shell: { allow: ["^ls\\b", "^git (log|diff)\\b", "^FOO=1 ls$"], deny: ["\\brm\\b"] },
    read: { allow: ["^src/"], deny: ["\\.env$"] },
  },
  { cwd: "/p", source: "rules.toml" },
)

const explain = (command: string) => filters.explain(shell, { command })

describe("explain names", () => {
  it("the rule that approves, where it comes from, and the command", () => {
    expect(explain("ls -l")).toEqual({
      verdict: "approve",
      rule: "^ls\\b",
      source: "rules.toml",
      command: "ls -l",
      because: "The allow rule `^ls\\b` matches `ls -l`.",
    })
  })

  it("the rule that denies, and what of the line it matched", () => {
    expect(explain("ls && sudo r\\m x")).toEqual({
      verdict: "deny",
      rule: "\\brm\\b",
      source: "rules.toml",
      command: "sudo rm x",
      because: "The deny rule `\\brm\\b` matches `sudo rm x`.",
    })
    expect(filters.explain(read, { path: "src/../.env" })).toEqual({
      verdict: "deny",
      rule: "\\.env$",
      source: "rules.toml",
      command: "src/../.env",
      because: "The deny rule `\\.env$` matches `src/../.env`.",
    })
  })

  it("the command of a line that no rule allows", () => {
    expect(explain("ls | make -s")).toEqual({
      verdict: "ask",
      command: "make -s",
      because: "No allow rule matches `make -s`.",
    })
  })

  it("a rule that was remembered", () => {
    const remembering = filters.at("/p")
    remembering.remember(shell, { command: "npm test" })
    expect(remembering.explain(shell, { command: "npm test" })).toMatchObject({
      rule: '{"command":"npm test"}',
      source: "remembered",
    })
  })

  it.each([
    [search, { query: "x" }, "There is no rule for the tool `search`."],
    [shell, {}, "`command` is no text."],
    [shell, { command: "[[ x ]]" }, "There is no command in it."],
    [
      shell,
      { command: "$X ls" },
      "What the line runs cannot be told for certain: the command is named by an expansion.",
    ],
    [
      shell,
      { command: "FOO=x ls" },
      "Only a rule that is this very line approves it: it assigns a variable.",
    ],
    [read, { path: "a\0b" }, "`a\0b` can be no path."],
  ] as const)("why it asks: %j %j", (tool, params, because) => {
    expect(filters.explain(tool, params)).toMatchObject({ verdict: "ask", because })
  })
})

it("explain and evaluate agree, and a rule that decides a command matches what it decides on", () => {
  const word = fc.constantFrom(
    "ls",
    "rm",
    "git log",
    "git diff",
    "--output=f",
    "&&",
    "|",
    "$x",
    "FOO=1",
    "'",
    "a",
    "cd b",
    ";",
    ">f",
  )
  const pattern = fc.constantFrom("^ls\\b", "^git log", "^cd", "rm", "--output", "^a$", "(a|b)+$", ".*", "x")
  const patterns = fc.array(pattern, { maxLength: 3 })
  let decided = 0
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), patterns, patterns, (words, allow, deny) => {
      const random = ToolFilters.compile({ shell: { allow, deny } }, { cwd: "/p" })
      const params = { command: words.join(" ") }
      const { verdict, rule, command, because } = random.explain(shell, params)
      expect(random.evaluate(shell, params) ?? "ask").toBe(verdict)
      expect(because).toMatch(/\.$/)
      if (rule === undefined) {
        expect(verdict).toBe("ask")
        return
      }
      decided += 1
      expect(verdict === "deny" ? deny : allow).toContain(rule)
      expect(command).toMatch(new RegExp(rule))
    }),
    { numRuns: 2_000 },
  )
  expect(decided).toBeGreaterThan(200)
})

describe("warnings", () => {
  it.each([".*", "", "^", ".", "^.+$", "[^]*", "(?:)", "^(.*)$", "[\\s\\S]+"])(
    "name an allow pattern for everything: %j",
    (pattern) => {
      const { warnings } = ToolFilters.compile(
        { shell: { allow: ["^ls", pattern], deny: [".*"] } },
        { source: "rules.toml" },
      )
      expect(warnings).toEqual([
        `The allow pattern \`${pattern}\` of tool \`shell\` (rules.toml) approves whatever no deny rule stops, but for commands that only a rule which names them approves: options that write or run something, redirections, other folders. Name what may run unasked instead.`,
      ])
    },
  )

  it.each([
    ["^head|tail|wc|sort", "^(head|tail|wc|sort)"],
    ["^src/|test/$", "^(src/|test/)$"],
    ["a(b|^c)|^d[|]", "^(a(b|^c)|d[|])"],
  ])("name an allow pattern with `^` in some alternatives: %j", (pattern, meant) => {
    const rules = { search: { allow: [pattern], deny: [pattern] } }
    expect(ToolFilters.compile(rules).warnings).toEqual([
      `The allow pattern \`${pattern}\` of tool \`search\` begins with \`^\` in some of its alternatives only; the others are for whatever holds them. Write \`${meant}\`.`,
    ])
  })

  it.each([
    ...["^ls\\b", "^\\w+", "^[^|]*$", "\\bnpm\\b.*", "^$"],
    ...["^a|^b", "a|b", "^(a|b)", "(^a|b)", "(^a)|(^b)", "^a\\|b", "^[a|b]"],
  ])("name no other: %j", (pattern) => {
    expect(ToolFilters.compile({ shell: { allow: [pattern] } }).warnings).toEqual([])
  })

  it("come with rules that are added, and without those that were refused", () => {
    const added = ToolFilters.compile({ shell: { deny: ["rm"] } })
    added.add({ shell: { allow: [".*"] } }, "--allow")
    expect(added.warnings).toHaveLength(1)
    expect(added.explain(shell, { command: "ls" })).toMatchObject({ verdict: "approve", source: "--allow" })
    expect(added.evaluate(shell, { command: "rm" })).toBe("deny")
    expect(() => added.add({ search: { allow: [".*"] }, read: { allow: ["("] } })).toThrow("does not compile")
    expect(added.evaluate(search, { query: "x" })).toBeUndefined()
  })
})
