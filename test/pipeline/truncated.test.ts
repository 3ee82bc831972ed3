import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const cut = /^Your answer was cut at its token limit.*nothing of it ran.*Send the call again, shorter/

/** A tool that tells of everything of it that runs, and hooks and rules that do. */
const told = () => {
  const log: Array<string> = []
  const tool = toolOf(
    "write",
    () => {
      log.push("composed")
      return pipeline()
        .andThen(() => {
          log.push("ran")
          return Step.Output("wrote")
        })
        .finally(() => {
          log.push("cleaned up")
          return Step.Continue
        })
    },
    {
      prepareParams: (params) => {
        log.push("validated")
        return params
      },
    },
  )
  const evaluate = () => {
    log.push("ruled")
    return undefined
  }
  const executor = executorOf(
    { write: tool },
    {
      filters: { evaluate },
      hooks: {
        beforeCall: () => {
          log.push("hooked")
          return undefined
        },
      },
    },
  )
  return { executor, log }
}

describe("a model's answer that was cut", () => {
  it("ends each of its calls as an Error that says so, in their places, and runs nothing", async () => {
    const { executor, log } = told()
    const host = new ScriptedHost(executor)
    const calls = [
      { callId: "a", name: "write", params: { path: "x" } },
      { callId: "b", name: "nope" },
      { callId: "c", name: "write", params: '{"pa', decision: "approve" },
      { callId: "d", name: "write", decision: "requested" },
      { callId: "e", name: "write", params: { background: true } },
    ] as const
    executor.enqueue(calls, { truncated: true })
    executor.enqueue([{ callId: "f", name: "write" }])
    await host.run()
    for (const { callId } of calls) {
      const events = host.events.filter((event) => "callId" in event && event.callId === callId)
      expect(events).toMatchObject([
        { _tag: "Error", reason: "truncated", content: expect.stringMatching(cut) },
      ])
    }
    expect(host.terminal("f")).toMatchObject({ _tag: "Completed", content: "wrote" })
    expect(log).toEqual(["validated", "hooked", "ruled", "composed", "ran", "cleaned up"])
  })

  it("is told by a turn's results, and before a reminder to resolve a preview", async () => {
    const { executor, log } = told()
    const agent = executor.agent("main")
    agent.pendingActions.push({ label: "Rename", apply: async () => ({ content: [] }) })
    agent.toolChoice()
    const turn = () => agent.runTurn([{ name: "write" }, { name: "resolve" }], undefined, { truncated: true })
    for (const results of [await turn(), await turn()]) {
      expect(results).toMatchObject([
        { status: "error", reason: "truncated", isError: true, content: expect.stringMatching(cut) },
        { status: "error", reason: "truncated" },
      ])
    }
    const [callId] = agent.enqueueTurn([{ name: "write" }], { truncated: true })
    expect(await executor.next()).toMatchObject({ _tag: "ActionPending" })
    expect(await executor.next()).toMatchObject({ _tag: "Error", callId, reason: "truncated" })
    expect(agent.pendingActions.hasPending).toBe(true)
    expect(log).toEqual([])
  })

  it("can be of one call, which is predicted to run nothing", async () => {
    const { executor, log } = told()
    const call = { name: "write", truncated: true }
    expect(await executor.decide(call)).toMatchObject({
      verdict: "invalid",
      reason: expect.stringMatching(cut),
    })
    expect(await executor.run(call)).toMatchObject({ status: "error", reason: "truncated" })
    expect(log).toEqual([])
  })

  it("is no other thing than true or false", () => {
    const { executor } = told()
    expect(() => executor.enqueue([], { truncated: "length" } as never)).toThrow(
      new TypeError("Expected `truncated` to be true or false, got `length` (string)"),
    )
    expect(() => executor.enqueue([], { truncate: true } as never)).toThrow(TypeError)
    expect(() => executor.enqueue([{ name: "write", truncated: 1 as never }])).toThrow(
      new TypeError("Expected `truncated` of a call to be true or false, got `1` (number)"),
    )
  })
})
