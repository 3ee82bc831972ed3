import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, until } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"

const duplicate = { _tag: "Error", reason: "duplicate", callId: "c", content: expect.stringContaining('"c"') }

const ask = pipeline()
  .awaitApproval()
  .andThen(({ call }) => Step.Output(JSON.stringify(call.params)))

describe("a call id that is active", () => {
  it("is refused, and nothing of the first call is overwritten", async () => {
    const executor = executorOf({ ask })
    const host = new ScriptedHost(executor)
    expect(
      executor.enqueue([
        { callId: "c", name: "ask", params: { first: true } },
        { callId: "c", name: "ask", params: { first: false } },
      ]),
    ).toEqual(["c", "c"])
    const gate = await host.until(is("AwaitingApproval"))
    expect(host.events.filter(is("Error"))).toMatchObject([duplicate])
    expect(executor.inspect()).toHaveLength(1)
    expect(gate.approve()).toBe(true)
    await host.run()
    expect(host.events.at(-1)).toMatchObject({ _tag: "Completed", content: '{"first":true}' })
    expect(host.events.filter(is("Started"))).toHaveLength(1)
  })

  it("is refused to another agent too", async () => {
    const executor = executorOf({ ask })
    const host = new ScriptedHost(executor)
    await host.run([
      { agentId: "a", callId: "c", name: "ask" },
      { agentId: "b", callId: "c", name: "ask" },
    ])
    expect(host.events.filter(is("Error"))).toMatchObject([{ ...duplicate, agentId: "b" }])
    expect(host.events.filter(is("Completed"))).toMatchObject([{ agentId: "a", callId: "c" }])
  })

  it("is refused in the background, and while the first is queued", async () => {
    const executor = executorOf({ ask })
    executor.enqueue([
      { callId: "first", name: "ask" },
      { callId: "c", name: "ask" },
      { callId: "c", name: "ask", background: true },
    ])
    const host = new ScriptedHost(executor)
    await host.run()
    expect(host.events.filter(is("Error"))).toMatchObject([duplicate])
    expect(host.events.filter(is("Completed"))).toHaveLength(2)
  })

  it("is refused to `run`, which tells its own reader only", async () => {
    const executor = executorOf({ ask })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "ask" }])
    const gate = await host.until(is("AwaitingApproval"))
    const told: Array<ToolEvent> = []
    const result = await executor.run({ callId: "c", name: "ask" }, (event) => told.push(event))
    expect(result).toMatchObject({ status: "error", isError: true })
    expect(told).toMatchObject([duplicate])
    gate.approve()
    expect((await host.run()).map((event) => event._tag)).toEqual(["Completed"])
  })

  it("is refused while its cleanup runs", async () => {
    const cleaned = deferred()
    const cleaning = deferred()
    const executor = executorOf({
      tool: pipeline().finally(async () => {
        cleaning.resolve()
        await cleaned.promise
        return Step.Continue
      }),
    })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await cleaning.promise
    executor.enqueue([{ callId: "c", name: "tool" }])
    cleaned.resolve()
    const events = await new ScriptedHost(executor).run()
    expect(events.map((event) => event._tag)).toEqual(["Started", "Error", "Completed"])
  })

  it("is refused to a `run` whose signal then cancels nothing of the first call", async () => {
    const held = deferred<Step>()
    const executor = executorOf({ held: pipeline().andThen(() => held.promise) })
    const controller = new AbortController()
    const first = executor.run({ callId: "x", name: "held" })
    const second = await executor.run({ callId: "x", name: "held" }, undefined, { signal: controller.signal })
    expect(second).toMatchObject({ status: "error", isError: true })
    controller.abort()
    held.resolve(Step.Output("done"))
    expect(await first).toMatchObject({ status: "complete", content: "done" })
  })
})

describe("a finished call's id", () => {
  it("may be used again after a foreground call", async () => {
    const host = new ScriptedHost(executorOf({ ask }))
    await host.run([{ callId: "c", name: "ask" }])
    await host.run([{ callId: "c", name: "ask" }])
    expect(host.events.filter(is("Completed", "c"))).toHaveLength(2)
  })

  it("may be used again by whoever was just told of its end", async () => {
    const executor = executorOf({ tool: pipeline() })
    let again = 0
    const host = new ScriptedHost(executor, {
      onEvent: (event) => {
        if (event._tag === "Completed" && again++ < 3) executor.enqueue([{ callId: "c", name: "tool" }])
      },
    })
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.tags()).not.toContain("Error")
    expect(host.events.filter(is("Completed"))).toHaveLength(4)
  })

  it("is refused while a task of that id is kept, and free once the task was taken", async () => {
    const executor = executorOf({ ask })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "ask", background: true, params: { n: 1 } }])
    await host.run([{ callId: "c", name: "ask", params: { n: 2 } }])
    expect(host.events.at(-1)).toMatchObject(duplicate)
    expect(executor.tasks.take("c")).toMatchObject({ content: '{"n":1}' })
    await host.run([{ callId: "c", name: "ask", params: { n: 3 } }])
    expect(host.events.at(-1)).toMatchObject({ _tag: "Completed", content: '{"n":3}' })
  })

  it("is refused while a task of that id runs", async () => {
    const release = deferred()
    const executor = executorOf({
      tool: pipeline().andThen(async () => {
        await release.promise
        return Step.Output("done")
      }),
    })
    executor.enqueue([{ callId: "c", name: "tool", background: true }])
    const host = new ScriptedHost(executor)
    await host.until(is("BackgroundStarted"))
    executor.enqueue([{ callId: "c", name: "tool" }])
    await host.until(is("Error"))
    release.resolve()
    await until(() => executor.inspect().length === 0)
    expect(executor.tasks.take("c")).toMatchObject({ status: "complete", content: "done" })
  })
})
