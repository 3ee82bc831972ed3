import { AsyncLocalStorage } from "node:async_hooks"
import { describe, expect, it } from "vitest"
import {
  type HandlerContext,
  pipeline,
  Step,
  type ToolEvent,
  ToolFilters,
  type ToolResult,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const echo = (params: Record<string, unknown>) =>
  pipeline().andThen(() => Step.Output(JSON.stringify(params)))
const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))

/** A tool whose handler makes nested calls, and tells what it has of them. */
const outer = (work: (call: HandlerContext["call"], context: HandlerContext) => unknown) =>
  pipeline().andThen(async (context) =>
    Step.Output(JSON.stringify((await work(context.call, context)) ?? null)),
  )

const told = ({ status, content }: ToolResult) => `${status}: ${content}`

describe("a nested call", () => {
  it("is a call of its own, with its outer call's id on its events, and gives its result", async () => {
    const events: Array<ToolEvent> = []
    const executor = executorOf({ outer: outer(async (call) => told(await call("echo", { a: 1 }))), echo })
    const { content } = await executor.run({ callId: "o", name: "outer" }, (event) => void events.push(event))
    expect(JSON.parse(content)).toBe('complete: {"a":1}')
    expect(trail(events)).toEqual(["o Started", "o/1 Started", "o/1 Completed", "o Completed"])
    expect(events.map((event) => "callId" in event && event.parentId)).toEqual([
      undefined,
      "o",
      "o",
      undefined,
    ])
  })

  it("takes null for no options", async () => {
    const executor = executorOf({
      outer: outer(async (call) => told(await call("echo", {}, null as never))),
      echo,
    })
    expect((await executor.run({ name: "outer" })).content).toBe('"complete: {}"')
  })

  it("ends no reading of its outer call's events", async () => {
    const executor = executorOf({ outer: outer(async (call) => told(await call("echo"))), echo })
    const events = executor.runEvents({ callId: "o", name: "outer" })
    const seen: Array<ToolEvent> = []
    let next = await events.next()
    for (; !next.done; next = await events.next()) seen.push(next.value)
    expect(trail(seen)).toEqual(["o Started", "o/1 Started", "o/1 Completed", "o Completed"])
    expect(next.value.content).toBe('"complete: {}"')
  })

  it("has its outer call's id in its deltas, in `inspect` and in the log of decisions", async () => {
    const decisions: Array<unknown> = []
    const stream = pipeline().andThen(async ({ delta }) => {
      await delta("text")
      return Step.Continue
    })
    const executor = executorOf(
      {
        outer: outer((call) => Promise.all([call("stream"), call("gated", {}, { label: "the second" })])),
        stream,
        gated,
      },
      { onDecision: ({ callId, parentId, verdict }) => decisions.push([callId, parentId, verdict]) },
    )
    executor.enqueue([{ callId: "o", name: "outer" }])
    const events: Array<ToolEvent> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      events.push(event)
      if (event._tag !== "AwaitingApproval") continue
      expect(event).toMatchObject({ callId: "o/2", parentId: "o", label: "the second" })
      expect(executor.inspect()).toMatchObject([
        { callId: "o" },
        { callId: "o/2", parentId: "o", waitingFor: "approval" },
      ])
      await turn()
      event.approve()
    }
    expect(events.find(is("Delta"))).toMatchObject({ callId: "o/1", parentId: "o", content: "text" })
    expect(decisions).toEqual([
      ["o/1", "o", "run"],
      ["o/2", "o", "approve"],
      ["o/2", "o", "run"],
      ["o", undefined, "run"],
    ])
  })

  it("has a span within that of its outer call", async () => {
    const executor = executorOf({ outer: outer((call) => call("echo")), echo })
    const spans: Array<unknown> = []
    executor.watch({
      tracer: {
        call: ({ callId }, _tool, from) => {
          spans.push([callId, from])
          return {
            traceParent: `of ${callId}`,
            handler: () => ({ run: (work) => work(), wrap: (effect) => effect, end: () => undefined }),
            wait: () => () => undefined,
            end: () => undefined,
          }
        },
      },
    })
    await executor.run({ callId: "o", name: "outer" })
    expect(spans).toEqual([
      ["o", undefined],
      ["o/1", "of o"],
    ])
  })

  it("does not wait for its outer call's turn, and several run at once", async () => {
    const both = deferred()
    let running = 0
    const meet = pipeline().andThen(async () => {
      running += 1
      if (running === 2) both.resolve()
      await both.promise
      return Step.Output("met")
    })
    const executor = executorOf({
      outer: outer((call) => Promise.all([call("meet"), call("meet")])),
      meet,
      echo,
    })
    const results = await executor.agent("main").runTurn([{ name: "outer" }, { name: "echo" }])
    expect(results.map(({ status }) => status)).toEqual(["complete", "complete"])
    expect(running).toBe(2)
  })

  it("gives the result of an error, a denial and an unknown tool, and rejects for none of them", async () => {
    const fails = pipeline().andThen(() => Step.Error("no luck"))
    const executor = executorOf({
      outer: outer(async (call) => [
        told(await call("fails")),
        told(await call("gated")),
        told(await call("nothing")),
      ]),
      fails,
      gated,
    })
    const { content } = await executor.run({ name: "outer", decision: "approve" }, (event) => {
      // The approval of the outer call passes no gate of a nested one.
      if (event._tag === "AwaitingApproval") event.deny("not this")
    })
    expect(JSON.parse(content)).toEqual([
      "error: no luck",
      "denied: not this",
      'error: Unknown tool "nothing". Available tools: outer, fails, gated',
    ])
  })

  it("is checked against rules and hooks as any other", async () => {
    const executor = executorOf(
      {
        outer: outer(async (call) => [told(await call("echo", { x: 1 })), told(await call("gated"))]),
        echo,
        gated,
      },
      {
        filters: ToolFilters.compile({ gated: { deny: [".*"] } }),
        hooks: { beforeCall: ({ name }) => (name === "echo" ? { params: { x: 2 } } : undefined) },
      },
    )
    const { content } = await executor.run({ name: "outer" })
    expect(JSON.parse(content)).toEqual([
      'complete: {"x":2}',
      expect.stringMatching(/^denied: Denied by policy/),
    ])
  })

  it("is cancelled alone by its own signal", async () => {
    const controller = new AbortController()
    const executor = executorOf({
      outer: outer(async (call) => {
        const result = call("gated", {}, { signal: controller.signal })
        await turn()
        controller.abort()
        return [(await result).status, (await call("echo")).status]
      }),
      gated,
      echo,
    })
    const { content } = await executor.run({ name: "outer" }, () => undefined)
    expect(JSON.parse(content)).toEqual(["cancelled", "complete"])
  })

  it("runs in the async context of the handler that made it, and has the host's data", async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen: Array<unknown> = []
    const inner = pipeline().andThen(({ meta }) => {
      seen.push(storage.getStore(), meta)
      return Step.Continue
    })
    const executor = executorOf({
      outer: outer((call) => storage.run("of the handler", () => call("inner"))),
      inner,
    })
    await executor.run({ name: "outer", meta: { user: "u1" } })
    expect(seen).toEqual(["of the handler", { user: "u1" }])
  })

  it("is nested eight deep at most", async () => {
    const executor = executorOf({
      outer: outer(async (call) => {
        const { reason, content } = await call("outer")
        return reason === "limit" ? content : JSON.parse(content)
      }),
    })
    const ids: Array<string> = []
    const { content } = await executor.run({ callId: "o", name: "outer" }, (event) => {
      if (event._tag === "Started") ids.push(event.callId)
    })
    expect(JSON.parse(content)).toBe(
      "Calls are nested 8 deep, and no deeper: this one was not run. Do its work in the call that made it.",
    )
    expect(ids.at(-1)).toBe("o/1/1/1/1/1/1/1/1")
  })

  it("shares the place of an outer call that is under the same limit, one after another", async () => {
    let most = 0
    let running = 0
    const work = pipeline().andThen(async () => {
      running += 1
      most = Math.max(most, running)
      await turn()
      running -= 1
      return Step.Continue
    })
    const executor = executorOf(
      { outer: outer((call) => Promise.all([call("work"), call("work"), call("work")])), work },
      { limits: [{ tools: ["*"], concurrency: 1 }] },
    )
    const { status } = await executor.run({ name: "outer" })
    expect([status, most]).toEqual(["complete", 1])
  })

  it("stands for the data of the call as well", async () => {
    const tool = pipeline().andThen(({ call }) =>
      Step.Output(JSON.stringify([call, { ...call }, "name" in call])),
    )
    const executor = executorOf({ tool })
    const { content } = await executor.run({ callId: "c", name: "tool", params: { a: 1 } })
    const data = {
      agentId: "main",
      callId: "c",
      name: "tool",
      params: { a: 1 },
      decision: "pending",
      background: false,
    }
    expect(JSON.parse(content)).toEqual([data, data, true])
  })
})

