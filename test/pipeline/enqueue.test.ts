import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

describe("enqueue", () => {
  it("gives the ids of the calls in order, made up where there are none", () => {
    const executor = executorOf({ tool: pipeline() })
    const ids = executor.enqueue([{ name: "tool" }, { callId: "mine", name: "tool" }, { name: "nope" }])
    expect(ids).toHaveLength(3)
    expect(ids[1]).toBe("mine")
    expect(new Set(ids).size).toBe(3)
    expect(executor.enqueue([])).toEqual([])
  })

  it("makes up ids that no other executor makes up", () => {
    const ids = Array.from({ length: 100 }, () =>
      executorOf({ tool: pipeline() }).enqueue([{ name: "tool" }]),
    )
    expect(new Set(ids.flat()).size).toBe(100)
  })

  it("runs nothing of a tool before the caller's turn is over", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      tool: () => {
        log.push("composed")
        return pipeline().andThen(() => {
          log.push("ran")
          return Step.Continue
        })
      },
    })
    executor.enqueue([{ name: "tool" }, { name: "tool", background: true }, { name: "tool", agentId: "b" }])
    expect(log).toEqual([])
    await new ScriptedHost(executor).run()
    expect(log).toHaveLength(6)
  })

  it("runs nothing inside itself when a handler enqueues", async () => {
    const log: Array<string> = []
    const executor: ToolExecutor = executorOf({
      outer: pipeline().andThen(() => {
        executor.enqueue([{ name: "inner", agentId: "other" }])
        executor.enqueue([{ name: "inner", background: true }])
        executor.enqueue([{ name: "inner" }])
        log.push("outer")
        return Step.Continue
      }),
      inner: pipeline().andThen(() => {
        log.push("inner")
        return Step.Continue
      }),
    })
    await new ScriptedHost(executor).run([{ name: "outer" }])
    expect(log).toEqual(["outer", "inner", "inner", "inner"])
  })

  it.each([
    ["no array", {}, "array"],
    ["a call that is no object", ["tool"], "Expected a call to be an object, got `tool` (string)"],
    ["null", [null], "Expected a call to be an object, got `null` (null)"],
    ["no name", [{}], "Expected `name` of a call to be a string, got `undefined` (undefined)"],
    [
      "an agent id that is no string",
      [{ name: "tool", agentId: 1 }],
      "Expected `agentId` of a call to be a string, got `1` (number)",
    ],
    [
      "an empty call id",
      [{ name: "tool", callId: "" }],
      "Expected `callId` of a call to be a string that is not empty, got `` (string)",
    ],
    [
      "a decision that there is not",
      [{ name: "tool", decision: "maybe" }],
      "Expected `decision` of a call to be pending, requested, approve or deny, got `maybe` (string)",
    ],
  ])("throws for %s", async (_, input, message) => {
    const executor = executorOf({ tool: pipeline() })
    expect(() => executor.enqueue(input as never)).toThrow(message)
    expect(await executor.next()).toBeUndefined()
  })

  it("throws for a turn that is no array", () => {
    expect(() =>
      executorOf({})
        .agent("main")
        .enqueueTurn(undefined as never),
    ).toThrow(new TypeError("Expected `enqueueTurn` to be given an array of calls"))
  })

  it("takes all calls or, where one is malformed, none", async () => {
    const executor = executorOf({ tool: pipeline() })
    expect(() => executor.enqueue([{ name: "tool" }, { name: 5 as never }])).toThrow(TypeError)
    expect(executor.inspect()).toEqual([])
    expect(await executor.next()).toBeUndefined()
  })

  it("takes a call whose parameters cannot be read, which ends as invalid, and those beside it", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const throwing = Object.defineProperty({}, "background", {
      enumerable: true,
      get() {
        throw new Error("odd")
      },
    })
    const parameters = { type: "object", properties: { n: { type: "number" } } }
    const tool = toolOf("tool", pipeline(), { parameters })
    const executor = executorOf({ tool })
    const host = new ScriptedHost(executor)
    await host.run([
      { callId: "a", name: "tool" },
      { callId: "b", name: "tool", params: proxy },
      { callId: "c", name: "tool", params: throwing },
      { callId: "d", name: "tool" },
    ])
    for (const id of ["a", "d"]) expect(host.terminal(id)).toMatchObject({ _tag: "Completed" })
    expect(host.terminal("b")).toMatchObject({ _tag: "Error", reason: "invalid" })
    expect(host.terminal("c")).toBeDefined()
  })
})
