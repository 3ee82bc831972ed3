import { expect, test } from "vitest"
import { blockReporter, jsonReporter } from "../../src/cli/reporter.ts"
import { PlainView } from "../../src/hosts/terminal/plain-view.ts"
import { pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const end = { agentId: "main", callId: "1", name: "shell", content: "what happened", seq: 1, at: 0 }

const collect = () => {
  const written: Array<string> = []
  return { write: (text: string) => written.push(text), text: () => written.join("") }
}

test("an event as JSON has neither its answer functions nor its cause", () => {
  const output = collect()
  const reporter = jsonReporter(output)
  reporter.event({ _tag: "Error", ...end, reason: "failed", cause: new Error("secret") })
  reporter.event({
    _tag: "AwaitingApproval",
    agentId: "main",
    callId: "1",
    name: "shell",
    params: { cause: "kept" },
    background: false,
    because: "There is no rule for it.",
    seq: 2,
    at: 0,
    approve: () => true,
    deny: () => true,
  })
  const events = output
    .text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(events[0]).toEqual({ _tag: "Error", ...end, reason: "failed" })
  expect(events[1]).toMatchObject({ _tag: "AwaitingApproval", params: { cause: "kept" } })
  expect(events[1]).not.toHaveProperty("approve")
})

test("an event as JSON acts on no terminal that it is printed to", () => {
  const output = collect()
  const content = "\u001b[2J\u009b2J\u202e\u200f"
  jsonReporter(output).event({ _tag: "Error", ...end, content, reason: "failed" })
  expect(output.text()).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(output.text())).toMatchObject({ content })
})

test("what failed to clean up after a dropped preview is printed", () => {
  const output = collect()
  const view = new PlainView({ output, colors: false, tool: () => undefined })
  const action = { agentId: "main", actionId: "a", label: "Rename", sourceToolName: "edit", seq: 1, at: 0 }
  const cleanupErrors = ["close: no\neditor"]
  blockReporter(view, { get: () => undefined }).event({
    _tag: "ActionResolved",
    ...action,
    outcome: "dropped",
    cleanupErrors,
  })
  expect(output.text()).toBe("Cleanup of Rename failed: close: no ⏎ editor\n")
})

test("a heading stands above the first block of its call, whenever that comes", () => {
  const output = collect()
  const view = new PlainView({ output, colors: false, tool: () => undefined })
  const reporter = blockReporter(view, { get: () => undefined })
  const call = (callId: string, heading: string) =>
    reporter.called({ _tag: "Call", call: { callId, name: "shell" }, expect: "complete", heading })
  call("1", "First")
  call("2", "Second\nin two lines")
  const completed = (callId: string): ToolEvent => ({
    _tag: "Completed",
    ...end,
    callId,
    output: { content: [{ type: "text", text: end.content }] },
  })
  reporter.event(completed("2"))
  reporter.event(completed("1"))
  expect(output.text().split("\n")).toEqual([
    "── Second",
    "── in two lines",
    "✓ shell()",
    "  what happened",
    "",
    "── First",
    "✓ shell()",
    "  what happened",
    "",
  ])
})

test("a resolve call is one block, with what was decided and what came of it", async () => {
  const executor = executorOf({
    rename: () =>
      pipeline()
        .andThen(() => Step.Output("a becomes b"))
        .awaitResolve({ label: "Rename a" })
        .andThen(() => Step.Output("a is b now")),
  })
  const output = collect()
  const view = new PlainView({ output, colors: false, tool: (name) => executor.agent().tool(name) })
  const reporter = blockReporter(view, executor.tasks)
  executor.enqueue([
    { name: "rename" },
    { name: "resolve", params: { action: "apply", reason: "It reads better" } },
  ])
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    reporter.event(event)
  }
  expect(output.text()).toMatch(
    /^✓ rename\(\)(?: [\d.]+s)?\n {2}a becomes b\n✓ resolve\(apply\)(?: [\d.]+s)?\n {2}Accept: Rename a\n {2}Reason: It reads better\n\s+a is b now\n$/,
  )
})
