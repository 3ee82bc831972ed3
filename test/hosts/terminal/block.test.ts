import { describe, expect, test } from "vitest"
import {
  approvedBlock,
  type Block,
  foldBlock,
  isFinished,
  maxBlockText,
  queuedBlock,
  taskBlock,
} from "../../../src/hosts/terminal/block.ts"
import { BlockList } from "../../../src/hosts/terminal/block-list.ts"
import { printedBlock } from "../../../src/hosts/terminal/printed-block.ts"
import type { ToolEvent } from "../../../src/index.ts"

const id = { agentId: "main", callId: "1", seq: 1, at: 0 }
const started: ToolEvent = {
  _tag: "Started",
  ...id,
  name: "shell",
  params: { command: "ls" },
  background: false,
}
const delta = (content: string): ToolEvent => ({ _tag: "Delta", ...id, content })
const gate: ToolEvent = {
  _tag: "AwaitingApproval",
  ...id,
  name: "shell",
  params: { command: "ls" },
  background: false,
  because: "There is no rule for it.",
  label: "List files",
  preview: { content: [{ type: "text", text: "a preview" }], details: { diff: "@@ -1 +1 @@" } },
  approve: () => true,
  deny: () => true,
}
const completed = (content: string): ToolEvent => ({
  _tag: "Completed",
  ...id,
  name: "shell",
  content,
  output: { content: [{ type: "text", text: content }], details: { exitCode: 0 } },
})

const fold = (events: ReadonlyArray<ToolEvent>, block?: Block): Block =>
  events.reduce<Block | undefined>((now, event, index) => foldBlock(now, event, 1000 + index), block)!

describe("foldBlock", () => {
  test("a call that streams and completes shows what the model was told", () => {
    const running = fold([started, delta("a"), delta("b")])
    expect(running).toMatchObject({ status: "running", text: "ab", toolName: "shell", startedAt: 1000 })
    expect(fold([completed("done")], running)).toMatchObject({
      status: "complete",
      text: "done",
      details: { exitCode: 0 },
      params: { command: "ls" },
    })
  })

  test("a gate keeps what was streamed, shows its preview, and loses both label and preview once approved", () => {
    const waiting = fold([started, delta("before"), gate])
    expect(waiting).toMatchObject({
      status: "pending",
      text: "before",
      label: "List files",
      preview: { text: "a preview", details: { diff: "@@ -1 +1 @@" } },
    })
    const approved = approvedBlock(waiting, 5000)
    expect(approved).toMatchObject({ status: "running", startedAt: 5000 })
    expect(approved).not.toHaveProperty("preview")
    expect(fold([delta(", after")], waiting)).toMatchObject({ status: "running", text: "before, after" })
  })

  test("a gate of another call shows that call, and the block is itself again once the gate is decided", () => {
    const params = { action: "apply", reason: "looks right" }
    const resolving = fold([{ ...started, name: "resolve", params }])
    const waiting = fold([gate], resolving)
    expect(waiting).toMatchObject({ status: "pending", toolName: "shell", params: { command: "ls" } })
    const itself = { toolName: "resolve", params }
    const approved = approvedBlock(waiting, 5000)
    expect(approved).toMatchObject({ status: "running", ...itself })
    expect(approved).not.toHaveProperty("askedBy")
    // A gate right behind it, of which nobody told the block that the first was approved.
    const again = fold([{ ...gate, name: "write_file" }], waiting)
    expect(again).toMatchObject({ toolName: "write_file", askedBy: itself })
    const denied: ToolEvent = { _tag: "Denied", ...id, name: "resolve", content: "no", by: "user" }
    expect(fold([denied], again)).toMatchObject({ status: "denied", ...itself })
  })

  test("every ending sets its status and its text", () => {
    const end = { ...id, name: "shell", content: "why" }
    const endings: ReadonlyArray<readonly [ToolEvent, string]> = [
      [{ _tag: "Error", ...end, reason: "failed" }, "error"],
      [{ _tag: "Denied", ...end, by: "user" }, "denied"],
      [{ _tag: "Cancelled", ...end, by: "user" }, "cancelled"],
    ]
    for (const [event, status] of endings) {
      const block = fold([started, event])
      expect(block).toMatchObject({ status, text: "why", endedAt: 1001 })
      expect(isFinished(block)).toBe(true)
    }
  })

  test("a call that was refused before it started has a block of its own", () => {
    const block = fold([{ _tag: "Denied", ...id, name: "shell", content: "no", by: "policy" }])
    expect(block).toMatchObject({ toolName: "shell", status: "denied", text: "no", params: {} })
  })

  test("parameters that the host edited replace those of the call", () => {
    const event = { ...completed("ok"), editedParams: { command: "pwd" } } as ToolEvent
    expect(fold([started, event]).params).toEqual({ command: "pwd" })
  })

  test("finally handlers that failed are kept, also of a task", () => {
    const cleanupErrors = ["close: no editor"]
    expect(fold([started, { ...completed("ok"), cleanupErrors } as ToolEvent])).toMatchObject({
      cleanupErrors,
    })
    const task = {
      id: "7",
      agentId: "main",
      name: "shell",
      params: {},
      status: "error",
      content: "",
      createdAt: 0,
    } as const
    expect(taskBlock({ ...task, cleanupErrors })).toMatchObject({ status: "error", cleanupErrors })
  })

  test("an image is named by its type and size", () => {
    const output = { content: [{ type: "image" as const, mimeType: "image/png", data: "A".repeat(4000) }] }
    const block = fold([started, { _tag: "Completed", ...id, name: "shell", content: "", output }])
    expect(block.text).toBe("[image/png, 3 kB]")
  })

  test("sounds and resources are named, and a text resource is shown", () => {
    const content = [
      { type: "text", text: "found" },
      { type: "audio", mimeType: "audio/wav", data: "A".repeat(4000) },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "one\ntwo" } },
      { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } },
      { type: "resource_link", uri: "file:///c", name: "c", title: "The C" },
    ] as const
    const block = fold([
      started,
      { _tag: "Completed", ...id, name: "shell", content: "found", output: { content } },
    ])
    const others = [
      "[audio/wav, 3 kB]",
      "[file:///a.txt, text/plain]",
      "one",
      "two",
      "[file:///b, 1 kB]",
      "[The C, file:///c]",
    ]
    expect(block.text).toBe(["found", ...others].join("\n"))
    const asked = fold([started, { ...gate, preview: { content } }])
    expect(asked.preview?.text).toBe(["found", ...others].join("\n"))
  })

  test("a block is plain JSON", () => {
    const block = fold([started, gate])
    expect(JSON.parse(JSON.stringify(block))).toEqual(block)
  })

  test("text is bounded however much is streamed, and dropped lines are counted", () => {
    const chunk = `${"x".repeat(99)}\n`.repeat(100)
    const chunks = 200
    const block = fold([started, ...Array.from({ length: chunks }, () => delta(chunk))])
    expect(block.text.length).toBeLessThanOrEqual(2 * maxBlockText)
    expect(block.text.length).toBeGreaterThanOrEqual(maxBlockText - 100)
    const kept = block.text.split("\n").length - 1
    expect(block.omittedLines + kept).toBe(chunks * 100)
    expect(block.text.startsWith("x".repeat(99))).toBe(true)
  })

  test("an ended task's block holds the result that its executor kept", () => {
    const task = {
      id: "7",
      agentId: "main",
      name: "shell",
      params: { command: "ls" },
      content: "out",
      createdAt: 0,
    } as const
    expect(taskBlock({ ...task, status: "complete" })).toMatchObject({
      callId: "7",
      status: "complete",
      text: "out",
      background: true,
    })
  })
})

