// @module-tag waits
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor, type StoredEvent } from "../../src/durable/index.ts"
import { pipeline, Step, ToolFilters } from "../../src/index.ts"
import { deferred, turn } from "../support/deferred.ts"
import { toolOf } from "../support/executor-of.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores, isShared } from "./stores.ts"

const out = (text: string) => () => Step.Output(text)
const gated = () => pipeline().andThen(out("preview")).awaitApproval().andThen(out("done"))

describeStores("calls of a store", (path, store) => {
  it("are queued once, however often they are sent", async () => {
    const runs: Array<string> = []
    const tool = () =>
      pipeline().andThen(({ call }) => {
        runs.push(call.callId)
        return Step.Continue
      })
    const first = await durableOf(store(), { tool: tool() })
    expect(
      await first.enqueue([
        { callId: "a", name: "tool" },
        { callId: "a", name: "tool" },
      ]),
    ).toEqual(["a", "a"])
    await untilTag(first, "Completed")
    await first.enqueue([{ callId: "a", name: "tool" }])
    await first.close()
    const second = await durableOf(store(), { tool: tool() })
    await second.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "tool" },
    ])
    await untilTag(second, "Completed")
    expect(runs).toEqual(["a", "b"])
  })

  it("tell their events from any place on, in every process, deltas live", async () => {
    const tool = pipeline().andThen(({ delta }) => delta("live").then(() => Step.Output("x")))
    const first = await durableOf(store(), { tool })
    const live: Array<string> = []
    const reading = (async () => {
      for await (const event of first.events()) {
        live.push(event._tag)
        if (event._tag === "Completed") break
      }
    })()
    await first.enqueue([{ callId: "a", name: "tool" }])
    await reading
    // What the events of all processes are read from has no deltas.
    expect(live).toEqual(isShared(store()) ? ["Started", "Completed"] : ["Started", "Delta", "Completed"])
    await first.close()
    const second = await durableOf(store(), { tool })
    await second.enqueue([{ callId: "b", name: "tool", agentId: "other" }])
    const told: Array<StoredEvent> = []
    for await (const event of second.events()) {
      told.push(event)
      if (event._tag === "Completed" && event.callId === "b") break
    }
    const names = told.map((event) => `${"callId" in event ? event.callId : ""} ${event._tag}`)
    expect(names.filter((name) => name !== "b Delta")).toEqual([
      "a Started",
      "a Completed",
      "b Started",
      "b Completed",
    ])
    for (const [index, event] of told.entries()) {
      if (index > 0) expect(event.seq).toBeGreaterThan(told[index - 1]!.seq)
    }
    const behind: Array<string> = []
    for await (const event of second.events({ after: told[0]!.seq, agentId: "main" })) {
      behind.push(event._tag)
      if (event._tag === "Completed") break
    }
    expect(behind).toEqual(["Completed"])
  })

  it("keep the result of `run` and of what was denied, failed and cancelled", async () => {
    const durable = await durableOf(store(), {
      ok: pipeline().andThen(out("fine")),
      bad: pipeline().andThen(() => Step.Error("no", { cause: new Error("why") })),
      gated: gated(),
    })
    const { executor } = durable
    expect(await executor.run({ callId: "r", name: "ok" })).toMatchObject({
      status: "complete",
      content: "fine",
    })
    await durable.enqueue([
      { callId: "f", name: "bad" },
      { callId: "d", name: "gated" },
    ])
    await untilTag(durable, "AwaitingApproval")
    expect(await durable.deny("d", "not now")).toBe(true)
    expect(await durable.deny("d")).toBe(false)
    await untilTag(durable, "Denied")
    await durable.enqueue([{ callId: "x", name: "gated" }])
    await untilTag(durable, "AwaitingApproval")
    expect(await durable.cancelCall("x", "stop")).toBe(true)
    await untilTag(durable, "Cancelled")
    const results = await Promise.all(["r", "f", "d", "x", "unknown"].map((id) => durable.result(id)))
    expect(results.slice(0, 4)).toMatchObject([
      { _tag: "Completed", content: "fine" },
      { _tag: "Error", content: "no" },
      { _tag: "Denied", content: "not now" },
      { _tag: "Cancelled" },
    ])
    expect(results[4]).toBeUndefined()
    expect(results[1]).not.toHaveProperty("cause")
  })

  it("whose version is gone do not go on, nor are their previews applied", async () => {
    const done: Array<string> = []
    const staging = (say: string) =>
      pipeline()
        .andThen(out("preview"))
        .awaitResolve({ label: "Change" })
        .andThen(() => {
          done.push(say)
          return Step.Continue
        })
    const tools = (version: string) => ({
      staging: toolOf("staging", staging(version), { version }),
      gate: toolOf("gate", gated(), { version }),
    })
    const first = await durableOf(store(), tools("1"))
    await first.enqueue([
      { callId: "a", name: "staging", agentId: "a" },
      { callId: "b", name: "gate", agentId: "b" },
    ])
    await untilTag(first, "AwaitingApproval")
    await expect.poll(() => first.executor.agent("a").pendingActions.hasPending).toBe(true)
    await first.close()
    const second = await durableOf(store(), tools("2"))
    const gone = expect.stringContaining("version 1 of tool")
    expect(await untilTag(second, "ActionResolved")).toMatchObject({
      outcome: "dropped",
      cleanupErrors: [gone],
    })
    expect(await untilTag(second, "Error")).toMatchObject({ callId: "b", content: gone })
    expect(done).toEqual([])
  })

  it("whose tool is gone, or whose pipeline has changed, end as an Error that says so, cleaned up where that is the same", async () => {
    const cleaned: Array<string> = []
    const clean = () => {
      cleaned.push("x")
      return Step.Continue
    }
    const first = await durableOf(store(), { gone: gated(), changed: gated().finally(clean), kept: gated() })
    await first.enqueue([
      { callId: "gone", name: "gone", agentId: "a" },
      { callId: "changed", name: "changed", agentId: "b" },
      { callId: "queued", name: "gone", agentId: "a" },
      { callId: "kept", name: "kept", agentId: "c" },
    ])
    for (let asked = 0; asked < 3; asked += 1) await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), {
      changed: pipeline().awaitApproval().andThen(out("other")).finally(clean),
      kept: gated(),
    })
    const ends = [
      await untilTag(second, "Error"),
      await untilTag(second, "Error"),
      await untilTag(second, "Error"),
    ]
    expect(Object.fromEntries(ends.map(({ callId, content }) => [callId, content]))).toEqual({
      gone: 'Cannot restore "gone": there is no tool "gone" any more. Register it first',
      changed:
        'Cannot restore "changed": the pipeline of tool "changed" has another shape than when the call was written down. Run the call anew',
      queued: 'Unknown tool "gone". Available tools: changed, kept',
    })
    expect(cleaned).toEqual(["x"])
    expect((await second.inbox()).map(({ callId }) => callId)).toEqual(["kept"])
  })

  it("keep their rules, and the time that a gate is open", async () => {
    const now = vi.spyOn(Date, "now")
    onTestFinished(() => now.mockRestore())
    const filters = () => ToolFilters.compile({})
    const first = await durableOf(
      store(),
      { tool: gated() },
      { filters: filters(), approvalTimeout: "1 hour" },
    )
    await first.enqueue([{ callId: "a", name: "tool", params: {} }])
    await untilTag(first, "AwaitingApproval")
    expect(await first.approve("a", { remember: "tool" })).toBe(true)
    await untilTag(first, "Completed")
    await first.enqueue([{ callId: "b", name: "tool", params: {} }])
    expect(await untilTag(first, "Completed")).toMatchObject({ decidedBy: { kind: "rule" } })
    await first.close()
    const second = await durableOf(store(), { tool: gated(), other: gated() }, { approvalTimeout: "1 hour" })
    await second.enqueue([{ callId: "c", name: "tool", params: {} }])
    expect(await untilTag(second, "Completed")).toMatchObject({ decidedBy: { kind: "rule" } })
    await second.enqueue([{ callId: "d", name: "other" }])
    await untilTag(second, "AwaitingApproval")
    await second.close()
    const later = Date.now() + 3_600_001
    now.mockImplementation(() => later)
    const third = await durableOf(store(), { tool: gated(), other: gated() }, { approvalTimeout: "1 hour" })
    expect(await untilTag(third, "Denied")).toMatchObject({ callId: "d", by: "expired" })
    now.mockRestore()
  })

  it("keep each rule for the folder in which it was made", async () => {
    const [here, there] = [path("here"), path("there")]
    const inFolder = (cwd: string) => durableOf(store(), { tool: gated() }, { cwd })
    const first = await inFolder(here)
    await first.enqueue([{ callId: "a", name: "tool", params: {} }])
    await untilTag(first, "AwaitingApproval")
    await first.approve("a", { remember: "tool" })
    await untilTag(first, "Completed")
    await first.close()
    const second = await inFolder(there)
    await second.enqueue([{ callId: "b", name: "tool", params: {} }])
    expect(await untilTag(second, "AwaitingApproval")).toMatchObject({ callId: "b" })
    await second.cancel("b")
    await second.close()
    const third = await inFolder(here)
    await third.enqueue([{ callId: "c", name: "tool", params: {} }])
    expect(await untilTag(third, "Completed")).toMatchObject({
      callId: "c",
      decidedBy: { kind: "rule" },
    })
  })

  it("run with what is no JSON, and their results as tasks are taken by any process", async () => {
    const durable = await durableOf(store(), { tool: pipeline().andThen(out("done")) })
    for (const callId of ["a", "b"]) {
      durable.executor.enqueue([{ callId, name: "tool", params: { number: 1n }, background: true }])
      await untilTag(durable, "BackgroundCompleted")
    }
    expect(await durable.tasks.take("a")).toMatchObject({ status: "complete", content: "done" })
    await using client = await openDurableExecutor({ store: store(), runner: false })
    expect(await client.tasks.take("b")).toMatchObject({ status: "complete", content: "done" })
  })

  it("are refused where what is no JSON is to be queued", async () => {
    const durable = await durableOf(store(), { tool: pipeline().andThen(out("done")) })
    await using client = await openDurableExecutor({ store: store(), runner: false })
    const circular: Record<string, unknown> = {}
    circular.self = circular
    for (const durableCalls of [durable, client]) {
      const wrong = [
        { callId: "good", name: "tool" },
        { callId: "big", name: "tool", params: { number: 1n } },
      ]
      await expect(durableCalls.enqueue(wrong)).rejects.toThrow(
        new TypeError(
          "The call `big` cannot be kept, for it is to be plain JSON: Do not know how to serialize a BigInt",
        ),
      )
      await expect(durableCalls.enqueue([{ callId: "c", name: "tool", meta: circular }])).rejects.toThrow(
        "The call `c` cannot be kept, for it is to be plain JSON: Converting circular structure to JSON",
      )
    }
    expect(await durable.result("good")).toBeUndefined()
    expect(durable.executor.inspect()).toEqual([])
  })

  it("have a result as soon as they have ended here, also while that is being stored", async () => {
    const durable = await durableOf(store(), { gated: gated() })
    const callIds = Array.from({ length: 20 }, (_, index) => `call-${index}`)
    await durable.enqueue(callIds.map((callId) => ({ callId, agentId: callId, name: "gated" })))
    await expect.poll(() => durable.inbox()).toHaveLength(callIds.length)
    for (const callId of callIds) {
      durable.executor.approve(callId)
      while (durable.executor.inspectCall(callId) !== undefined) await turn()
      expect(await durable.result(callId)).toMatchObject({ _tag: "Completed", callId })
    }
  })

  it("are asked their hooks again only where what they said was not stored", async () => {
    const seen: Array<string> = []
    const hooks = {
      beforeCall: ({ callId }: { readonly callId: string }) => void seen.push(`before ${callId}`),
      afterCall: ({ callId }: { readonly callId: string }) => {
        seen.push(`after ${callId}`)
        return { content: "rewritten" }
      },
    }
    const first = await durableOf(store(), { tool: gated() }, { hooks })
    await first.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), { tool: gated() }, { hooks })
    await untilTag(second, "AwaitingApproval")
    await second.approve("a")
    expect(await untilTag(second, "Completed")).toMatchObject({ content: "rewritten" })
    expect(await second.result("a")).toMatchObject({ content: "rewritten" })
    expect(seen).toEqual(["before a", "after a"])
  })
})

