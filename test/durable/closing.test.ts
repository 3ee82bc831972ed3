// @module-tag waits
/** What becomes of those that wait for a call where its executor is left. */

import * as Effect from "effect/Effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { type DurableCalls, openDurableExecutor } from "../../src/durable/index.ts"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { handler, pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { deferred, never, turn } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

expectNothingUnhandled()

const path = useTempFolder()

const left = "The executor was shut down: the call goes on once its store is opened again"
const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))
const staging = pipeline()
  .awaitResolve({ label: "Change" })
  .andThen(() => Step.Output("applied"))

/** What is asked of it now rejects, whatever it is; who reads its events is done. */
const isClosed = async (calls: DurableCalls): Promise<void> => {
  const asked = [
    calls.enqueue([{ name: "gated" }]),
    calls.approve("a"),
    calls.deny("a"),
    calls.respond("a", { output: "x" }),
    calls.cancel("a"),
    calls.resolve({ action: "apply", reason: "x" }),
    calls.inbox(),
    calls.result("a"),
    calls.tasks.get("t"),
    calls.tasks.list(),
    calls.tasks.take("t"),
    calls.tasks.wait("t"),
  ]
  const outcomes = await Promise.allSettled([...asked, calls.events().next()])
  const reason = new Error("The store was closed: open it again")
  const end = { status: "fulfilled", value: { done: true, value: undefined } }
  expect(outcomes).toEqual([...asked.map(() => ({ status: "rejected", reason })), end])
}

describeStores("closing a store", (_path, store) => {
  it("rejects `run` and `runEvents`, and their calls go on with the next process", async () => {
    const first = await durableOf(store(), { gated })
    const asked = deferred()
    const pulledAll = deferred()
    const run = first.executor.run({ callId: "a", name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") asked.resolve()
    })
    void first.executor.run({ callId: "b", name: "gated", agentId: "other" }, () => undefined)
    const pulled: Array<string> = []
    const pulling = (async () => {
      for await (const event of first.executor.runEvents({ callId: "c", agentId: "third", name: "gated" })) {
        pulled.push(event._tag)
        if (event._tag === "AwaitingApproval") pulledAll.resolve()
      }
    })()
    await Promise.all([asked.promise, pulledAll.promise])
    const outcomes = Promise.allSettled([run, pulling])
    await first.close()
    expect(await outcomes).toMatchObject([
      { status: "rejected", reason: new Error(left) },
      { status: "rejected", reason: new Error(left) },
    ])
    expect(pulled).toEqual(["Started", "AwaitingApproval"])
    const second = await durableOf(store(), { gated })
    expect((await second.inbox()).map(({ callId }) => callId)).toEqual(["a", "b", "c"])
  })

  it("rejects what is asked of it afterwards, and says what to do", async () => {
    const calls = await durableOf(store(), { gated })
    await calls.close()
    await isClosed(calls)
  })

  it("rejects what is asked of a client that was closed", async () => {
    await durableOf(store(), { gated })
    const client = await openDurableExecutor({ store: store(), runner: false })
    await client.close()
    await isClosed(client)
  })

  it("ends the waiting for a task, and tells of none that runs here any more", async () => {
    const first = await durableOf(store(), { stuck: pipeline().andThen(() => never()) })
    await first.enqueue([{ callId: "t", name: "stuck", background: true }])
    await untilTag(first, "BackgroundStarted")
    const waited = first.tasks.wait("t")
    await first.close()
    expect(await waited).toBeUndefined()
    expect(first.executor.tasks.list()).toEqual([])
    expect(first.executor.inspect()).toEqual([])
  })

  it("ends the waiting for a preview that is being resolved, which goes on with the next process", async () => {
    const began = deferred()
    const tool = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(() => {
        began.resolve()
        return never<Step>()
      })
    const first = await durableOf(store(), { tool })
    await first.executor.run({ callId: "s", name: "tool" })
    const resolved = first.resolve({ action: "apply", reason: "so" })
    await began.promise
    // Who waits has seen that it has not ended.
    await turn()
    await first.close()
    expect(await resolved).toBe(false)
    const second = await durableOf(store(), { tool: staging })
    expect(await untilTag(second, "ActionResolved")).toMatchObject({ outcome: "applied" })
  })

  it("waits for the finalizers of what ran, and takes no answer any more", async () => {
    const log: Array<string> = []
    const running = deferred()
    const tool = pipeline().andThen(
      handler("Hold", () =>
        Effect.onInterrupt(Effect.sync(running.resolve).pipe(Effect.andThen(Effect.never)), () =>
          Effect.promise(async () => void log.push("finalized")),
        ),
      ),
    )
    const first = await durableOf(store(), { tool, gated })
    await first.enqueue([
      { callId: "g", name: "gated", agentId: "other" },
      { callId: "a", name: "tool" },
    ])
    const event = await untilTag(first, "AwaitingApproval")
    await running.promise
    await first.close()
    expect(log).toEqual(["finalized"])
    expect(event.approve()).toBe(false)
    expect(first.executor.approve("g")).toBe(false)
    expect(first.executor.cancelCall("a")).toBe(false)
    const second = await durableOf(store(), { gated })
    expect((await second.inbox()).map(({ callId }) => callId)).toEqual(["g"])
  })

  it("is done once, however often it is asked for, and each is told when that is over", async () => {
    const log: Array<string> = []
    const began = deferred()
    const tool = pipeline().andThen(
      handler("Hold", () =>
        Effect.onInterrupt(Effect.sync(began.resolve).pipe(Effect.andThen(Effect.never)), () =>
          Effect.promise(async () => {
            await turn()
            log.push("finalized")
          }),
        ),
      ),
    )
    const durable = await durableOf(store(), { tool })
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await began.promise
    await Promise.all([
      durable.close().then(() => log.push("closed")),
      durable.close().then(() => log.push("closed")),
    ])
    await durable.close()
    expect(log).toEqual(["finalized", "closed", "closed"])
  })

  it("refuses what comes after it, as an executor in memory does", async () => {
    const first = await durableOf(store(), { staging, gated })
    await first.executor.run({ callId: "s", name: "staging" })
    await first.close()
    const told: Array<ToolEvent> = []
    const result = await first.executor.run({ callId: "late", name: "gated" }, (event) => told.push(event))
    expect(result).toMatchObject({ status: "cancelled" })
    expect(told.map(({ _tag }) => _tag)).toEqual(["Cancelled"])
    const agent = first.executor.agent()
    expect(await agent.resolve({ action: "apply", reason: "so" })).toMatchObject({ status: "cancelled" })
    expect(() => agent.pendingActions.push({ label: "Late", apply: () => "x" })).toThrow(
      new Error("The executor was shut down: make a new one"),
    )
    const second = await durableOf(store(), { staging, gated })
    expect(second.executor.agent().pendingActions.list()).toMatchObject([{ label: "Change" }])
    expect(second.executor.inspect()).toEqual([])
  })

  it("refuses what comes while it is shut down, too", async () => {
    const first = await durableOf(store(), { gated })
    const { executor } = first
    await executor.run({ name: "unknown" })
    const shutdown = executor.shutdown()
    const told: Array<ToolEvent> = []
    const results = await Promise.all([
      executor.run({ callId: "late", name: "gated" }, (event) => told.push(event)),
      executor.run({ callId: "later", name: "gated", background: true }),
    ])
    expect(results).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }])
    expect(told.map(({ _tag }) => _tag)).toEqual(["Cancelled"])
    await shutdown
    await first.close()
    expect((await durableOf(store(), { gated })).executor.inspect()).toEqual([])
  })
})

