import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { usageOf } from "../../../src/hosts/terminal/arguments.ts"
import { parseInput } from "../../../src/hosts/terminal/input.ts"
import { defineTool, type JsonSchema, pipeline, ToolRegistry } from "../../../src/index.ts"

const tool = (name: string, parameters: JsonSchema, isCommand = false) =>
  defineTool({
    name,
    description: "",
    parameters,
    compose: () => pipeline(),
    ...(isCommand && { primaryParam: "command", primaryKind: "command" as const }),
  })

const registry = new ToolRegistry([
  tool("shell", Type.Object({ command: Type.String(), timeout: Type.Optional(Type.Number()) }), true),
  tool(
    "read_file",
    Type.Object({
      path: Type.String(),
      start_line: Type.Optional(Type.Integer()),
      end_line: Type.Optional(Type.Integer()),
    }),
  ),
  tool("write_file", Type.Object({ path: Type.String(), content: Type.String() })),
  tool("edit_file", Type.Object({ path: Type.String(), edits: Type.Array(Type.Unknown()) })),
  tool("get_task", Type.Object({ task_id: Type.String() })),
  tool("set_flag", Type.Object({ on: Type.Boolean() })),
  tool("list", Type.Object({})),
])

const call = (line: string) => {
  const input = parseInput(line, registry)
  if (input._tag !== "Call") throw new Error(`Expected a call, got ${JSON.stringify(input)}`)
  return input
}

const messageOf = (line: string): string => {
  const input = parseInput(line, registry)
  if (input._tag !== "Unknown") throw new Error(`Expected a message, got ${JSON.stringify(input)}`)
  return input.message
}

describe("a call", () => {
  test.each([
    ["shell npm test", { command: "npm test" }],
    ["shell echo 'a  b' | wc -l && ls", { command: "echo 'a  b' | wc -l && ls" }],
    ["shell { echo a; echo b; }", { command: "{ echo a; echo b; }" }],
    ['shell {"command": "ls", "timeout": 5}', { command: "ls", timeout: 5 }],
    ["read_file README.md 1 20", { path: "README.md", start_line: 1, end_line: 20 }],
    ["read_file README.md 10 -1", { path: "README.md", start_line: 10, end_line: -1 }],
    ['read_file "my file.md"', { path: "my file.md" }],
    ["read_file my\\ file.md", { path: "my file.md" }],
    ["read_file 'it is' 3", { path: "it is", start_line: 3 }],
    ["read_file README.md two", { path: "README.md", start_line: "two" }],
    ["write_file notes.txt hello  wide world", { path: "notes.txt", content: "hello  wide world" }],
    ['write_file notes.txt "hello world"', { path: "notes.txt", content: "hello world" }],
    ['edit_file {"path": "a", "edits": []}', { path: "a", edits: [] }],
    ["edit_file a", { path: "a" }],
    ['edit_file a.txt {"edits": [{"old_string": "a b"}]}', { path: "a.txt", edits: [{ old_string: "a b" }] }],
    ['edit_file "my file.txt" {"edits": []}', { path: "my file.txt", edits: [] }],
    ["get_task 12", { task_id: "12" }],
    ["set_flag true", { on: true }],
    ["list", {}],
  ])("%s", (line, params) => {
    expect(call(line).params).toEqual(params)
  })

  test.each([
    ["shell npm test &", "npm test", true],
    ["shell sleep 5&", "sleep 5", true],
    ["shell a && b", "a && b", false],
    ["shell a &&", "a &&", false],
    ["shell echo \\&", "echo \\&", false],
  ])("%s", (line, command, background) => {
    expect(call(line)).toMatchObject({ params: { command }, background })
  })

  test("finds a tool without its mcp_ prefix", () => {
    const prefixed = new ToolRegistry([tool("mcp_fetch", Type.Object({ url: Type.String() }))])
    expect(parseInput("fetch x", prefixed)).toMatchObject({ _tag: "Call", name: "mcp_fetch" })
  })
})

describe("what is no call", () => {
  test("names the tools there are", () => {
    expect(messageOf("shel ls")).toBe(
      "There is no tool shel. Tools: shell, read_file, write_file, edit_file, get_task, set_flag, list. /help shows how to call them.",
    )
  })

  test("says how many arguments a tool takes", () => {
    expect(messageOf("read_file a 1 2 3")).toBe(
      "read_file takes at most 3 arguments, got 4. Usage: read_file PATH [START_LINE] [END_LINE]",
    )
    expect(messageOf("list all")).toBe("list takes no words as arguments. Usage: list")
  })

  test("says that JSON is wrong", () => {
    expect(messageOf('edit_file {"path": a}')).toMatch(/^That is not a JSON object: /)
  })

  test("an empty line is nothing", () => {
    expect(parseInput("   ", registry)).toEqual({ _tag: "Nothing" })
  })
})

describe("a command", () => {
  test("with and without its argument", () => {
    expect(parseInput("/tasks", registry)).toEqual({ _tag: "Command", command: "tasks", argument: undefined })
    expect(parseInput("/take 3", registry)).toEqual({ _tag: "Command", command: "take", argument: "3" })
    expect(parseInput("/cancel", registry)).toEqual({
      _tag: "Command",
      command: "cancel",
      argument: undefined,
    })
    expect(parseInput("/exit", registry)).toMatchObject({ command: "quit" })
  })

  test("that takes a text takes the rest of the line", () => {
    const command = { _tag: "Command", command: "apply" }
    expect(parseInput("/apply", registry)).toEqual({ ...command, argument: undefined })
    expect(parseInput("/apply  it reads  better ", registry)).toEqual({
      ...command,
      argument: "it reads  better",
    })
  })

  test("that there is not, or that lacks its argument, is told", () => {
    expect(messageOf("/constructor")).toBe("There is no command /constructor. /help lists them.")
    expect(messageOf("/take")).toBe("Usage: /take ID")
    expect(messageOf("/take 1 2")).toBe("Usage: /take ID")
    expect(messageOf("/cancel 1 2")).toBe("Usage: /cancel [ID]")
    expect(messageOf("/pending all")).toBe("Usage: /pending")
  })
})

test.each([
  ["shell", "shell COMMAND"],
  ["read_file", "read_file PATH [START_LINE] [END_LINE]"],
  ["edit_file", 'edit_file {"path": …, "edits": …}'],
  ["list", "list"],
])("usage of %s", (name, usage) => {
  expect(usageOf(registry.get(name)!)).toBe(usage)
})

describe("a whole call as JSON", () => {
  test.each([
    ['{"name": "list"}', "list", {}, false],
    ['{"name": "list"} &', "list", {}, true],
    [
      '{"name": "shell", "params": {"command": "ls &"}, "background": true}',
      "shell",
      { command: "ls &" },
      true,
    ],
  ])("%s", (line, name, params, background) => {
    expect(call(line)).toEqual({ _tag: "Call", name, params, background })
  })

  test.each([
    ['{"name": "list"', /^No JSON: /],
    ['{"params": {}}', /^A call is {"name": "TOOL", "params": {…}}, with/],
    ['{"name": "list", "params": [1]}', /^A call is /],
    ['{"name": "list", "decision": "deny"}', /^A call has no "decision" here\. A call is /],
    ['{"name": "list", "background": "yes"}', /^A call is /],
    ['{"name": "nothing"}', /^There is no tool nothing\. Tools: shell, /],
  ])("%s is told", (line, message) => {
    expect(messageOf(line)).toMatch(message)
  })
})
