import { describe, expect, test } from "vitest"
import { parseScript } from "../../src/cli/script.ts"
import { UsageError } from "../../src/cli/usage-error.ts"

const parse = (...lines: ReadonlyArray<string>) => parseScript(lines.join("\n"), "calls.jsonl")

describe("a script", () => {
  test("reads calls, waits, headings and comments; empty lines count for nothing", () => {
    const steps = parse(
      "\uFEFF// a comment",
      "",
      "# First",
      "# step",
      '{"name": "shell", "params": {"command": "ls"}, "callId": "a", "background": true}\r',
      '{"wait": "a"}',
      '{"name": "read_file", "expect": "error", "decision": "deny", "agentId": "reader"}',
    )
    expect(steps).toEqual([
      {
        _tag: "Call",
        call: { name: "shell", params: { command: "ls" }, callId: "a", background: true },
        expect: "complete",
        heading: "First\nstep",
      },
      { _tag: "Wait", callId: "a" },
      {
        _tag: "Call",
        call: { name: "read_file", callId: "line-7", decision: "deny", agentId: "reader" },
        expect: "error",
      },
    ])
  })

  test("may say with which exit code a command shall end", () => {
    expect(parse('{"name": "shell", "expect": {"exitCode": 3}}')).toMatchObject([{ expect: { exitCode: 3 } }])
  })

  test.each([
    ["{", /^calls\.jsonl, line 2: Expected/],
    ["[]", /^calls\.jsonl, line 2: expected a JSON object, got \[\]$/],
    ['"shell"', /^calls\.jsonl, line 2: expected a JSON object/],
    ["{}", /^calls\.jsonl, line 2: expected `name`, the tool to call$/],
    ['{"name": 7}', /^calls\.jsonl, line 2: expected `name` to be a tool's name, got 7$/],
    [
      '{"name": "shell", "parms": {}}',
      /^calls\.jsonl, line 2: unknown key `parms`\. A call has `name`, `params`,/,
    ],
    ['{"name": "shell", "params": []}', /line 2: expected `params` to be an object, got \[\]$/],
    [
      '{"name": "shell", "decision": "requested"}',
      /line 2: expected `decision` to be "pending", "approve" or "deny"/,
    ],
    [
      '{"name": "shell", "background": "yes"}',
      /line 2: expected `background` to be true or false, got "yes"$/,
    ],
    [
      '{"name": "shell", "expect": "ok"}',
      /line 2: expected `expect` to be "complete", "error", "denied", "cancelled" or \{"exitCode": N\}, got "ok"$/,
    ],
    ['{"name": "shell", "expect": {"exitCode": "3"}}', /line 2: expected `expect` to be "complete", /],
    [
      '{"name": "shell", "expect": {"exitCode": 3, "signal": 9}}',
      /line 2: expected `expect` to be "complete", /,
    ],
    ['{"wait": "b"}', /line 2: expected \{"wait": "ID"\} with the `callId` of a call above$/],
    ['{"name": "shell", "callId": "a"}', /line 2: the `callId` "a" stands in line 1 already$/],
  ])("%s is refused by its line", (line, message) => {
    const parsing = () => parse('{"name": "shell", "callId": "a"}', line)
    expect(parsing).toThrow(UsageError)
    expect(parsing).toThrow(message)
  })

  test("a key named like a method of objects is unknown, not a call's", () => {
    expect(() => parse('{"name": "shell", "toString": 1}')).toThrow("unknown key `toString`")
  })
})
