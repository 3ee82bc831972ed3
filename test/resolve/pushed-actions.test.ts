import { describe, expect, it } from "vitest"
import { type ActionFunction, type PushedAction, ToolError } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, labels, resolveCall } from "./edit-tool.ts"

const pushed = (action: Partial<PushedAction> = {}) => {
  const executor = executorOf({})
  const host = new ScriptedHost(executor)
  const actionId = executor
    .agent()
    .pendingActions.push({ label: "Rename", apply: () => "renamed", ...action })
  return { executor, host, actionId }
}

describe("a pushed action", () => {
  it("is told, listed and resolved as a staged one", async () => {
    const { executor, host, actionId } = pushed({ sourceToolName: "rename", details: { n: 2 } })
    const action = { actionId, label: "Rename", sourceToolName: "rename" }
    expect(executor.agent().pendingActions.list()).toEqual([{ ...action, details: { n: 2 } }])
    await host.run([resolveCall()])
    expect(host.events).toEqual([
      { _tag: "ActionPending", ...stamp, agentId: "main", ...action },
      expect.objectContaining({ _tag: "Started" }),
      { _tag: "ActionResolved", ...stamp, agentId: "main", ...action, outcome: "applied" },
      expect.objectContaining({
        _tag: "Completed",
        content: "renamed",
        output: expect.objectContaining({
          details: { ...apply, sourceToolName: "rename", label: "Rename" },
        }),
      }),
    ])
  })

  it("comes from `custom_tool` where no source is given", async () => {
    const { executor } = pushed()
    expect(executor.agent().pendingActions.peek()).toMatchObject({ sourceToolName: "custom_tool" })
    expect(executor.agent().toolChoice()?.reminder.details).toEqual({ toolName: "custom_tool" })
    expect((await executor.agent().resolve(apply)).output.details).toMatchObject({
      sourceToolName: "custom_tool",
    })
  })

  it("lies on the same stack as the staged ones", async () => {
    const { executor } = pushed()
    executor.agent().pendingActions.push({ label: "Move", apply: () => "moved" })
    expect(labels(executor)).toEqual(["Rename", "Move"])
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "moved" })
  })

  it("is the agent's whose stack it was pushed on", () => {
    const { executor } = pushed()
    executor.agent("other").pendingActions.push({ label: "Move", apply: () => "moved" })
    expect(labels(executor)).toEqual(["Rename"])
    expect(labels(executor, "other")).toEqual(["Move"])
  })

  it.each<["apply" | "reject", typeof apply | typeof discard]>([
    ["apply", apply],
    ["reject", discard],
  ])("gives %s the reason, the extra data and a signal", async (name, request) => {
    const given: Array<unknown> = []
    const note: ActionFunction = (reason, extra, { signal }) => {
      given.push(reason, extra, signal.aborted)
      return "done"
    }
    const { executor } = pushed({ apply: () => "not this", [name]: note })
    expect(await executor.agent().resolve({ ...request, extra: { n: 1 } })).toMatchObject({ content: "done" })
    expect(given).toEqual([request.reason, { n: 1 }, false])
  })

  it("gives `undefined` as the extra data where there is none", async () => {
    let given: unknown = "untouched"
    const { executor } = pushed({
      apply: async (_reason, extra) => {
        given = extra
        return { content: [{ type: "text", text: "done" }] }
      },
    })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "done" })
    expect(given).toBeUndefined()
  })

  it.each([undefined, null])("says what was applied where apply gives %s", async (result) => {
    const { executor } = pushed({ apply: () => result as undefined })
    expect(await executor.agent().resolve(apply)).toMatchObject({
      content: "Applied: Rename. Reason: looks right",
    })
  })

  it("says what was discarded where reject gives undefined, or where there is none", async () => {
    for (const action of [{ reject: () => undefined }, {}]) {
      expect(await pushed(action).executor.agent().resolve(discard)).toMatchObject({
        content: "Discarded: Rename. Reason: not needed",
      })
    }
  })

  it.each<[string, unknown, string]>([
    ["a ToolError", new ToolError("stale"), "stale"],
    ["anything else", new Error("disk full"), "Apply failed: disk full"],
  ])("that throws %s in apply is pending again", async (_, thrown, content) => {
    const { executor, actionId } = pushed({ apply: () => Promise.reject(thrown) })
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "error", content })
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
  })

  it("that throws in reject stays pending, with the error as it is", async () => {
    const { executor, actionId } = pushed({
      reject: () => {
        throw new Error("still locked")
      },
    })
    expect(await executor.agent().resolve(discard)).toMatchObject({
      status: "error",
      content: "still locked",
    })
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
  })

  it("that throws what cannot even be asked whether it is an Error has failed, and is pending again", async () => {
    const odd = new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error("odd")
        },
      },
    )
    const { executor } = pushed({ apply: () => Promise.reject(odd) })
    const { status, content } = await executor.agent().resolve(apply)
    expect([status, content]).toEqual(["error", expect.stringMatching(/^Apply failed: /)])
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })

  it("is refused where its source is no text, or its reject no function", () => {
    const { pendingActions } = executorOf({}).agent()
    const push = (more: object) => () => pendingActions.push({ label: "l", apply: () => "done", ...more })
    expect(push({ sourceToolName: 5 })).toThrow(
      "Expected `sourceToolName` of a pending action to be a string, got `5` (number)",
    )
    expect(push({ reject: "no" })).toThrow(
      "Expected `reject` of a pending action to be a function, got `no` (string)",
    )
    expect(pendingActions.hasPending).toBe(false)
  })

  it("takes null for a reject and a source that are left out", async () => {
    const { executor } = pushed({ reject: null as never, sourceToolName: null as never })
    expect(executor.agent().pendingActions.peek()).toMatchObject({ sourceToolName: "custom_tool" })
    expect(await executor.agent().resolve(discard)).toMatchObject({
      status: "complete",
      content: expect.stringContaining("Discarded: Rename."),
    })
  })

  it("that gives no output a host can show has failed", async () => {
    const { executor } = pushed({ apply: () => 5 as never })
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "error",
      content: "Apply failed: Handler `apply` gave an output that is neither text nor content blocks",
    })
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })

  it("may push another, which is resolved on its own", async () => {
    const { executor } = pushed({
      apply: () => {
        executor.agent().pendingActions.push({ label: "Clean up", apply: () => "clean" })
        return "renamed"
      },
    })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "renamed" })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "clean" })
    expect(labels(executor)).toEqual([])
  })

  it.each([{ label: 1, apply: () => "x" }, { label: "x" }, {}, null])(
    "without a label or an apply is the caller's mistake: %j",
    (action) => {
      expect(() =>
        executorOf({})
          .agent()
          .pendingActions.push(action as never),
      ).toThrow(new TypeError("Expected a pending action to have a string `label` and a function `apply`"))
    },
  )
})

