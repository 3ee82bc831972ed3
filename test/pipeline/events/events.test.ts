import { describe, expect, it, vi } from "vitest"
import { handler, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { turn, until } from "../../support/deferred.ts"
import { is, stamp } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"

describe("the events of a call", () => {
  const calls = [{ agentId: "a", callId: "c", name: "tool", params: { path: "x" } }]
  const call = { agentId: "a", callId: "c", name: "tool" }

  it("tell what was asked and what came of it", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("half"))
        .andThen(() => Step.Output("done")),
    })
    executor.enqueue(calls)
    expect([await executor.next(), await executor.next(), await executor.next()]).toEqual([
      { _tag: "Started", ...stamp, ...call, params: { path: "x" }, background: false },
      { _tag: "Delta", ...stamp, agentId: "a", callId: "c", content: "half" },
      {
        _tag: "Completed",
        ...stamp,
        ...call,
        content: "done",
        output: { content: [{ type: "text", text: "done" }] },
      },
    ])
  })

  it("tell of an error with its reason, and of a cause only where there is one", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Error("no")) })
    executor.enqueue(calls)
    await executor.next()
    expect(await executor.next()).toEqual({
      _tag: "Error",
      ...stamp,
      ...call,
      content: "no",
      reason: "failed",
    })
  })

  it("tell of a cancel alone where nothing had started", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.enqueue(calls)
    executor.cancel({ reason: "enough" })
    const decidedBy = { kind: "user", reason: "enough" }
    expect(await executor.next()).toEqual({
      _tag: "Cancelled",
      ...stamp,
      ...call,
      content: "enough",
      by: "user",
      decidedBy,
    })
    expect(await executor.next()).toBeUndefined()
  })
})

describe("next", () => {
  it("gives undefined once nothing is queued, running, waiting or undelivered", async () => {
    const { plan, release, running } = heldTool()
    const executor = executorOf({ tool: plan })
    expect(await executor.next()).toBeUndefined()
    executor.enqueue([{ callId: "a", name: "tool" }])
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    let told = false
    const next = executor.next().then((event) => {
      told = true
      return event
    })
    await until(() => running.length > 0)
    await turn()
    expect(told).toBe(false)
    release("a")
    expect(await next).toMatchObject({ _tag: "Completed" })
    expect(await executor.next()).toBeUndefined()
  })

  it("keeps what is undelivered for the next reader", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.enqueue([{ name: "tool" }])
    await until(() => executor.inspect().length === 0)
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    expect(await executor.next()).toMatchObject({ _tag: "Completed" })
    expect(await executor.next()).toBeUndefined()
  })

  it("tells each event to one reader, once, in the order of the reading", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delta("x")) })
    const readers = [executor.next(), executor.next(), executor.next()]
    // Nothing is there yet: all three go home.
    expect(await Promise.all(readers)).toEqual([undefined, undefined, undefined])
    executor.enqueue([{ name: "tool" }])
    const told = await Promise.all([executor.next(), executor.next(), executor.next(), executor.next()])
    expect(told.map((event) => event?._tag)).toEqual(["Started", "Delta", "Completed", undefined])
  })

  it("rejects with an AbortError when its signal is aborted, and loses no event", async () => {
    const { plan, release, running } = heldTool()
    const executor = executorOf({ tool: plan })
    executor.enqueue([{ callId: "a", name: "tool" }])
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    const controller = new AbortController()
    const next = executor.next({ signal: controller.signal })
    controller.abort()
    await expect(next).rejects.toMatchObject({ name: "AbortError" })
    await expect(executor.next({ signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" })
    await until(() => running.length > 0)
    release("a")
    expect(await executor.next()).toMatchObject({ _tag: "Completed" })
  })

  it("rejects with an AbortError whatever the signal's reason is", async () => {
    const executor = executorOf({ tool: pipeline().awaitApproval() })
    executor.enqueue([{ name: "tool" }])
    await new ScriptedHost(executor).until(is("AwaitingApproval"))
    const controller = new AbortController()
    const next = executor.next({ signal: controller.signal })
    controller.abort(new Error("the user left"))
    await expect(next).rejects.toMatchObject({ name: "AbortError" })
  })

  it("lets go of its signal when an event has come", async () => {
    const executor = executorOf({ tool: pipeline() })
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, "addEventListener")
    const remove = vi.spyOn(signal, "removeEventListener")
    executor.enqueue([{ name: "tool" }])
    const waiting = [executor.next({ signal }), executor.next({ signal })]
    expect((await Promise.all(waiting)).map((event) => event?._tag)).toEqual(["Started", "Completed"])
    expect(add.mock.calls.length).toBeGreaterThan(0)
    expect(remove.mock.calls).toHaveLength(add.mock.calls.length)
  })

  it("goes on to the next event after an abort of a signal that it did not wait for", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.enqueue([{ name: "tool" }])
    const controller = new AbortController()
    expect(await executor.next({ signal: controller.signal })).toMatchObject({ _tag: "Started" })
    controller.abort()
    expect(await executor.next()).toMatchObject({ _tag: "Completed" })
  })
})

