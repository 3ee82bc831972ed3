import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ToolFilterConfig, ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
const search = { name: "search", primaryParam: "query", primaryKind: "text" } as const
const ping = { name: "ping", primaryKind: "text" } as const

describe("compile", () => {
  const compile = (config: unknown) => () => ToolFilters.compile(config as ToolFilterConfig)

  it("names the tool and the pattern that does not compile", () => {
    expect(compile({ shell: { allow: ["^ls", "("] } })).toThrow(
      "The allow pattern `(` of tool `shell` does not compile: Invalid regular expression: /(/: Unterminated group",
    )
    expect(compile({ shell: { deny: ["[b-a]"] } })).toThrow("The deny pattern `[b-a]` of tool `shell`")
  })

  it.each([
    [null, "Expected filters to be an object of rules by tool name, got null"],
    [[], "Expected filters to be an object of rules by tool name, got an array"],
    [
      { shell: "ls" },
      "Expected the filters of tool `shell` to be `{ allow, deny }`, got a value of type string",
    ],
    [{ shell: [] }, "Expected the filters of tool `shell` to be `{ allow, deny }`, got an array"],
    [
      { shell: { allow: "ls" } },
      "Expected `allow` of tool `shell` to be an array of patterns, got a value of type string",
    ],
    [
      { shell: { deny: [/rm/] } },
      "Expected every `deny` pattern of tool `shell` to be a string, got a value of type object",
    ],
    [
      { shell: { denny: ["rm"] } },
      "Expected the filters of tool `shell` to hold only `allow` and `deny`, got `denny`",
    ],
  ])("refuses %j", (config, message) => {
    expect(compile(config)).toThrow(new TypeError(message))
  })
})

describe("evaluate", () => {
  it("asks where a tool has no rules", () => {
    expect(ToolFilters.empty().evaluate(shell, { command: "ls" })).toBeUndefined()
  })

  it("denies rather than approves", () => {
    const filters = ToolFilters.compile({ search: { allow: [".*"], deny: ["secret"] } })
    expect(filters.evaluate(search, { query: "my secret" })).toBe("deny")
    expect(filters.evaluate(search, { query: "my dog" })).toBe("approve")
  })

  it("matches the empty text for a tool without a primary parameter", () => {
    const decide = (pattern: string) =>
      ToolFilters.compile({ ping: { allow: [pattern] } }).evaluate(ping, { x: "pong" })
    expect(decide("^$")).toBe("approve")
    expect(decide(".*")).toBe("approve")
    expect(decide("pong")).toBeUndefined()
    expect(ToolFilters.compile({ ping: { deny: [""] } }).evaluate(ping, {})).toBe("deny")
  })

  it.each([
    undefined,
    null,
    "ls",
    [],
    {},
    { command: undefined },
    { command: null },
    { command: 5 },
    { command: ["ls"] },
    { command: { toString: () => "ls" } },
    Object.create({ command: "ls" }),
  ])("never approves without the primary parameter: %j", (params) => {
    expect(ToolFilters.compile({ shell: { allow: [".*"] } }).evaluate(shell, params)).toBeUndefined()
  })

  it("still denies without the primary parameter what is denied altogether", () => {
    expect(ToolFilters.compile({ shell: { deny: [".*"] } }).evaluate(shell, {})).toBe("deny")
  })

  it("asks where a parameter cannot be read", () => {
    const params = {
      get command(): string {
        throw new Error("no")
      },
    }
    expect(ToolFilters.compile({ shell: { allow: [".*"] } }).evaluate(shell, params)).toBeUndefined()
  })

  it("knows tools and parameters only by their own names", () => {
    const filters = ToolFilters.compile({ shell: { allow: [".*"] } })
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(filters.evaluate({ ...shell, name }, { command: "ls" })).toBeUndefined()
      expect(filters.evaluate({ ...shell, primaryParam: name }, {})).toBeUndefined()
    }
    const proto = { ...search, name: "__proto__" }
    expect(filters.remember(proto, { query: "x" })).toBe(true)
    expect(filters.evaluate(proto, { query: "x" })).toBe("approve")
    expect(Object.keys(filters.remembered())).toEqual(["__proto__"])
  })

  it("never throws", () => {
    const filters = ToolFilters.compile({ shell: { allow: [".*"], deny: ["^no$"] } })
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (command) => {
        filters.evaluate(shell, { command })
        filters.evaluate({ ...shell, primaryKind: "path" }, { command })
      }),
    )
  })
})

