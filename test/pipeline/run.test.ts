import { getEventListeners } from "node:events"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, never, turn, until } from "../support/deferred.ts"
import { is, stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"

const gate = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))
const asking = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))

describe("run", () => {
  it("gives one call's result", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(async () =>
        Step.Output({ content: [{ type: "text", text: "x" }], details: 1 }),
      ),
      fails: pipeline().andThen(() => Step.Error("no")),
    })
    expect(await executor.run({ name: "tool" })).toEqual({
      status: "complete",
      content: "x",
      output: { content: [{ type: "text", text: "x" }], details: 1 },
      isError: false,
    })
    expect(await executor.run({ name: "fails" })).toEqual({
      status: "error",
      content: "no",
      output: { content: [{ type: "text", text: "no" }] },
      isError: true,
      reason: "failed",
    })
    expect(await executor.run({ name: "tool", decision: "deny" })).toMatchObject({
      status: "denied",
      content: "Denied by user",
      isError: true,
      by: "user",
    })
    expect(await executor.run({ name: "nope" })).toMatchObject({ status: "error", isError: true })
  })

  it("passes on that the tool asks to end the turn", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(() => Step.Output({ content: [], terminate: true })),
    })
    expect(await executor.run({ name: "tool" })).toMatchObject({ status: "complete", terminate: true })
  })

  it("tells its events to its own reader and not to the queue", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("x"))
        .awaitApproval()
        .andThen(() => Step.Delegate({ _tag: "Ask" })),
    })
    const told: Array<ToolEvent> = []
    const result = await executor.run({ callId: "c", name: "tool" }, (event) => {
      told.push(event)
      if (event._tag === "AwaitingApproval") event.approve()
      if (event._tag === "Delegate") event.succeed("answered")
    })
    expect(told.map((event) => event._tag)).toEqual([
      "Started",
      "Delta",
      "AwaitingApproval",
      "Delegate",
      "Completed",
    ])
    expect(result).toMatchObject({ status: "complete", content: "answered" })
    expect(await executor.next()).toBeUndefined()
  })

  it("can be answered later, and by id", async () => {
    const executor = executorOf({ gate, asking })
    const approved = executor.run({ callId: "a", name: "gate" }, () => undefined)
    await until(() => executor.inspect()[0]?.state === "waiting")
    expect(executor.approve("a")).toBe(true)
    expect(await approved).toMatchObject({ status: "complete" })
    const answered = executor.run({ callId: "b", name: "asking" }, () => undefined)
    await until(() => executor.inspect()[0]?.state === "waiting")
    expect(executor.respond("b", { output: "x" })).toBe(true)
    expect(await answered).toMatchObject({ content: "x" })
  })

  it("without a reader denies gates and fails effects", async () => {
    const executor = executorOf({ gate, asking }, { delegates: { Other: () => "x" } })
    expect(await executor.run({ name: "gate" })).toMatchObject({ status: "denied", isError: true })
    expect(await executor.run({ name: "asking" })).toMatchObject({
      status: "error",
      content: expect.stringContaining("Ask"),
    })
    expect(await executor.next()).toBeUndefined()
  })

  it("without a reader still passes gates that are decided, and effects that functions answer", async () => {
    const executor = executorOf(
      { gate, asking },
      {
        delegates: { Ask: () => "from the function" },
        filters: {
          evaluate: (_, params) => ((params as { ok?: boolean }).ok === true ? "approve" : undefined),
        },
      },
    )
    expect(await executor.run({ name: "gate", decision: "approve" })).toMatchObject({ content: "done" })
    expect(await executor.run({ name: "gate", params: { ok: true } })).toMatchObject({ content: "done" })
    expect(await executor.run({ name: "asking" })).toMatchObject({ content: "from the function" })
  })

  it("takes its place in its lane", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    executor.enqueue([{ callId: "first", name: "tool" }])
    const second = executor.run({ callId: "second", name: "tool" })
    executor.enqueue([{ callId: "third", name: "tool" }])
    for (const id of ["first", "second", "third"]) {
      await until(() => running.length > 0)
      await turn()
      expect(running).toEqual([id])
      release(id)
    }
    expect(await second).toMatchObject({ content: "second" })
    await new ScriptedHost(executor).run()
  })

  it("resolves a background call at its start, with the task's id", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const told: Array<string> = []
    const result = await executor.run({ callId: "t", name: "tool", background: true }, (event) =>
      told.push(event._tag),
    )
    expect(result).toEqual({
      status: "background",
      content: "Running in background (task_id: t)",
      output: { content: [{ type: "text", text: "Running in background (task_id: t)" }] },
      isError: false,
      taskId: "t",
    })
    await until(() => running.length > 0)
    release("t")
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete", content: "t" })
    expect(told).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
  })

  it("resolves a background call that never started with its terminal result", async () => {
    const executor = executorOf({ gate })
    expect(await executor.run({ name: "gate", background: true })).toMatchObject({ status: "denied" })
    expect(await executor.run({ name: "nope", background: true })).toMatchObject({ status: "error" })
  })

  it("resolves a call that is moved to the background at that moment", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const result = executor.run({ callId: "t", name: "tool" })
    await until(() => running.length > 0)
    executor.toBackground("t")
    expect(await result).toMatchObject({ content: "Running in background (task_id: t)" })
    release("t")
    await executor.tasks.wait("t")
  })

  it("resolves a call that is cancelled by somebody else", async () => {
    const executor = executorOf({ stuck: pipeline().andThen(() => never()) })
    const result = executor.run({ callId: "c", name: "stuck" })
    await until(() => executor.inspect().length > 0)
    executor.cancelCall("c", "enough")
    expect(await result).toMatchObject({ status: "cancelled", content: "enough", isError: true })
  })

  it("refuses a reader that is no function, and takes null for none", async () => {
    const executor = executorOf({ gate })
    expect(() => executor.run({ name: "gate" }, "log" as never)).toThrow(
      "Expected `onEvent` to be a function, got `log` (string)",
    )
    expect(executor.inspect()).toEqual([])
    expect(await executor.run({ name: "gate" }, null as never)).toMatchObject({ status: "denied" })
  })

  it("refuses what is no call", () => {
    expect(() => executorOf({ gate }).run({ name: 5 as never })).toThrow(TypeError)
  })

  it("gives every call after shutdown as cancelled, with its one event", async () => {
    const executor = executorOf({ gate })
    await executor.shutdown()
    const events: Array<ToolEvent> = []
    const content = "Cancelled: the executor was shut down"
    expect(await executor.run({ callId: "c", name: "gate" }, (event) => events.push(event))).toMatchObject({
      status: "cancelled",
      content,
      isError: true,
    })
    expect(events).toEqual([
      {
        _tag: "Cancelled",
        ...stamp,
        agentId: "main",
        callId: "c",
        name: "gate",
        content,
        by: "shutdown",
        decidedBy: { kind: "shutdown", reason: content },
      },
    ])
    expect(executor.inspect()).toEqual([])
    expect(() => executor.enqueue([{ name: "gate" }])).toThrow("The executor was shut down: make a new one")
  })

  it("survives a reader that throws or rejects", async () => {
    const executor = executorOf({ gate })
    for (const reader of [
      (event: ToolEvent) => {
        if (event._tag === "AwaitingApproval") event.approve()
        throw new Error("cannot draw")
      },
      async (event: ToolEvent) => {
        if (event._tag === "AwaitingApproval") event.approve()
        throw new Error("cannot draw")
      },
    ]) {
      expect(await executor.run({ name: "gate" }, reader)).toMatchObject({ status: "complete" })
    }
  })
})

