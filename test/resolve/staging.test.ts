import { describe, expect, it } from "vitest"
import { pipeline, Step, ToolPipeline } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { is, stamp, trail } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, editTool, labels, stage } from "./edit-tool.ts"

const hint =
  'Nothing is changed yet. Pending: Change a.ts. Call the `resolve` tool with action "apply" to make these changes, or "discard" to drop them.'

describe("a call that stops at awaitResolve", () => {
  it("completes with its preview and a line that says what is true now and how to resolve it", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const events = await new ScriptedHost(executor).run([{ agentId: "a", callId: "c", name: "edit" }])
    const { actionId } = executor.agent("a").pendingActions.peek()!
    expect(events).toEqual([
      { _tag: "Started", ...stamp, agentId: "a", callId: "c", name: "edit", params: {}, background: false },
      {
        _tag: "ActionPending",
        ...stamp,
        agentId: "a",
        actionId,
        label: "Change a.ts",
        sourceToolName: "edit",
      },
      {
        _tag: "Completed",
        ...stamp,
        agentId: "a",
        callId: "c",
        name: "edit",
        content: `would change a.ts\n${hint}`,
        output: {
          content: [
            { type: "text", text: "would change a.ts" },
            { type: "text", text: hint },
          ],
        },
        staged: { actionId, label: "Change a.ts" },
      },
    ])
    expect(log).toEqual(["preview a.ts"])
  })

  it("keeps the images and the details of its preview", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const
    const plan = pipeline()
      .andThen(() => Step.Output({ content: [image], details: { count: 3 } }))
      .awaitResolve({ label: "Change a.ts" })
    const { output } = await executorOf({ edit: plan }).run({ name: "edit" })
    expect(output).toEqual({ content: [image, { type: "text", text: hint }], details: { count: 3 } })
  })

  it("completes with the line alone where nothing was shown", async () => {
    const { content } = await executorOf({
      edit: pipeline().awaitResolve({ label: "Change a.ts" }),
    }).run({ name: "edit" })
    expect(content).toBe(hint)
  })

  it("lets its lane move on", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await host.run([
      { callId: "1", name: "edit", params: { path: "a.ts" } },
      { callId: "2", name: "edit", params: { path: "b.ts" } },
    ])
    expect(log).toEqual(["preview a.ts", "preview b.ts"])
    expect(trail(host.events.filter(is("Completed")))).toEqual(["1 Completed", "2 Completed"])
    expect(labels(executor)).toEqual(["Change a.ts", "Change b.ts"])
  })

  it("does not hold `next`: the pending action is nothing that runs", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    expect(executor.inspect()).toEqual([])
    expect(await executor.next()).toBeUndefined()
    expect(labels(executor)).toEqual(["Change a.ts"])
  })

  it("names the source that it was given, and shows its details to hosts alone", async () => {
    const { plan } = editTool({ sourceToolName: "ast_edit", details: { files: ["a.ts"] } })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "edit" }])
    expect(executor.agent().pendingActions.list()).toEqual([
      {
        actionId: expect.any(String),
        label: "Change a.ts",
        sourceToolName: "ast_edit",
        details: { files: ["a.ts"] },
      },
    ])
    const result = await executor.agent().resolve(apply)
    expect(host.events.find(is("ActionPending"))).toMatchObject({ sourceToolName: "ast_edit" })
    expect(JSON.stringify([host.events, result])).not.toContain("files")
  })

  it("is not passed by `decision: approve`", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await executor.run({ name: "edit", decision: "approve" })
    expect(log).toEqual(["preview a.ts"])
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })

  it("stages the parameters that the host approved, where it edited them", async () => {
    const seen: Array<unknown> = []
    const plan = pipeline()
      .awaitApproval()
      .awaitResolve({ label: "Change" })
      .andThen(({ call }) => {
        seen.push(call.params)
        return Step.Continue
      })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor, { gate: { params: { path: "b.ts" } } })
    await host.run([{ callId: "c", name: "edit", params: { path: "a.ts" } }])
    expect(host.terminal("c")).toMatchObject({ editedParams: { path: "b.ts" }, staged: { label: "Change" } })
    await executor.agent().resolve(apply)
    expect(seen).toEqual([{ path: "b.ts" }])
  })

  it("stages nothing, and cleans up, where it fails before", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(() => Step.Error("nothing matches"))
      .awaitResolve({ label: "Change" })
      .finally(() => {
        log.push("close")
        return Step.Continue
      })
    const executor = executorOf({ edit: plan })
    expect(await executor.run({ name: "edit" })).toMatchObject({ content: "nothing matches" })
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(log).toEqual(["close"])
  })
})

