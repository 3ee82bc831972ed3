import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { never, until } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("everything in an event or a result but its answer functions and its cause", () => {
  const withoutAnswers = (event: ToolEvent): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(event).filter(([key, value]) => typeof value !== "function" && key !== "cause"),
    )

  it("is plain JSON, with no field that is undefined", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Output("preview"))
        .andThen(() => Step.Delta("x"))
        .awaitApproval({ label: "sure?" })
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .finally({ name: "close", call: () => Step.Error("gone") }),
      gate: pipeline().awaitApproval(),
      fails: pipeline().andThen(() => Step.Error("no", { cause: new Error("why") })),
      stuck: pipeline().andThen(() => never()),
    })
    const host = new ScriptedHost(executor, {
      gate: ({ callId }) =>
        callId === "denied" ? { deny: "no" } : callId === "edited" ? { params: {} } : "approve",
    })
    const done = host.run([
      { name: "tool" },
      { name: "tool", background: true },
      { callId: "edited", name: "tool" },
      { callId: "denied", name: "gate" },
      { name: "gate" },
      { name: "fails" },
      { name: "nope" },
      { name: "tool", decision: "deny" },
      { callId: "stuck", name: "stuck" },
    ])
    await until(() => host.tags("stuck").includes("Started"))
    executor.cancelCall("stuck")
    await done
    for (const event of host.events.map(withoutAnswers)) {
      expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event)
    }
    for (const name of ["tool", "gate", "fails", "nope"]) {
      const { cause, ...result } = await executor.run({ name })
      expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result)
    }
    for (const task of executor.tasks.list()) expect(JSON.parse(JSON.stringify(task))).toStrictEqual(task)
  })

  it("is plain JSON also where a handler's details are not: hosts get a copy that is", async () => {
    const held = { when: new Date(0), big: 5n, seen: new Set(["a"]), call: () => 1, kept: [1] }
    const circular: Record<string, unknown> = { kept: 1 }
    circular.itself = circular
    const executor = executorOf({
      tool: (params) => pipeline().andThen(() => Step.Output({ content: [], details: params.held })),
    })
    const detailsOf = async (details: unknown) =>
      (await executor.run({ name: "tool", params: { held: details } })).output
    expect(await detailsOf(held)).toStrictEqual({
      content: [],
      details: { when: "1970-01-01T00:00:00.000Z", big: "5", seen: ["a"], kept: [1] },
    })
    expect(await detailsOf(circular)).toStrictEqual({
      content: [],
      details: { kept: 1, itself: "[circular]" },
    })
    expect(await detailsOf(() => 1)).toStrictEqual({ content: [] })
    const plain = { kept: [1, { a: null }] }
    expect((await detailsOf(plain)).details).toBe(plain)
  })
})
