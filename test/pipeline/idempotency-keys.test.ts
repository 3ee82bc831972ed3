import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCall, type ToolExecutorOptions, type ToolOptions } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, turn, until } from "../support/deferred.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

type Options = Partial<ToolOptions<object>>

/** A tool that pays: of each order once, if its host is asked for it. `log` is what it did. */
const payments = (options: Options = {}, executorOptions: ToolExecutorOptions = {}) => {
  const log: Array<string> = []
  const gates = new Map<string, () => void>()
  const pay = (params: Record<string, unknown>, call: ToolCall) =>
    pipeline()
      .andThen(async () => {
        log.push(`${call.callId} pays ${params.order}`)
        if (params.waits) {
          const { promise, resolve } = deferred<void>()
          gates.set(call.callId, resolve)
          await promise
        }
        if (params.fails) return Step.Error("No money")
        return Step.Output({
          content: [{ type: "text", text: `paid ${params.order}` }],
          details: { by: call.callId },
        })
      })
      .finally(() => {
        log.push(`${call.callId} cleans up`)
        return Step.Continue
      })
  const tool = toolOf("pay", pay, { idempotencyKey: ({ order }: never) => order, ...options } as never)
  const executor = executorOf(
    {
      pay: tool,
      asks: toolOf(
        "asks",
        (_params, call) =>
          pipeline()
            .awaitApproval()
            .andThen(() => {
              log.push(`${call.callId} asks`)
              return Step.Output("approved")
            }),
        { idempotencyKey: ({ order }: never) => order } as never,
      ),
    },
    executorOptions,
  )
  return { executor, log, let: (callId: string) => gates.get(callId)!() }
}

const pay = (callId: string, order: unknown, more: object = {}) => ({
  callId,
  name: "pay",
  agentId: callId,
  params: { order, ...more },
})

