import { describe, expect, it } from "vitest"
import { type Hooks, pipeline, Step, type ToolCall, type ToolResult } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, type Plan } from "../../support/executor-of.ts"
import { call, echo, runHooked } from "../../support/hooked-call.ts"
import { virtualTime } from "../../support/virtual-time.ts"

describe("afterCall", () => {
  it("is told the call and its result, after the cleanup", async () => {
    const log: Array<unknown> = []
    const host = await runHooked(
      {
        afterCall: (seen: ToolCall, result: ToolResult) => {
          log.push(seen.callId, result)
          return undefined
        },
      },
      pipeline()
        .andThen(() => Step.Output("result"))
        .finally(() => {
          log.push("cleaned")
          return Step.Continue
        }),
    )
    expect(log).toEqual([
      "cleaned",
      "c",
      {
        status: "complete",
        content: "result",
        output: { content: [{ type: "text", text: "result" }] },
        isError: false,
      },
    ])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "result" })
  })

  it("may rewrite the output", async () => {
    const host = await runHooked({ afterCall: async () => ({ output: "rewritten" }) })
    expect(host.terminal("c")).toMatchObject({
      _tag: "Completed",
      content: "rewritten",
      output: { content: [{ type: "text", text: "rewritten" }] },
    })
  })

  it("may give the whole result back with another text", async () => {
    const secret = pipeline().andThen(() =>
      Step.Output({ content: [{ type: "text", text: "secret" }], details: { lines: 1 } }),
    )
    const host = await runHooked({ afterCall: (_, result) => ({ ...result, content: "redacted" }) }, secret)
    expect(host.terminal("c")).toMatchObject({
      _tag: "Completed",
      content: "redacted",
      output: { content: [{ type: "text", text: "redacted" }], details: { lines: 1 } },
    })
    const same = await runHooked({ afterCall: (_, result) => result }, secret)
    expect(same.terminal("c")).toMatchObject({ _tag: "Completed", content: "secret" })
  })

  it("may make an error of a success", async () => {
    const host = await runHooked({ afterCall: () => ({ isError: true }) })
    expect(host.terminal("c")).toMatchObject({ _tag: "Error", reason: "failed", content: '{"path":"a"}' })
    const both = await runHooked({ afterCall: () => ({ isError: true, output: "tests are red" }) })
    expect(both.terminal("c")).toMatchObject({ _tag: "Error", content: "tests are red" })
  })

  it("may make a success of an error", async () => {
    const fails = pipeline().andThen(() => Step.Error("exit code 1", { cause: "cause" }))
    const host = await runHooked({ afterCall: () => ({ isError: false }) }, fails)
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "exit code 1" })
    const both = await runHooked({ afterCall: () => ({ isError: false, output: "no matches" }) }, fails)
    expect(both.terminal("c")).toMatchObject({ _tag: "Completed", content: "no matches" })
  })

  it("may rewrite what an error says, and leaves its reason and cause", async () => {
    const host = await runHooked(
      { afterCall: () => ({ output: "try again later" }) },
      pipeline().andThen(() => Step.Error("exit code 1", { cause: "cause" })),
    )
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      reason: "failed",
      cause: "cause",
      content: "try again later",
    })
  })

  it.each<[string, Hooks["afterCall"]]>([
    [
      "throws",
      () => {
        throw new Error("no")
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["answers nonsense", () => "nonsense" as never],
    ["answers an output that is none", () => ({ output: 5 as never })],
  ])("that %s leaves the result as it was", async (_, afterCall) => {
    const host = await runHooked({ afterCall: afterCall! })
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: '{"path":"a"}' })
  })

  it("comes before the terminal event, and before the lane moves on", async () => {
    const judged = deferred()
    const executor = executorOf(
      { tool: echo },
      {
        hooks: {
          afterCall: async () => {
            await judged.promise
            return { output: "judged" }
          },
        },
      },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([call, { callId: "next", name: "tool" }])
    await turn()
    expect(host.tags()).toEqual(["Started"])
    judged.resolve()
    await done
    expect(host.terminal("c")).toMatchObject({ content: "judged" })
    expect(host.tags("next")).toEqual(["Started", "Completed"])
  })

  it("rewrites what `run` resolves to, and what is kept of a task", async () => {
    const executor = executorOf(
      { tool: echo },
      { hooks: { afterCall: () => ({ output: "rewritten", isError: true }) } },
    )
    expect(await executor.run(call)).toMatchObject({ status: "error", content: "rewritten", isError: true })
    const host = new ScriptedHost(executor)
    await host.run([{ ...call, background: true }])
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "error" })
    expect(executor.tasks.get("c")).toMatchObject({ status: "error", content: "rewritten" })
  })

  it("keeps the edited parameters and the cleanup errors on the event", async () => {
    const plan: Plan = () =>
      pipeline()
        .awaitApproval()
        .finally({ name: "close", call: () => Step.Error("gone") })
    const executor = executorOf({ tool: plan }, { hooks: { afterCall: () => ({ isError: true }) } })
    const host = new ScriptedHost(executor, { gate: { params: { path: "b" } } })
    await host.run([call])
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      editedParams: { path: "b" },
      cleanupErrors: ["close: gone", "close: gone"],
    })
  })

  it("that never answers does not hold the call for ever", async () => {
    const signals: Array<AbortSignal> = []
    const { executor, advance } = await virtualTime(
      { tool: echo },
      {
        hooks: {
          afterCall: (_, __, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([call])
    await advance("10 minutes")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: '{"path":"a"}' })
    expect(signals[0]!.aborted).toBe(true)
    expect(host.events.filter(is("Completed"))).toHaveLength(1)
  })
})