describe("events", () => {
  it("is the same queue, open while the executor is idle and until it is shut down", async () => {
    const executor = executorOf({ tool: pipeline() })
    const seen: Array<string> = []
    const reading = (async () => {
      for await (const event of executor.events) seen.push(event._tag)
    })()
    await turn()
    executor.enqueue([{ name: "tool" }])
    await until(() => seen.length === 2)
    await turn()
    executor.enqueue([{ name: "tool" }])
    await until(() => seen.length === 4)
    expect(seen).toEqual(["Started", "Completed", "Started", "Completed"])
    await executor.shutdown()
    await reading
    expect(seen).toHaveLength(4)
  })

  it("keeps its readers when `next` has nothing more to tell", async () => {
    const executor = executorOf({ tool: pipeline() })
    executor.enqueue([{ name: "tool" }])
    const readers = [executor.events.next(), executor.events.next(), executor.events.next()]
    expect(await Promise.all([readers[0], readers[1]])).toMatchObject([
      { value: { _tag: "Started" } },
      { value: { _tag: "Completed" } },
    ])
    expect(await executor.next()).toBeUndefined()
    await turn()
    executor.enqueue([{ callId: "second", name: "tool" }])
    expect(await readers[2]).toMatchObject({ value: { _tag: "Started", callId: "second" } })
  })

  it("loses nothing to a loop that was left", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delta("x")) })
    executor.enqueue([{ name: "tool" }])
    for await (const event of executor.events) {
      expect(event._tag).toBe("Started")
      break
    }
    expect(await executor.next()).toMatchObject({ _tag: "Delta" })
    for await (const event of executor.events) {
      expect(event._tag).toBe("Completed")
      break
    }
    expect(await executor.next()).toBeUndefined()
  })

  it("loses nothing to an iterator that was returned while it waited", async () => {
    const executor = executorOf({ tool: pipeline() })
    const iterator = executor.events[Symbol.asyncIterator]()
    const waiting = iterator.next()
    await iterator.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    executor.enqueue([{ name: "tool" }])
    expect(await executor.next()).toMatchObject({ _tag: "Started" })
    expect(await executor.next()).toMatchObject({ _tag: "Completed" })
  })

  it("shares with `next`: each event is told once", async () => {
    const executor = executorOf({ tool: pipeline().andThen(handler("d", () => Step.Delta("x"))) })
    const iterator = executor.events
    executor.enqueue([{ name: "tool" }])
    expect((await iterator.next()).value).toMatchObject({ _tag: "Started" })
    expect(await executor.next()).toMatchObject({ _tag: "Delta" })
    expect((await iterator.next()).value).toMatchObject({ _tag: "Completed" })
  })
})