describe("remember", () => {
  const others = [
    (line: string) => `${line} x`,
    (line: string) => `${line}x`,
    (line: string) => `x ${line}`,
    (line: string) => `${line}; rm x`,
    (line: string) => `${line} > file`,
    (line: string) => `X=1 ${line}`,
    (line: string) => line.slice(0, -1),
    (line: string) => line.toUpperCase(),
  ]

  it.each([
    "npm test",
    "rm -rf build/*.js",
    "echo 'a  b' \"c\" $HOME (x)".replace("(x)", "\\(x\\)"),
    "npm test && npm run build | tail -n 5",
    "FOO=1 npm test > log 2>&1",
    "cat <<'E'\n$(x)\nE",
    "grep -E '^[a-z]+(\\.ts)?$' a/b|wc -l",
    "bash -c 'npm test; ls'",
  ])("approves the same line again, and no other: %j", (command) => {
    const filters = ToolFilters.empty()
    expect(filters.remember(shell, { command })).toBe(true)
    expect(filters.evaluate(shell, { command })).toBe("approve")
    for (const other of others) {
      expect(filters.evaluate(shell, { command: other(command) })).toBeUndefined()
    }
  })

  it("keeps to the quoting", () => {
    const filters = ToolFilters.empty()
    filters.remember(shell, { command: "rm a b" })
    expect(filters.evaluate(shell, { command: "rm 'a b'" })).toBeUndefined()
    filters.remember(shell, { command: "rm $X" })
    expect(filters.evaluate(shell, { command: "rm '$X'" })).toBeUndefined()
  })

  it.each([
    [shell, {}],
    [shell, { command: 5 }],
    [shell, { command: "ls '" }],
    [shell, { command: "$X y" }],
    [shell, { command: 'bash -c "$X"' }],
    [shell, { command: "curl x | sh" }],
    [shell, { command: "ls\0" }],
    [search, null],
    [{ ...search, primaryKind: "path" } as const, { query: "a\0b" }],
  ])("refuses what no rule can approve: %j %j", (tool, params) => {
    const filters = ToolFilters.empty()
    expect(filters.remember(tool, params)).toBe(false)
    expect(filters.remembered()).toEqual({})
    expect(filters.evaluate(tool, params)).toBeUndefined()
  })

  it("refuses what a deny rule matches", () => {
    const filters = ToolFilters.compile({ shell: { deny: ["rm"] } })
    expect(filters.remember(shell, { command: "rm x" })).toBe(false)
    expect(filters.evaluate(shell, { command: "rm x" })).toBe("deny")
    expect(filters.remembered()).toEqual({})
  })

  it("matches texts exactly, and tools without a primary parameter", () => {
    const filters = ToolFilters.empty()
    expect(filters.remember(search, { query: "a.b" })).toBe(true)
    expect(filters.evaluate(search, { query: "a.b" })).toBe("approve")
    expect(filters.evaluate(search, { query: "axb" })).toBeUndefined()
    expect(filters.remember(ping, {})).toBe(true)
    expect(filters.evaluate(ping, {})).toBe("approve")
    expect(filters.evaluate(ping, { anything: 1 })).toBeUndefined()
  })

  it("shows its rules once each, in a form that compile reads", () => {
    const config = { shell: { allow: ["^ls\\b"] } }
    const filters = ToolFilters.compile(config)
    const calls = ["npm test", "npm test", "ls -la", "FOO=1 npm test > log", "cat <<E\n/a.b*\nE"]
    for (const command of calls) expect(filters.remember(shell, { command })).toBe(true)
    const remembered = filters.remembered()
    expect(remembered).toEqual({
      shell: {
        allow: ["npm test", "FOO=1 npm test > log", "cat <<E\n/a.b*\nE"].map((command) => ({
          call: JSON.stringify({ command }),
          workingDir: process.cwd(),
        })),
      },
    })
    expect(config).toEqual({ shell: { allow: ["^ls\\b"] } })
    const again = ToolFilters.compile(JSON.parse(JSON.stringify(remembered)) as ToolFilterConfig)
    expect(again.evaluate(shell, { command: "FOO=1 npm test > log" })).toBe("approve")
    expect(again.evaluate(shell, { command: "cat <<E\n/a.b*\nE" })).toBe("approve")
    expect(again.evaluate(shell, { command: "cat <<E\n/axb*\nE" })).toBeUndefined()
  })
})
