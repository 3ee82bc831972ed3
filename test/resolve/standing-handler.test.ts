import { describe, expect, it } from "vitest"
import { type StandingResolveHandler, ToolError } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, resolveCall, stage } from "./edit-tool.ts"

const standing = (handler: StandingResolveHandler, agentId = "main") => {
  const executor = executorOf({ edit: editTool().plan })
  executor.agent(agentId).setStandingResolveHandler(handler)
  return { executor, host: new ScriptedHost(executor) }
}

describe("a standing handler", () => {
  it.each([apply, discard])(
    "answers $action with the whole params object while nothing is pending",
    async (request) => {
      const given: Array<unknown> = []
      const { executor, host } = standing((params, { signal }) => {
        given.push(params, signal.aborted)
        return "plan approved"
      })
      const params = { ...request, extra: { title: "Rename" } }
      await host.run([resolveCall(params)])
      expect(given).toEqual([params, false])
      expect(host.terminal("r")).toMatchObject({
        _tag: "Completed",
        content: "plan approved",
        output: { content: [{ type: "text", text: "plan approved" }], details: params },
      })
      expect(host.tags()).toEqual(["Started", "Completed"])
      expect(await executor.agent().resolve(request)).toMatchObject({ content: "plan approved" })
    },
  )

  it("may give an output with details of its own, and carry a label and a source", async () => {
    const handler: StandingResolveHandler = Object.assign(
      async () => ({ content: [{ type: "text" as const, text: "ok" }], details: { step: 1 } }),
      { label: "Plan", sourceToolName: "plan_mode" },
    )
    const { executor } = standing(handler)
    expect((await executor.agent().resolve(apply)).output.details).toEqual({
      ...apply,
      label: "Plan",
      sourceToolName: "plan_mode",
      sourceResultDetails: { step: 1 },
    })
  })

  it("is asked only while nothing is pending", async () => {
    const { executor } = standing(() => "plan approved")
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "changed a.ts" })
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "plan approved" })
  })

  it("is not asked about a preview by its id", async () => {
    const { executor } = standing(() => "plan approved")
    expect(await executor.agent().resolve({ ...apply, actionId: "gone" })).toMatchObject({
      content: "The preview gone is not the latest that waits. Nothing was applied or discarded.",
    })
  })

  it("is one agent's", async () => {
    const { executor } = standing(() => "plan approved", "planner")
    expect(await executor.agent("planner").resolve(apply)).toMatchObject({ content: "plan approved" })
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "error" })
  })

  it("is replaced by the next, and gone once it is undefined", async () => {
    const { executor } = standing(() => "first")
    executor.agent("main").setStandingResolveHandler(() => "second")
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "second" })
    executor.agent("main").setStandingResolveHandler(undefined)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      content: "No pending action to resolve. Nothing to apply or discard.",
    })
  })

  it("neither reminds nor forces, in both modes", async () => {
    for (const resolveChoice of ["soft", "forced"] as const) {
      const executor = executorOf({ edit: editTool().plan }, { resolveChoice })
      executor.agent("main").setStandingResolveHandler(() => "plan approved")
      expect(executor.agent().toolChoice()).toBeUndefined()
      const host = new ScriptedHost(executor)
      executor.agent("main").enqueueTurn([{ callId: "c", name: "edit" }])
      await host.run()
      expect(host.terminal("c")).toMatchObject({ _tag: "Completed" })
    }
  })

  it.each<[string, unknown, typeof apply | typeof discard, string]>([
    ["a ToolError", new ToolError("no plan"), apply, "no plan"],
    ["anything else in apply", new Error("no plan"), apply, "Apply failed: no plan"],
    ["anything else in discard", new Error("no plan"), discard, "no plan"],
  ])("that throws %s fails the call", async (_, thrown, request, content) => {
    const { executor, host } = standing(() => Promise.reject(thrown))
    await host.run([resolveCall(request)])
    expect(host.terminal("r")).toMatchObject({ _tag: "Error", reason: "failed", content, cause: thrown })
    expect((await executor.agent().resolve(request)).output.details).toEqual(request)
  })

  it("that is no function is refused", () => {
    const agent = executorOf({}).agent()
    expect(() => agent.setStandingResolveHandler("yes" as never)).toThrow(
      "Expected a standing handler to be a function, or undefined to end it, got `yes` (string)",
    )
    expect(agent.definitions()).toEqual([])
  })

  it("that gives nothing a host can show fails the call", async () => {
    const { executor } = standing((() => undefined) as never)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "error",
      content: "The standing handler gave an output that is neither text nor content blocks",
    })
  })

  it("is told by its signal when the call is aborted", async () => {
    const reasons: Array<unknown> = []
    const { executor } = standing(
      (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason)
            reject(signal.reason)
          })
        }),
    )
    const controller = new AbortController()
    const resolving = executor.agent().resolve(apply, { signal: controller.signal })
    await turn()
    controller.abort()
    await expect(resolving).rejects.toMatchObject({ name: "AbortError" })
    expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })])
  })
})