it("a file is closed with the executor of its calls, and who reads its events is done", async () => {
  const calls = await durableOf(path("calls.db"), { gated })
  await calls.enqueue([{ callId: "a", name: "gated" }])
  await untilTag(calls, "AwaitingApproval")
  const events = calls.events()
  for (let told = ""; told !== "AwaitingApproval"; ) told = (await events.next()).value?._tag ?? told
  const last = events.next()
  await calls.executor.shutdown()
  expect((await last).done).toBe(true)
  await isClosed(calls)
})

it("what a client asked, and was not answered, may be done all the same", async () => {
  const first = await durableOf(path("calls.db"), { gated })
  await first.enqueue([{ callId: "a", name: "gated" }])
  await untilTag(first, "AwaitingApproval")
  await first.close()
  const client = await openDurableExecutor({ store: path("calls.db"), runner: false })
  const denied = expect(client.deny("a")).rejects.toThrow(
    "The store was closed before this was answered: it may take effect all the same. Open it again, and look",
  )
  await client.close()
  await denied
  const second = await durableOf(path("calls.db"), { gated })
  expect(await untilTag(second, "Denied")).toMatchObject({ callId: "a" })
})

it("a store that is away bounds the deltas that wait for it", async () => {
  const away = deferred()
  const flooded = deferred()
  const tool = pipeline().andThen(async ({ delta }) => {
    await away.promise
    for (let i = 0; i < 1000; i += 1) void delta(`${i};`)
    flooded.resolve()
    return Step.Output("done")
  })
  const back = deferred()
  const onStoreError = (error: unknown) => error === undefined && back.resolve()
  const durable = await durableOf(path("calls.db"), { tool }, { eventBuffer: 4, onStoreError })
  await durable.enqueue([{ callId: "a", name: "tool" }])
  await untilTag(durable, "Started")
  const reading = durable.executor.next()
  const failed = deferred()
  const transaction = vi.spyOn(StoreDatabase.prototype, "transaction").mockImplementation(() => {
    failed.resolve()
    throw new Error("database or disk is full")
  })
  onTestFinished(() => transaction.mockRestore())
  durable.executor.enqueue([{ callId: "b", agentId: "other", name: "tool" }])
  await failed.promise
  away.resolve()
  await flooded.promise
  transaction.mockRestore()
  await back.promise
  const events = [await reading]
  for (
    let event = await durable.executor.next();
    event !== undefined;
    event = await durable.executor.next()
  ) {
    events.push(event)
  }
  const deltas = events.filter((event) => event !== undefined).filter(is("Delta", "a"))
  const text = deltas.map(({ content }) => content).join("")
  expect(text).toBe(Array.from({ length: 1000 }, (_, i) => `${i};`).join(""))
  expect(deltas.length).toBeLessThan(12)
})