describe("a reader that throws", () => {
  const throwing = (asks: ToolEvent["_tag"]) => ({
    "in its own code": (event: ToolEvent) => {
      if (event._tag === asks) throw new Error("cannot draw")
    },
    "in a promise": async (event: ToolEvent) => {
      await turn()
      if (event._tag === asks) throw new Error("cannot draw")
    },
  })

  it.each(Object.entries(throwing("AwaitingApproval")))("at a gate denies it: %s", async (_, reader) => {
    expect(await executorOf({ gate }).run({ name: "gate" }, reader)).toMatchObject({
      status: "denied",
      content: "cannot draw",
    })
  })

  it.each(Object.entries(throwing("Delegate")))("at an effect fails it: %s", async (_, reader) => {
    expect(await executorOf({ asking }).run({ name: "asking" }, reader)).toMatchObject({
      status: "error",
      content: "cannot draw",
    })
  })

  it("late, after another question was asked, answers only its own", async () => {
    const first = deferred()
    const asked: Array<string> = []
    const executor = executorOf({
      gates: pipeline().awaitApproval({ label: "1" }).awaitApproval({ label: "2" }),
    })
    const result = executor.run({ callId: "c", name: "gates" }, (event) => {
      if (event._tag !== "AwaitingApproval") return undefined
      asked.push(event.label ?? "")
      if (event.label !== "1") return undefined
      event.approve()
      return first.promise
    })
    await until(() => asked.length === 2)
    first.reject(new Error("too late"))
    await turn()
    expect(executor.approve("c")).toBe(true)
    expect(await result).toMatchObject({ status: "complete" })
  })
})