describe("BlockList", () => {
  test("a finished block is handed out once and forgotten", () => {
    const list = new BlockList()
    list.apply(started, 0)
    expect(list.size).toBe(1)
    expect(list.apply(completed("x"), 1)).toMatchObject({ status: "complete" })
    expect(list.size).toBe(0)
    expect(list.apply(delta("late"), 2)).toBeUndefined()
  })

  test("a refused duplicate does not end the call whose id it bears", () => {
    const list = new BlockList()
    list.apply(started, 0)
    const refused = { _tag: "Error", ...id, name: "shell", content: "in use", reason: "duplicate" } as const
    expect(list.apply(refused, 1)).toMatchObject({ status: "error", text: "in use" })
    expect(list.get("1")).toMatchObject({ status: "running" })
  })

  test("a queued block becomes the running one", () => {
    const list = new BlockList()
    list.set(queuedBlock({ callId: "1", name: "shell", params: { command: "ls" } }))
    expect(list.get("1")).toMatchObject({ status: "queued" })
    list.apply(started, 0)
    expect([...list]).toHaveLength(1)
    expect(list.get("1")).toMatchObject({ status: "running" })
  })
})

describe("printedBlock", () => {
  const tasks = {
    get: () =>
      ({
        ...id,
        id: "1",
        name: "shell",
        params: {},
        status: "complete",
        content: "result",
        createdAt: 0,
      }) as const,
  }

  test("a call that goes to the background is printed with its task id, and again with its result", () => {
    const event: ToolEvent = { _tag: "BackgroundStarted", ...id, name: "shell" }
    const running = fold([started, event])
    expect(printedBlock(event, running, tasks)).toMatchObject({
      background: true,
      text: "Running in background (task_id: 1)",
    })
    const times = { createdAt: 1, startedAt: 1, endedAt: 2 }
    const end: ToolEvent = { _tag: "BackgroundCompleted", ...id, name: "shell", status: "complete", ...times }
    expect(printedBlock(end, fold([end], running), tasks)).toMatchObject({
      status: "complete",
      text: "result",
    })
  })

  test("what still runs is not printed", () => {
    expect(printedBlock(started, fold([started]), tasks)).toBeUndefined()
  })
})