describe("the end of an outer call", () => {
  const cleanups = () => {
    const seen: Array<string> = []
    const stuck = pipeline()
      .andThen(() => never<Step>())
      .finally(async ({ call }) => {
        await turn()
        seen.push(call.callId)
        return Step.Continue
      })
    const tool = outer((call) => Promise.all([call("stuck"), call("gatedStuck")])).finally(({ call }) => {
      seen.push(call.callId)
      return Step.Continue
    })
    const gatedStuck = pipeline()
      .awaitApproval()
      .finally(({ call }) => {
        seen.push(call.callId)
        return Step.Continue
      })
    return { seen, plans: { tool, stuck, gatedStuck } }
  }

  it.each([
    ["a cancel", (executor: ReturnType<typeof executorOf>) => void executor.cancelCall("o", "enough")],
    ["a cancel of the agent", (executor: ReturnType<typeof executorOf>) => void executor.cancel()],
  ])("%s reaches its nested calls, whose finally handlers run first", async (_, cancel) => {
    const { seen, plans } = cleanups()
    const executor = executorOf(plans)
    const events: Array<ToolEvent> = []
    const result = await executor.run({ callId: "o", name: "tool" }, (event) => {
      events.push(event)
      if (event._tag === "AwaitingApproval") cancel(executor)
    })
    expect(result.status).toBe("cancelled")
    expect(seen).toEqual(["o/2", "o/1", "o"])
    expect(trail(events).filter((line) => line.endsWith("Cancelled"))).toEqual([
      "o/2 Cancelled",
      "o/1 Cancelled",
      "o Cancelled",
    ])
  })

  it("by a shutdown waits for its nested calls", async () => {
    const { seen, plans } = cleanups()
    const executor = executorOf(plans)
    const result = executor.run({ callId: "o", name: "tool" }, (event) => {
      if (event._tag === "AwaitingApproval") void executor.shutdown()
    })
    // A durable one leaves them to the next process.
    if (process.env.STEPLINE_TEST_EXECUTOR === "durable")
      return await expect(result).rejects.toThrow("shut down")
    expect((await result).status).toBe("cancelled")
    expect(seen).toEqual(["o/2", "o/1", "o"])
  })

  it("waits for what a finally handler that took too long has left open", async () => {
    const { seen, plans } = cleanups()
    const tool = pipeline().finally(async ({ call }) => {
      await call("gatedStuck")
      return Step.Continue
    })
    const executor = executorOf({ ...plans, tool }, { finallyTimeout: 20 })
    const events: Array<ToolEvent> = []
    await executor.run({ callId: "o", name: "tool" }, (event) => events.push(event))
    expect(seen).toEqual(["o/1"])
    expect(trail(events).slice(-2)).toEqual(["o/1 Cancelled", "o Completed"])
    expect(events.at(-1)).toMatchObject({ cleanupErrors: [expect.stringContaining("20 ms")] })
  })

  it("cancels what its handler left open", async () => {
    const { seen, plans } = cleanups()
    const tool = pipeline().andThen(async ({ call }) => {
      void call("stuck")
      await turn()
      return Step.Output("done")
    })
    const executor = executorOf({ ...plans, tool })
    const contents: Array<string> = []
    const { content } = await executor.run({ callId: "o", name: "tool" }, (event) => {
      if (event._tag === "Cancelled") contents.push(event.content)
    })
    expect([content, seen, contents]).toEqual([
      "done",
      ["o/1"],
      ["The outer call ended: its handler has ended"],
    ])
  })
})

