// @module-tag waits
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { runNode, useCli } from "./built-cli.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-json-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const shell = (command: string, more: object = {}): object => ({
  name: "shell",
  params: { command },
  ...more,
})

const run = async (...lines: ReadonlyArray<object>) => {
  const input = lines.map((line) => JSON.stringify(line)).join("\n")
  const { status, stdout } = await runNode([cli.path, "run", "--yes", "--json", "-"], { cwd, input })
  const events = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const completed = (callId: string) =>
    events.find((event) => event._tag === "Completed" && event.callId === callId)!
  return { status, events, completed }
}

describe("run --json", () => {
  test("writes an event a line", async () => {
    const { status, events, completed } = await run(shell("echo hi; exit 3"), { name: "nothing" })
    expect(events.map((event) => event._tag)).toEqual(
      expect.arrayContaining(["Started", "AwaitingApproval", "Delta", "Completed", "Error"]),
    )
    expect(completed("line-1").content).toBe("hi\n[exit code: 3]")
    expect(status).toBe(1)
  })

  test("puts what a background task reported behind the next result of its agent, once", async () => {
    const { completed } = await run(
      shell("echo slow", { callId: "task", background: true }),
      { wait: "task" },
      shell("echo other", { callId: "other", agentId: "another" }),
      { wait: "other" },
      shell("echo first", { callId: "first" }),
      shell("echo second", { callId: "second" }),
    )
    expect(completed("other").content).toBe("other\n")
    expect(completed("first")).toMatchObject({
      content:
        'first\n\n\n<notification source="task task">shell has ended [Complete]. Take its result with get_background_task.</notification>',
      output: { content: [{ type: "text", text: "first\n" }] },
    })
    expect(completed("second").content).toBe("second\n")
  })

  test("does not report a task to the call that takes its result", async () => {
    const { completed } = await run(
      shell("echo slow", { callId: "task", background: true }),
      { wait: "task" },
      { name: "get_background_task", params: { task_id: "task" }, callId: "take" },
    )
    expect(completed("take").content).toBe("Task task (shell) [Complete]:\nslow\n")
  })
})