describe("run with a signal", () => {
  it.each([5, {}, { aborted: false }])("refuses %j, which is none, with nothing run", async (signal) => {
    const executor = executorOf({ tool: pipeline() })
    expect(() => executor.run({ name: "tool" }, undefined, { signal: signal as never })).toThrow(
      "Expected `signal` to be an AbortSignal",
    )
    const events = executor.runEvents({ name: "tool" }, { signal: signal as never })
    await expect(events.next()).rejects.toThrow("Expected `signal` to be an AbortSignal")
    expect(executor.inspect()).toEqual([])
    expect(await executor.run({ name: "tool" })).toMatchObject({ status: "complete" })
  })

  it("never starts what waits, though many calls share the signal", async () => {
    const started: Array<string> = []
    const executor = executorOf({
      tool: pipeline().andThen(({ call }) => {
        started.push(call.callId)
        return never<Step>()
      }),
    })
    const controller = new AbortController()
    const { signal } = controller
    const results = ["a", "b", "c"].map((callId) =>
      executor.run({ callId, name: "tool" }, undefined, { signal }),
    )
    const rejected = Promise.all(
      results.map((result) => expect(result).rejects.toMatchObject({ name: "AbortError" })),
    )
    await until(() => started.length > 0)
    controller.abort()
    await rejected
    expect(started).toEqual(["a"])
  })

  it("never starts what waits, also where another listener keeps the news from it", async () => {
    const started: Array<string> = []
    const executor = executorOf({
      tool: pipeline().andThen(({ call }) => {
        started.push(call.callId)
        return never<Step>()
      }),
    })
    const controller = new AbortController()
    const { signal } = controller
    const first = executor.run({ callId: "a", name: "tool" })
    signal.addEventListener("abort", (event) => {
      event.stopImmediatePropagation()
      executor.cancelCall("a")
    })
    const second = executor.run({ callId: "b", name: "tool" }, undefined, { signal })
    const rejected = expect(second).rejects.toMatchObject({ name: "AbortError" })
    await until(() => started.length > 0)
    controller.abort()
    expect(await first).toMatchObject({ status: "cancelled" })
    await rejected
    expect(started).toEqual(["a"])
  })

  it("cancels its call when it is aborted, and rejects with an AbortError once the call is over", async () => {
    const log: Array<string> = []
    const cleaned = deferred()
    const executor = executorOf({
      stuck: pipeline()
        .andThen(() => never())
        .finally(async () => {
          await cleaned.promise
          log.push("cleaned")
          return Step.Continue
        }),
      quick: pipeline(),
    })
    const controller = new AbortController()
    const told: Array<string> = []
    const result = executor.run({ name: "stuck" }, (event) => told.push(event._tag), {
      signal: controller.signal,
    })
    const rejected = expect(result).rejects.toMatchObject({ name: "AbortError" })
    void result.catch(() => log.push("rejected"))
    await until(() => told.length > 0)
    await turn()
    controller.abort()
    cleaned.resolve()
    await rejected
    expect(log).toEqual(["cleaned", "rejected"])
    expect(told).toEqual(["Started", "Cancelled"])
    expect(await executor.run({ name: "quick" })).toMatchObject({ status: "complete" })
  })

  it("rejects at once where it is aborted already, with nothing run", async () => {
    const executor = executorOf({ gate })
    const told: Array<string> = []
    for (const reason of [undefined, new Error("the user left")]) {
      await expect(
        executor.run({ name: "gate" }, (event) => told.push(event._tag), {
          signal: AbortSignal.abort(reason),
        }),
      ).rejects.toMatchObject({ name: "AbortError" })
    }
    expect(told).toEqual([])
    expect(executor.inspect()).toEqual([])
  })

  it("cancels a call that is queued, which leaves the one before it alone", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const controller = new AbortController()
    const first = executor.run({ callId: "first", name: "tool" })
    const second = executor.run({ callId: "second", name: "tool" }, undefined, { signal: controller.signal })
    await until(() => running.length > 0)
    controller.abort()
    await expect(second).rejects.toMatchObject({ name: "AbortError" })
    release("first")
    expect(await first).toMatchObject({ status: "complete" })
    expect(running).toEqual([])
  })

  it("is let go of when the call is over", async () => {
    const executor = executorOf({ quick: pipeline() })
    const controller = new AbortController()
    let listeners = 0
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...args)
    }
    for (let i = 0; i < 20; i++) await executor.run({ name: "quick" }, undefined, { signal })
    expect(listeners).toBe(0)
  })

  it("is listened to once, however many calls it is given to", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const { signal } = new AbortController()
    const ids = Array.from({ length: 50 }, (_, index) => `c${index}`)
    const results = ids.map((callId) =>
      executor.run({ callId, agentId: callId, name: "tool" }, undefined, { signal }),
    )
    await until(() => running.length === ids.length)
    expect(getEventListeners(signal, "abort")).toHaveLength(1)
    for (const id of ids) release(id)
    await Promise.all(results)
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  it("does not cancel what went on in the background", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ tool: plan })
    const controller = new AbortController()
    await executor.run({ callId: "t", name: "tool", background: true }, undefined, {
      signal: controller.signal,
    })
    controller.abort()
    await until(() => running.length > 0)
    release("t")
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete" })
  })

  it("does not disturb the events of others", async () => {
    const executor = executorOf({ gate, stuck: pipeline().andThen(() => never()) })
    const host = new ScriptedHost(executor)
    const controller = new AbortController()
    const result = executor.run({ agentId: "b", name: "stuck" }, undefined, { signal: controller.signal })
    executor.enqueue([{ callId: "a", name: "gate" }])
    await host.until(is("AwaitingApproval"))
    controller.abort()
    await expect(result).rejects.toMatchObject({ name: "AbortError" })
    executor.approve("a")
    expect((await host.run()).map((event) => event._tag)).toEqual(["Completed"])
  })
})

it("a consumer whose answer is a rejecting thenable of any make has answered the question", async () => {
  const executor = executorOf({ gated: pipeline().awaitApproval() })
  const thenable = {
    then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error("no screen")),
  }
  const onEvent = (event: { _tag: string }) => (event._tag === "AwaitingApproval" ? thenable : undefined)
  expect(await executor.run({ name: "gated" }, onEvent)).toMatchObject({
    status: "denied",
    content: "no screen",
  })
})
