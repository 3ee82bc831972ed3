import { describe, expect, it } from "vitest"
import {
  AwaitApproval,
  Delta,
  Fail,
  FileChange,
  GetBackgroundTask,
  IdeClosePreview,
  IdeOpen,
  IdeReloadBuffer,
  IdeShowDiffPreview,
  IdeShowPreview,
  ListBackgroundTasks,
  Output,
  ValidateNoUnsavedEdits,
} from "../../src/handlers/index.ts"
import { type HostEffect, Step } from "../../src/index.ts"
import { runHandler } from "./run-handler.ts"

const context = { cwd: "/project" }

describe("a handler of one step answers with it:", () => {
  it.each([
    [Output("text"), Step.Output("text")],
    [Delta("text"), Step.Delta("text")],
    [Fail("no"), Step.Error("no")],
    [AwaitApproval({ label: "Sure?" }), Step.AwaitApproval({ label: "Sure?" })],
  ])("$name", async (handler, step) => {
    expect(await runHandler(handler, context)).toEqual(step)
  })
})

const edits = [{ old_string: "a", new_string: "b" }]

describe("a handler that asks the host names the file by its absolute path:", () => {
  it.each<[ReturnType<typeof IdeOpen>, HostEffect]>([
    [IdeOpen({ path: "a", line: 2 }), { _tag: "IdeOpen", path: "/project/a", line: 2 }],
    [
      IdeShowPreview({ path: "a", content: "text" }),
      { _tag: "IdeShowPreview", preview: { path: "/project/a", content: "text" } },
    ],
    [IdeShowDiffPreview({ path: "../a", edits }), { _tag: "IdeShowDiffPreview", path: "/a", edits }],
    [IdeReloadBuffer({ path: "/b" }), { _tag: "IdeReloadBuffer", path: "/b" }],
    [IdeClosePreview(), { _tag: "IdeClosePreview" }],
    [ValidateNoUnsavedEdits({ path: "a" }), { _tag: "IdeCheckUnsavedEdits", path: "/project/a" }],
    [ListBackgroundTasks(), { _tag: "ListBackgroundTasks" }],
    [GetBackgroundTask({ taskId: "id" }), { _tag: "GetBackgroundTask", taskId: "id" }],
  ])("$name", async (handler, effect) => {
    expect(await runHandler(handler, context)).toEqual(Step.Delegate(effect))
  })
})

describe("IdeReloadBuffer", () => {
  it("asks for nothing while its change is not written", async () => {
    const change = new FileChange()
    const reload = IdeReloadBuffer({ path: "a", change })
    const memory = {}
    expect(await runHandler(reload, { ...context, memory })).toEqual(Step.Continue)
    change.wrote(memory)
    expect((await runHandler(reload, { ...context, memory }))._tag).toBe("Delegate")
  })
})
