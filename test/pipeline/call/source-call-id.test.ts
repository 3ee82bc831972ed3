/** Effects of what another call staged name that call, so that a host finds the preview that it showed for it. */
import { describe, expect, it } from "vitest"
import { type Delegates, type HostEffect, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

const effect = (_tag: string) => () => Step.Delegate({ _tag })

const staging = pipeline()
  .andThen(effect("Show"))
  .awaitResolve({ label: "Change", onDiscard: { name: "drop", call: effect("Drop") } })
  .andThen(effect("Write"))
  .finally(effect("Close"))

const stage = { callId: "s", name: "edit" }
const resolveWith = (action: "apply" | "discard", callId = "r") => ({
  callId,
  name: "resolve",
  params: { action, reason: "decided" },
})

const setUp = (plan = staging) => {
  const executor = executorOf({ edit: plan })
  const host = new ScriptedHost(executor, { effect: () => undefined })
  const asked = () =>
    host.events.filter(is("Delegate")).map((event) => [event.effect._tag, event.callId, event.sourceCallId])
  return { executor, host, asked }
}

describe("an effect's event names the staging call", () => {
  it("when the action is applied and cleaned up, and not before", async () => {
    const { host, asked } = setUp()
    await host.run([stage, resolveWith("apply")])
    expect(asked()).toEqual([
      ["Show", "s", undefined],
      ["Write", "r", "s"],
      ["Close", "r", "s"],
    ])
    expect(host.events.find(is("Delegate"))).not.toHaveProperty("sourceCallId")
  })

  it("when it is discarded", async () => {
    const { host, asked } = setUp()
    await host.run([stage, resolveWith("discard")])
    expect(asked().slice(1)).toEqual([
      ["Drop", "r", "s"],
      ["Close", "r", "s"],
    ])
  })

  it("when it is dropped", async () => {
    const { executor, host, asked } = setUp()
    await host.run([stage])
    const { actionId } = executor.agent().pendingActions.peek()!
    executor.agent().pendingActions.clear()
    await host.run()
    expect(asked().slice(1)).toEqual([["Close", actionId, "s"]])
  })

  it("when the rest is staged once more: it is still the first call", async () => {
    const { host, asked } = setUp(
      pipeline()
        .awaitResolve({ label: "One" })
        .awaitResolve({ label: "Two" })
        .andThen(effect("Write"))
        .finally(effect("Close")),
    )
    await host.run([stage, resolveWith("apply", "r1"), resolveWith("apply", "r2")])
    expect(asked()).toEqual([
      ["Write", "r2", "s"],
      ["Close", "r2", "s"],
    ])
  })
})

it("a function that answers effects is told the staging call too", async () => {
  const asked: Array<unknown> = []
  const note = (effect: HostEffect, call: { callId: string; sourceCallId?: string }) => {
    asked.push([effect._tag, call.callId, call.sourceCallId, "sourceCallId" in call])
    return undefined
  }
  const delegates: Delegates = { Show: note, Write: note, Close: note }
  const executor = executorOf({ edit: staging }, { delegates })
  await executor.run(stage)
  await executor.run(resolveWith("apply"))
  expect(asked).toEqual([
    ["Show", "s", undefined, false],
    ["Write", "r", "s", true],
    ["Close", "r", "s", true],
  ])
})