describe("the place of an outer call in the background", () => {
  const plans = () => {
    const { plan, running, release } = heldTool()
    const seen: Array<string> = []
    const tool = outer(async (call) => {
      const { content } = await call("gated")
      seen.push(content)
      return content
    })
    return { seen, running, release, plans: { outer: tool, gated, other: plan } }
  }

  it("is free for others while its nested calls wait for the host, and is waited for afterwards", async () => {
    const { seen, running, release, plans: tools } = plans()
    const executor = executorOf(tools, { backgroundConcurrency: 1 })
    const host = new ScriptedHost(executor, { gate: "ignore" })
    executor.enqueue([
      { callId: "o", name: "outer", background: true },
      { callId: "b", name: "other", background: true },
    ])
    await host.until(is("AwaitingApproval", "o/1"))
    await until(() => running.includes("b"))
    executor.approve("o/1")
    await host.until(is("Completed", "o/1"))
    for (let turns = 0; turns < 5; turns += 1) await turn()
    expect(seen).toEqual([])
    expect(executor.inspect().find(({ callId }) => callId === "o")).toMatchObject({ waitingFor: "place" })
    release("b")
    await host.until(is("BackgroundCompleted", "o"))
    expect(seen).toEqual(["done"])
  })
})

describe("the time of an outer call", () => {
  it("stands still while all of its nested calls wait for the host", async () => {
    const plans = {
      outer: outer((call) => Promise.all([call("gated"), call("echo"), call("gated")])),
      echo: pipeline().andThen(() => turn().then(() => Step.Output("said"))),
      gated,
    }
    const { executor, advance } = await virtualTime(plans, { callTimeout: "1 minute" })
    const open: Array<() => unknown> = []
    const result = executor.run({ name: "outer" }, (event) => {
      if (event._tag === "AwaitingApproval") open.push(() => event.approve())
    })
    await until(() => open.length === 2)
    await advance("1 hour")
    for (const approve of open) approve()
    expect((await result).status).toBe("complete")
  })

  it("goes on while one of them runs, and its end ends them", async () => {
    const late = deferred()
    const plans = {
      outer: outer(async (call) => {
        await late.promise
        return Promise.all([call("gated"), call("stuck")])
      }),
      gated,
      stuck: pipeline().andThen(() => never<Step>()),
    }
    const { executor, advance } = await virtualTime(plans, { callTimeout: "1 minute" })
    const events: Array<ToolEvent> = []
    const result = executor.run({ callId: "o", name: "outer" }, (event) => void events.push(event))
    await advance("30 seconds")
    late.resolve()
    await until(() => events.some(is("AwaitingApproval")))
    await advance("30 seconds")
    expect(await result).toMatchObject({ status: "error", reason: "timeout" })
    expect(events.filter(is("Cancelled")).map(({ callId, content }) => [callId, content])).toEqual([
      ["o/1", expect.stringContaining("The outer call ended: Timed out after 1 minute")],
      ["o/2", "The outer call ended: Timed out after 1 minute"],
    ])
    expect(events.at(-1)).toMatchObject({ _tag: "Error", callId: "o" })
  })
})