describeStores("pending actions of a store", (_path, store) => {
  const staging = () =>
    pipeline()
      .andThen(out("preview"))
      .awaitResolve({ label: "Change" })
      .awaitApproval()
      .andThen(out("changed"))

  it("stay in their order, claimed ones with the call that claims them", async () => {
    const first = await durableOf(store(), { tool: staging() })
    await first.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "tool" },
    ])
    await untilTag(first, "Completed")
    await untilTag(first, "Completed")
    const ids = first.executor
      .agent()
      .pendingActions.list()
      .map(({ actionId }) => actionId)
    await first.enqueue([{ callId: "r", name: "resolve", params: { action: "apply", reason: "so" } }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), { tool: staging() })
    const { pendingActions } = second.executor.agent()
    expect(pendingActions.list().map(({ actionId }) => actionId)).toEqual([ids[0]])
    await untilTag(second, "AwaitingApproval")
    await second.deny("r")
    await untilTag(second, "Denied")
    expect(pendingActions.list().map(({ actionId }) => actionId)).toEqual(ids)
  })

  it("are resolved in the process that runs their calls, once what applies them has ended", async () => {
    const began = deferred()
    const goesOn = deferred()
    const stage = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(async () => {
        began.resolve()
        await goesOn.promise
        return Step.Output("changed")
      })
    const durable = await durableOf(store(), { stage })
    await durable.enqueue([{ callId: "s", name: "stage" }])
    await untilTag(durable, "Completed")
    const resolved = durable.resolve({ action: "apply", reason: "so" })
    await began.promise
    // Who waits has seen that it has not ended.
    await turn()
    goesOn.resolve()
    expect(await resolved).toBe(true)
    expect(await durable.resolve({ action: "apply", reason: "so" })).toBe(false)
  })

  it("that were pushed with functions are told as dropped by the next process", async () => {
    const first = await durableOf(store(), {})
    const actionId = first.executor.agent().pendingActions.push({ label: "Pushed", apply: () => "x" })
    await untilTag(first, "ActionPending")
    await first.close()
    const second = await durableOf(store(), {})
    expect(await untilTag(second, "ActionResolved")).toMatchObject({
      actionId,
      outcome: "dropped",
      cleanupErrors: [
        "It was pushed with functions, which ended with their process, or was too long to be kept",
      ],
    })
    await second.close()
    const third = await durableOf(store(), {})
    expect(await third.executor.next()).toBeUndefined()
  })

  it("that are dropped are cleaned up after, also by the next process", async () => {
    const began = deferred()
    const cleaned: Array<string> = []
    const tool = (close: () => Promise<Step> | Step) => staging().finally(close)
    const first = await durableOf(store(), {
      tool: tool(() => {
        began.resolve()
        return new Promise<Step>(() => undefined)
      }),
    })
    await first.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(first, "Completed")
    first.executor.agent().pendingActions.clear()
    await began.promise
    await first.close()
    const second = await durableOf(store(), {
      tool: tool(() => {
        cleaned.push("x")
        return Step.Continue
      }),
    })
    expect(await untilTag(second, "ActionResolved")).toMatchObject({ outcome: "dropped" })
    expect(cleaned).toEqual(["x"])
    await second.close()
    const third = await durableOf(store(), { tool: tool(() => Step.Continue) })
    expect(await third.executor.next()).toBeUndefined()
  })
})
