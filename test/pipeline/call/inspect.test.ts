import { describe, expect, it } from "vitest"
import { handler, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("inspect", () => {
  it("tells what every call is doing, in the order of enqueueing", async () => {
    const closing = deferred()
    const closed = deferred()
    const stuck = handler("crunch", () => never())
    const executor = executorOf(
      {
        stuck: pipeline().andThen(stuck),
        gate: pipeline().awaitApproval(),
        asks: pipeline().andThen(handler("open", () => Step.Delegate({ _tag: "IdeOpen", path: "a.ts" }))),
        closes: pipeline().finally(
          handler("close", async () => {
            closing.resolve()
            await closed.promise
            return Step.Continue
          }),
        ),
      },
      { backgroundConcurrency: 1 },
    )
    executor.enqueue([
      { agentId: "a", callId: "runs", name: "stuck" },
      { agentId: "a", callId: "queued", name: "stuck" },
      { agentId: "b", callId: "gate", name: "gate" },
      { agentId: "c", callId: "asks", name: "asks" },
      { agentId: "d", callId: "held", name: "stuck", decision: "requested" },
      { agentId: "e", callId: "bg", name: "stuck", background: true },
      { agentId: "e", callId: "bg2", name: "stuck", background: true },
      { agentId: "f", callId: "closes", name: "closes" },
    ])
    await closing.promise
    await until(() => executor.tasks.get("bg")?.status === "running")
    const shown = executor.inspect()
    expect(shown).toMatchObject([
      { agentId: "a", callId: "runs", name: "stuck", state: "running", background: false, handler: "crunch" },
      { agentId: "a", callId: "queued", state: "queued" },
      { callId: "gate", state: "waiting", waitingFor: "approval" },
      { callId: "asks", state: "waiting", handler: "open", waitingFor: "IdeOpen" },
      { callId: "held", waitingFor: "approval" },
      { callId: "bg", state: "running", background: true, handler: "crunch" },
      { callId: "bg2", background: true, waitingFor: "place" },
      { callId: "closes", state: "finishing", handler: "close" },
    ])
    expect(JSON.parse(JSON.stringify(shown))).toStrictEqual(shown)
    closed.resolve()
  })

  it("is empty for an executor that has nothing to do", async () => {
    const executor = executorOf({ tool: pipeline(), gate: pipeline().awaitApproval() })
    expect(executor.inspect()).toEqual([])
    const host = new ScriptedHost(executor)
    await host.run([{ name: "tool" }, { name: "gate" }, { name: "nope" }, { name: "tool", background: true }])
    expect(executor.inspect()).toEqual([])
    executor.enqueue([{ name: "gate" }])
    await host.until(is("AwaitingApproval"))
    executor.cancel()
    await turn()
    expect(executor.inspect()).toEqual([])
  })

  it("forgets calls that were denied", async () => {
    const executor = executorOf({ tool: pipeline(), gate: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor, { gate: "deny" })
    for (let i = 0; i < 50; i++) await host.run([{ name: "tool", decision: "deny" }, { name: "gate" }])
    expect(executor.inspect()).toEqual([])
    expect(host.events.filter(is("Denied"))).toHaveLength(100)
  })
})
