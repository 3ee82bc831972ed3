import { describe, expect, it } from "vitest"
import { pipeline } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"

describe("an agent's signal", () => {
  it("is aborted by a hard cancel, with its reason, and replaced", () => {
    const executor = executorOf({})
    const [one, two] = [executor.agent("one").signal, executor.agent("two").signal]
    expect(executor.agent("one").signal).toBe(one)
    executor.cancel({ agentId: "one", reason: "Stop" })
    expect(one.reason).toMatchObject({ name: "AbortError", message: "Stop" })
    expect(two.aborted).toBe(false)
    expect(executor.agent("one").signal.aborted).toBe(false)
    executor.cancel()
    expect(two.reason).toMatchObject({ name: "AbortError", message: "Cancelled" })
  })

  it("is not aborted by a soft cancel, or by one of a call", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan })
    const signal = executor.agent().signal
    executor.enqueue([{ callId: "a", name: "held" }])
    executor.cancelForeground()
    executor.cancelCall("a")
    expect(signal.aborted).toBe(false)
  })

  it("is aborted by shutdown, for good", async () => {
    const executor = executorOf({})
    const signal = executor.agent().signal
    await executor.shutdown()
    for (const aborted of [signal, executor.agent().signal]) {
      expect(aborted.reason).toMatchObject({
        name: "AbortError",
        message: "Cancelled: the executor was shut down",
      })
    }
  })
})

it("an agent that is forgotten is as one that was never heard of", async () => {
  const executor = executorOf({ one: pipeline(), two: pipeline() })
  executor.agent("agent").setActiveTools(["one"])
  executor.agent("agent").setStandingResolveHandler(async () => ({ content: [] }))
  const signal = executor.agent("agent").signal
  executor.agent("agent").forget()
  expect(
    executor
      .agent("agent")
      .definitions()
      .map(({ name }) => name),
  ).toEqual(["one", "two"])
  executor.cancel()
  expect(signal.aborted).toBe(false)
})
