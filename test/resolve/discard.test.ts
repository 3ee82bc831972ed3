import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type HandlerContext, type HandlerFunction, Step, ToolError } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { discard, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

const discarded = async (onDiscard?: HandlerFunction) => {
  const { plan, log } = editTool({ ...(onDiscard && { onDiscard }) })
  const executor = executorOf({ edit: plan })
  const host = new ScriptedHost(executor)
  const actionId = await stage(executor)
  const events = await host.run([resolveCall(discard)])
  return { executor, host, events, actionId, log }
}

describe("resolve with `discard`", () => {
  it("drops the action with the default text, and cleans up, but applies nothing", async () => {
    const { events, log, executor, actionId } = await discarded()
    expect(events.map((event) => event._tag)).toEqual(["Started", "ActionResolved", "Completed"])
    expect(events[1]).toEqual({
      _tag: "ActionResolved",
      ...stamp,
      agentId: "main",
      actionId,
      label: "Change a.ts",
      sourceToolName: "edit",
      outcome: "discarded",
    })
    expect(events[2]).toMatchObject({ content: "Discarded: Change a.ts. Reason: not needed" })
    expect(log).toEqual(["preview a.ts", "close a.ts"])
    expect(labels(executor)).toEqual([])
  })

  it("gives what onDiscard has to say instead of the default text", async () => {
    const { host } = await discarded(() => Step.Output("removed the scratch copy"))
    expect(host.terminal("r")).toMatchObject({ _tag: "Completed", content: "removed the scratch copy" })
  })

  it("gives the default text where onDiscard says nothing", async () => {
    const { host } = await discarded(() => Effect.succeed(Step.Continue))
    expect(host.terminal("r")).toMatchObject({ content: "Discarded: Change a.ts. Reason: not needed" })
  })

  it("shows onDiscard the reason, the extra data, the preview and the call that staged it", async () => {
    const seen: Array<Pick<HandlerContext, "call" | "output" | "resolution">> = []
    const { plan } = editTool({
      onDiscard: ({ call, output, resolution }) => {
        seen.push({ call, output, resolution })
        return Step.Continue
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor, "b.ts")
    await executor.run(resolveCall({ ...discard, extra: { why: 1 } }))
    expect(seen).toEqual([
      {
        call: expect.objectContaining({ callId: "r", name: "edit", params: { path: "b.ts" } }),
        output: { content: [{ type: "text", text: "would change b.ts" }] },
        resolution: { action: "discard", reason: "not needed", extra: { why: 1 } },
      },
    ])
  })

  it.each<[string, HandlerFunction, string]>([
    ["an Error step", () => Step.Error("still locked"), "still locked"],
    ["a ToolError", () => Promise.reject(new ToolError("still locked")), "still locked"],
    ["any other throw", () => Promise.reject(new Error("still locked")), "still locked"],
  ])("passes %s of onDiscard as it is, and the action stays pending", async (_, failing, content) => {
    const { host, executor, actionId, log } = await discarded(failing)
    expect(host.terminal("r")).toMatchObject({ _tag: "Error", reason: "failed", content })
    expect(host.tags()).not.toContain("ActionResolved")
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
    expect(log).toEqual(["preview a.ts"])
  })

  it("streams and asks under the resolve call's id", async () => {
    const { plan } = editTool({
      onDiscard: async function* () {
        yield Step.Delta("removing")
        yield Step.Delegate({ _tag: "IdeClosePreview" })
        yield Step.AwaitApproval({ label: "Really?" })
      },
    })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall(discard)])
    expect(host.tags("r")).toEqual(["Started", "Delta", "Delegate", "AwaitingApproval", "Completed"])
  })
})