describe("a call with the idempotency key of another", () => {
  it("is answered with its result, whichever agent calls, and runs nothing", async () => {
    const { executor, log } = payments()
    const first = await executor.run(pay("a", "1"))
    expect(first.deduplicated).toBeUndefined()
    const host = new ScriptedHost(executor)
    await host.run([pay("b", "1"), pay("c", "2")])
    expect(host.terminal("b")).toMatchObject({
      _tag: "Completed",
      content: "paid 1",
      output: first.output,
      deduplicated: true,
    })
    expect(host.events.filter((event) => "callId" in event && event.callId === "b")).toMatchObject([
      { _tag: "Started", params: { order: "1" } },
      { _tag: "Completed" },
    ])
    expect(host.terminal("c")).not.toHaveProperty("deduplicated")
    expect(await executor.run(pay("d", "1"))).toMatchObject({
      deduplicated: true,
      output: { details: { by: "a" } },
    })
    expect(log).toEqual(["a pays 1", "a cleans up", "c pays 2", "c cleans up"])
  })

  it("waits for the one that runs, outside of its own time, and can be cancelled alone", async () => {
    const { executor, log, let: release } = payments({}, { callTimeout: 50 })
    executor.enqueue([{ ...pay("a", "1", { waits: true }), background: true }])
    await until(() => log.length > 0)
    const waits = executor.run(pay("b", "1"))
    const cancelled = executor.run(pay("c", "1"))
    await turn()
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(executor.cancelCall("c", "Not now")).toBe(true)
    expect(await cancelled).toMatchObject({ status: "cancelled", content: "Not now" })
    release("a")
    expect(await waits).toMatchObject({ status: "complete", deduplicated: true, content: "paid 1" })
    expect(log).toEqual(["a pays 1", "a cleans up"])
  })

  it("runs where the first one failed, was cancelled or denied: one after another, until one succeeds", async () => {
    const { executor, log, let: release } = payments()
    const first = executor.run(pay("a", "1", { waits: true, fails: true }))
    await until(() => log.length > 0)
    const others = [
      executor.run(pay("b", "1", { fails: true })),
      executor.run(pay("c", "1", { waits: true })),
      executor.run(pay("d", "1")),
      executor.run(pay("e", "1")),
    ]
    await turn()
    executor.cancelCall("d")
    release("a")
    expect(await first).toMatchObject({ status: "error", content: "No money" })
    await others[0]
    await until(() => log.includes("c pays 1"))
    executor.cancelCall("c")
    expect(
      (await Promise.all(others)).map(({ status, deduplicated = false }) => [status, deduplicated]),
    ).toEqual([
      ["error", false],
      ["cancelled", false],
      ["cancelled", false],
      ["complete", false],
    ])
    expect(await executor.run(pay("f", "1"))).toMatchObject({
      deduplicated: true,
      output: { details: { by: "e" } },
    })
    expect(log.filter((line) => line.includes("pays"))).toEqual([
      "a pays 1",
      "b pays 1",
      "c pays 1",
      "e pays 1",
    ])
  })

  it("runs where the first one was cancelled before it began", async () => {
    const answer = deferred<undefined>()
    const beforeCall = ({ callId }: ToolCall) => (callId === "a" ? answer.promise : undefined)
    const { executor, log } = payments({}, { hooks: { beforeCall } })
    const first = executor.run(pay("a", "1"))
    await turn()
    expect(executor.cancelCall("a")).toBe(true)
    expect(await first).toMatchObject({ status: "cancelled" })
    answer.resolve(undefined)
    await turn()
    expect(await executor.run(pay("b", "1"))).toMatchObject({ status: "complete" })
    expect(log).toEqual(["b pays 1", "b cleans up"])
  })

  it("is refused where the other one waits for it", async () => {
    const again = pipeline().andThen(async ({ call }) => Step.Output((await call("again")).content))
    const tool = toolOf("again", again, { idempotencyKey: () => "key" })
    const result = await executorOf({ again: tool }).run({ callId: "a", name: "again" }, () => undefined)
    expect(result).toMatchObject({
      status: "complete",
      content: 'The call "a" of again has the same idempotency key, and waits for this one. Nothing was run.',
    })
  })

  it("is refused where two wait for each other, and only there", async () => {
    const both = { left: deferred<void>(), right: deferred<void>() }
    const crossing = (own: "left" | "right", other: "left" | "right") => {
      const calls = pipeline().andThen(async ({ call }) => {
        both[own].resolve()
        await both[other].promise
        const { status, content } = await call(other)
        return Step.Output(status === "error" ? content : `${own} after: ${content}`)
      })
      return toolOf(own, calls, { idempotencyKey: () => "key" })
    }
    const executor = executorOf({ left: crossing("left", "right"), right: crossing("right", "left") })
    const results = await Promise.all(
      ["left", "right"].map((name) => executor.run({ callId: name, name, agentId: name }, () => undefined)),
    )
    const refusal = /^The call "(left|right)" of \1 has the same idempotency key, and waits for this one\./
    const contents = results.map(({ content }) => content)
    expect(contents.filter((content) => refusal.test(content))).toHaveLength(1)
    expect(contents.filter((content) => content.includes(" after: "))).toHaveLength(1)
  })

  it("asks nobody, and is predicted to ask nobody", async () => {
    const { executor, log } = payments()
    const asks = (callId: string) => ({ callId, name: "asks", agentId: callId, params: { order: "1" } })
    expect((await executor.decide(asks("x"))).verdict).toBe("ask")
    const denied = await executor.run(asks("a"), (event) => {
      if (event._tag === "AwaitingApproval") event.deny()
    })
    expect(denied.status).toBe("denied")
    await executor.run(asks("b"), (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
    })
    expect(await executor.decide(asks("x"))).toMatchObject({ verdict: "run" })
    // Without a listener a gate would be denied.
    expect(await executor.run(asks("c"))).toMatchObject({ content: "approved", deduplicated: true })
    expect(log).toEqual(["b asks"])
  })

  it("goes by the parameters that a person has edited", async () => {
    const { executor, log } = payments()
    const asks = (callId: string, order: string) => ({
      callId,
      name: "asks",
      agentId: callId,
      params: { order },
    })
    await executor.run(asks("a", "1"), (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { order: "2" } })
    })
    expect(await executor.run(asks("b", "2"))).toMatchObject({ deduplicated: true })
    const third = await executor.run(asks("c", "1"), (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { order: "2" } })
    })
    expect(third).toMatchObject({ content: "approved", deduplicated: true })
    expect(log).toEqual(["a asks"])
  })

  it("is answered for a time: a day by default", async () => {
    const { executor, log } = payments({ idempotencyTtl: 30 })
    await executor.run(pay("a", "1"))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect((await executor.run(pay("b", "1"))).deduplicated).toBeUndefined()
    expect(log).toContain("b pays 1")
    expect(toolOf("tool", pipeline(), { idempotencyKey: () => "a" })).toMatchObject({
      idempotencyTtl: 86_400_000,
    })
  })

  it("is of one tool: another tool's key is another, and no key is none", async () => {
    const { executor, log } = payments()
    await executor.run(pay("a", "1"))
    await executor.run({ name: "asks", params: { order: "1" } }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
    })
    for (const callId of ["b", "c"]) await executor.run(pay(callId, undefined))
    expect(log.filter((line) => line.includes("pays"))).toEqual([
      "a pays 1",
      "b pays undefined",
      "c pays undefined",
    ])
  })

  it("has its own result cut, and its own task", async () => {
    const long = "x".repeat(60_000)
    const tool = toolOf("tool", () => pipeline().andThen(() => Step.Output(long)), {
      idempotencyKey: () => "a",
    })
    const executor = executorOf({ tool })
    await executor.run({ callId: "a", name: "tool", agentId: "one" })
    const second = await executor.run({ callId: "b", name: "tool", agentId: "two" })
    expect(second).toMatchObject({ deduplicated: true, bounded: { bytes: 60_000, callId: "b" } })
    const part = await executor.run({
      name: "read_result",
      agentId: "two",
      params: { call_id: "b", offset: 59_990 },
    })
    expect(part.content).toBe("x".repeat(10))
    const [id] = executor.enqueue([{ name: "tool", background: true }])
    expect(await executor.next()).toMatchObject({ _tag: "Started", callId: id, background: true })
    expect(await executor.next()).toMatchObject({ _tag: "Completed", callId: id, deduplicated: true })
  })

  it("runs where the first one has only shown a preview", async () => {
    let previews = 0
    const tool = toolOf(
      "tool",
      () =>
        pipeline()
          .andThen(() => Step.Output(`preview ${++previews}`))
          .awaitResolve({ label: "Change" }),
      { idempotencyKey: () => "a" },
    )
    const executor = executorOf({ tool })
    await executor.run({ name: "tool" })
    await executor.run({ name: "tool" })
    expect(previews).toBe(2)
  })
})

describe("an idempotency key", () => {
  it.each([
    ["a number", () => 5, "is to be a string, or undefined for a call that has none, got `5` (number)"],
    [
      "a promise",
      () => Promise.reject(new Error("late")),
      "is to be a string, or undefined for a call that has none, got",
    ],
    ["an empty text", () => "", "is empty: it gives undefined for a call that has no key"],
    [
      "a throw",
      () => {
        throw new Error("odd")
      },
      "failed: odd",
    ],
  ])("that is %s ends the call, and nothing runs", async (_, idempotencyKey, message) => {
    const { executor, log } = payments({ idempotencyKey: idempotencyKey as never })
    const result = await executor.run(pay("a", "1"))
    expect(result).toMatchObject({ status: "error", reason: "failed" })
    expect(result.content).toContain(`The \`idempotencyKey\` of tool "pay" ${message}`)
    expect(log).toEqual([])
  })

  it("is a function, and its time a duration", () => {
    expect(() => payments({ idempotencyKey: "order" as never })).toThrow(
      new TypeError("Expected `idempotencyKey` of tool `pay` to be a function, got `order` (string)"),
    )
    expect(() => payments({ idempotencyTtl: "soon" as never })).toThrow(TypeError)
  })
})
