import { describe, expect, it } from "vitest"
import { handler, pipeline, Step, ToolPipeline } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf } from "../support/executor-of.ts"

const noting = (log: Array<string>, name: string) =>
  handler(name, () => {
    log.push(name)
    return Step.Continue
  })

describe("ToolPipeline", () => {
  it("is immutable: every builder method gives a new pipeline", () => {
    const base = pipeline().andThen(handler("read", () => Step.Continue))
    const left = base.andThen(handler("write", () => Step.Continue))
    const right = base.awaitApproval().finally(handler("close", () => Step.Continue))
    expect(base.describe().map((part) => part.name)).toEqual(["read"])
    expect(left.describe().map((part) => part.name)).toEqual(["read", "write"])
    expect(right.describe().map((part) => part.kind)).toEqual(["handler", "approval", "finally"])
    expect(pipeline().isEmpty).toBe(true)
  })

  it("lists and counts its parts", () => {
    const read = handler("read", () => Step.Continue)
    const close = handler("close", () => Step.Continue)
    const plan = pipeline().andThen(read).awaitApproval().finally(close)
    expect(plan.length).toBe(3)
    expect(plan.isEmpty).toBe(false)
    expect(plan.steps).toMatchObject([
      { kind: "handler", handler: read },
      { kind: "approval" },
      { kind: "finally", handler: close },
    ])
    expect(pipeline().length).toBe(0)
    expect(pipeline().steps).toEqual([])
  })

  it("describes its parts by name and kind, as plain JSON, before anything runs", () => {
    const plan = pipeline()
      .andThen(handler("ValidateFile", () => Step.Continue))
      .awaitApproval({ label: "Write a.ts" })
      .awaitApproval()
      .andThen(function writeFile() {
        return Step.Continue
      })
      .andThen(() => Step.Continue)
      .finally(handler("IdeClosePreview", () => Step.Continue))
    const described = plan.describe()
    expect(described).toMatchObject([
      { kind: "handler", name: "ValidateFile" },
      { kind: "approval", label: "Write a.ts" },
      { kind: "approval" },
      { kind: "handler", name: "writeFile" },
      { kind: "handler", name: expect.stringMatching(/./) },
      { kind: "finally", name: "IdeClosePreview" },
    ])
    expect(JSON.parse(JSON.stringify(described))).toStrictEqual(described)
  })

  it("skipToFinally leaves what runs after a denial", () => {
    const plan = pipeline()
      .finally(handler("first", () => Step.Continue))
      .andThen(handler("work", () => Step.Continue))
      .awaitApproval()
      .finally(handler("second", () => Step.Continue))
    expect(plan.skipToFinally().describe()).toMatchObject([
      { kind: "finally", name: "first" },
      { kind: "finally", name: "second" },
    ])
    expect(plan.length).toBe(4)
  })

  it("is no promise: awaiting one gives the pipeline itself", async () => {
    const plan = pipeline().andThen(() => Step.Continue)
    expect(await plan).toBe(plan)
  })

  it("refuses what is neither a handler nor a function", () => {
    expect(() => pipeline().andThen({} as never)).toThrow(TypeError)
    expect(() => pipeline().andThen(undefined as never)).toThrow(TypeError)
    expect(() => pipeline().finally("close" as never)).toThrow(TypeError)
  })

  it("runs its handlers in order, and finally handlers after all others wherever they were added", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .finally(noting(log, "close"))
      .andThen(noting(log, "one"))
      .finally(noting(log, "delete"))
      .andThen(noting(log, "two"))
    await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }])
    expect(log).toEqual(["one", "two", "close", "delete"])
  })

  it("can be shared by calls, and run many times", async () => {
    const log: Array<string> = []
    const plan = pipeline().andThen(noting(log, "ran")).finally(noting(log, "closed"))
    await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }, { name: "tool" }])
    expect(log).toEqual(["ran", "closed", "ran", "closed"])
  })

  it("keeps its gate, whatever is done to the one of another pipeline", () => {
    const [part] = pipeline().awaitApproval().steps
    expect(() => Object.assign(part!, { kind: "handler", label: "free" })).toThrow(TypeError)
    expect(pipeline().awaitApproval().describe()).toEqual([{ kind: "approval", name: "awaitApproval" }])
  })

  it("refuses a gate whose label is no text", () => {
    expect(() => pipeline().awaitApproval({ label: 5n as never })).toThrow(
      "Expected `label` of `awaitApproval` to be a string",
    )
  })

  it("can be written as JSON, as hosts may log it", () => {
    const plan = pipeline()
      .andThen(() => Step.Continue)
      .finally(() => Step.Continue)
    expect(JSON.parse(JSON.stringify(plan))).toEqual({ steps: [{ kind: "handler" }, { kind: "finally" }] })
  })

  it("that is empty completes with nothing", async () => {
    const events = await new ScriptedHost(executorOf({ tool: pipeline() })).run([{ name: "tool" }])
    expect(events).toMatchObject([{ _tag: "Started" }, { _tag: "Completed", content: "" }])
  })

  it("ToolPipeline.error fails with its message", async () => {
    const plan = ToolPipeline.error("Invalid params: path is missing")
    const events = await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }])
    expect(events.at(-1)).toMatchObject({
      _tag: "Error",
      reason: "failed",
      content: "Invalid params: path is missing",
    })
  })

  it("ToolPipeline.error with finally handlers runs them", async () => {
    const log: Array<string> = []
    const plan = ToolPipeline.error("no").finally(noting(log, "closed"))
    await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }])
    expect(log).toEqual(["closed"])
  })
})