it("a call says what it has staged also where a hook calls its result an error", async () => {
  const plan = pipeline().awaitResolve({ label: "Change" })
  const executor = executorOf({ edit: plan }, { hooks: { afterCall: () => ({ isError: true }) } })
  const host = new ScriptedHost(executor)
  await host.run([{ callId: "c", name: "edit" }])
  const { actionId } = executor.agent().pendingActions.peek()!
  expect(host.terminal("c")).toMatchObject({ _tag: "Error", staged: { actionId, label: "Change" } })
})

describe("a background call", () => {
  it("may stage: its task completes with the preview", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "edit", background: true }])
    expect(host.tags()).toEqual(["Started", "BackgroundStarted", "ActionPending", "BackgroundCompleted"])
    expect(host.events.at(-1)).toMatchObject({ staged: { label: "Change a.ts" } })
    expect(executor.tasks.take("c")).toMatchObject({
      status: "complete",
      content: `would change a.ts\n${hint}`,
    })
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "complete",
      content: "changed a.ts",
    })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("says what it has staged also where a hook calls its result an error", async () => {
    const plan = pipeline().awaitResolve({ label: "Change" })
    const executor = executorOf({ edit: plan }, { hooks: { afterCall: () => ({ isError: true }) } })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "edit", background: true }])
    const { actionId } = executor.agent().pendingActions.peek()!
    const staged = { actionId, label: "Change" }
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "error", staged })
    expect(executor.tasks.get("c")).toMatchObject({ status: "error", staged })
  })

  it("runs in the background at once where the only approval lies behind the preview", async () => {
    const plan = pipeline().awaitResolve({ label: "Change" }).awaitApproval()
    const host = new ScriptedHost(executorOf({ edit: plan }))
    await host.run([{ callId: "c", name: "edit", background: true }])
    expect(host.tags()).toEqual(["Started", "BackgroundStarted", "ActionPending", "BackgroundCompleted"])
  })
})

describe("maxPendingActions", () => {
  const full = async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan }, { maxPendingActions: 1 })
    await stage(executor, "a.ts")
    return { executor, log }
  }

  it("makes one more an Error that says what to do, and cleans up after it", async () => {
    const { executor, log } = await full()
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "edit", params: { path: "b.ts" } }])
    expect(host.tags()).toEqual(["Started", "Error"])
    expect(host.terminal("c")).toMatchObject({
      reason: "failed",
      content:
        "Too many pending actions: 1 wait already. Call the `resolve` tool to apply or discard some first.",
    })
    expect(log).toEqual(["preview a.ts", "preview b.ts", "close b.ts"])
    expect(labels(executor)).toEqual(["Change a.ts"])
  })

  it("counts each agent's own", async () => {
    const { executor } = await full()
    await stage(executor, "b.ts", "other")
    expect(labels(executor, "other")).toEqual(["Change b.ts"])
  })

  it("makes a push throw", async () => {
    const { executor } = await full()
    expect(() => executor.agent().pendingActions.push({ label: "More", apply: () => "done" })).toThrow(
      "Too many pending actions: 1 wait already.",
    )
  })

  it("has room again once one is resolved", async () => {
    const { executor } = await full()
    await executor.agent().resolve(apply)
    await stage(executor, "b.ts")
    expect(labels(executor)).toEqual(["Change b.ts"])
  })

  it("counts one that is being applied: it may come back", async () => {
    let push = (): unknown => undefined
    const { plan } = editTool({
      apply: () => {
        push()
        return Step.Continue
      },
    })
    const executor = executorOf({ edit: plan }, { maxPendingActions: 1 })
    push = () => executor.agent().pendingActions.push({ label: "More", apply: () => "done" })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "error",
      content: expect.stringContaining("Apply failed: Too many pending actions"),
    })
  })
})

describe("building with awaitResolve", () => {
  it("describes it as a gate with its label", () => {
    expect(pipeline().awaitResolve({ label: "Rename 3 symbols" }).describe()).toEqual([
      { kind: "resolve", name: "awaitResolve", label: "Rename 3 symbols" },
    ])
  })

  it("leaves the pipeline that it was called on as it was", () => {
    const base = ToolPipeline.empty
    base.awaitResolve({ label: "Change" })
    expect(base.isEmpty).toBe(true)
  })

  it.each([{}, undefined, null])("throws without a label: %j", (options) => {
    expect(() => pipeline().awaitResolve(options as never)).toThrow(
      new TypeError("Expected `label` of `awaitResolve` to be a string"),
    )
  })
})