describe("a push after the shutdown", () => {
  it("is refused: nobody would ever resolve or drop it", async () => {
    const { executor } = pushed()
    await executor.shutdown()
    expect(() => executor.agent().pendingActions.push({ label: "Late", apply: () => "x" })).toThrow(
      new Error("The executor was shut down: make a new one"),
    )
    expect(labels(executor)).toEqual([])
  })
})

describe("clear", () => {
  it("drops what is pending, from the oldest, and asks for nothing any more", async () => {
    const { executor, host } = pushed()
    executor.agent().pendingActions.push({ label: "Move", apply: () => "moved", reject: () => "kept" })
    executor.agent().pendingActions.clear()
    expect(labels(executor)).toEqual([])
    expect(executor.agent().toolChoice()).toBeUndefined()
    expect(executor.agent().definitions()).toEqual([])
    const events = await host.run()
    expect(
      events.map((event) => ("outcome" in event ? `${event.label} ${event.outcome}` : event._tag)),
    ).toEqual(["ActionPending", "ActionPending", "Rename dropped", "Move dropped"])
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "error" })
  })

  it("does nothing where nothing is pending", async () => {
    const executor = executorOf({})
    executor.agent().pendingActions.clear()
    expect(await executor.next()).toBeUndefined()
  })

  it("leaves room for the next", async () => {
    const { executor } = pushed()
    executor.agent().pendingActions.clear()
    executor.agent().pendingActions.push({ label: "Move", apply: () => "moved" })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "moved" })
  })
})
