/** How often a handler runs whose processes end: only ends count that the handler may have brought about. */
import * as Effect from "effect/Effect"
import { afterEach, expect, it, onTestFinished, vi } from "vitest"
import { restoreAll } from "../../../src/durable/journal/restore.ts"
import { type DurableOptions, Runner } from "../../../src/durable/runner.ts"
import type { Changes, StoredCall } from "../../../src/durable/store.ts"
import { handler, pipeline, Step, type ToolCallInput, type ToolEvent } from "../../../src/index.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { type Plan, registryOf } from "../../support/executor-of.ts"

afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => {})

/** Processes one after another that run the calls of one store. */
const storeOf = (options: DurableOptions = {}) => {
  const stored = new Map<string, StoredCall>()
  const events: Array<ToolEvent> = []
  const commit = ({ calls, ended }: Changes) => {
    for (const row of calls) stored.set(row.callId, { ...row, row })
    for (const { callId } of ended) stored.delete(callId)
  }
  /** Begins a process, with tools that compose these pipelines. */
  const start = (plans: Readonly<Record<string, Plan>>, calls: ReadonlyArray<ToolCallInput> = []) => {
    const store = { firstSequence: 0, commit, close: () => {} }
    const runner = new Runner({ store, registry: registryOf(plans) }, options)
    const { executor, journal } = runner
    restoreAll({ tasks: [], actions: [], calls: [...stored.values()] }, runner.journal)
    void (async () => {
      for await (const event of executor.events) events.push(event)
    })()
    journal.begin()
    executor.enqueue(calls)
    onTestFinished(() => runner.close())
    return {
      executor,
      close: () => runner.close(),
      /** Ends the process as a kill does, with everything stored that does not wait for it. */
      dies: async () => {
        await journal.stored()
        journal.fence()
      },
      /** Ends it so that only what is stored by now is kept. */
      diesAtOnce: () => journal.fence(),
    }
  }
  /** The end of a call, once it has ended. */
  const endOf = async (callId: string) => {
    const find = () =>
      events.find(
        (event) =>
          "callId" in event && event.callId === callId && /Completed|Error|Cancelled/.test(event._tag),
      )
    await until(() => find() !== undefined)
    return find()
  }
  return { start, events, endOf, stored }
}

/** A handler that notes its attempts, and goes on as this says. */
const noting = (attempts: Array<number>, then: () => Step | Promise<Step>) =>
  handler("work", ({ attempt }) => {
    attempts.push(attempt)
    return then()
  })

it("a handler that waits for its host is not to blame for the end of its process", async () => {
  const { start, events, endOf } = storeOf()
  const began: Array<number> = []
  const ask = pipeline().andThen(
    handler("ask", async ({ attempt, delegate }) => {
      began.push(attempt)
      const answer = await delegate({ _tag: "Ask" })
      return Step.Output(JSON.stringify(answer?.content))
    }),
  )
  for (let life = 1; life <= 5; life++) {
    const process = start({ ask }, life === 1 ? [{ callId: "a", name: "ask" }] : [])
    await until(() => events.filter(({ _tag }) => _tag === "Delegate").length === life)
    await process.dies()
  }
  const { executor } = start({ ask })
  await until(() => events.filter(({ _tag }) => _tag === "Delegate").length === 6)
  executor.respond("a", { output: "at last" })
  expect(await endOf("a")).toMatchObject({ _tag: "Completed", content: expect.stringContaining("at last") })
  expect(began).toEqual([1, 1, 1, 1, 1, 1])
})

it("a handler that ends its process after its host's answer is poisoned all the same", async () => {
  const { start, events, endOf } = storeOf()
  let ended = 0
  let die = () => {}
  const ask = pipeline().andThen(
    handler("ask", async ({ delegate }) => {
      await delegate({ _tag: "Ask" })
      ended += 1
      die()
      return never()
    }),
  )
  for (let life = 1; life <= 3; life++) {
    const process = start({ ask }, life === 1 ? [{ callId: "a", name: "ask" }] : [])
    die = process.diesAtOnce
    await until(() => events.filter(({ _tag }) => _tag === "Delegate").length === life)
    process.executor.respond("a", { output: "go" })
    await until(() => ended === life)
  }
  start({ ask })
  expect(await endOf("a")).toMatchObject({ _tag: "Error", reason: "poisoned" })
})

it("a process that is closed blames no handler", async () => {
  const { start, endOf } = storeOf()
  const began: Array<number> = []
  const slow = (then: () => Promise<Step>) => ({ slow: pipeline().andThen(noting(began, then)) })
  for (let life = 1; life <= 5; life++) {
    const process = start(slow(never), life === 1 ? [{ callId: "a", name: "slow" }] : [])
    await until(() => began.length === life)
    await turn()
    await process.close()
  }
  start(slow(async () => Step.Output("done")))
  expect(await endOf("a")).toMatchObject({ _tag: "Completed", content: "done" })
  expect(began).toEqual([1, 1, 1, 1, 1, 1])
})

it("with one attempt, a handler runs once, and a call that only waited runs", async () => {
  const { start, endOf } = storeOf({ maxAttempts: 1, backgroundConcurrency: 1 })
  const began: Array<number> = []
  const plans = (then: () => Promise<Step>) => ({ slow: pipeline().andThen(noting(began, then)) })
  const background = true
  const process = start(plans(never), [
    { callId: "a", name: "slow" },
    { callId: "held", agentId: "other", name: "slow", decision: "requested" },
    { callId: "b", name: "slow", background },
    { callId: "c", name: "slow", background },
  ])
  await until(() => began.length >= 2)
  await turn()
  await process.dies()
  const again = start(plans(async () => Step.Output("done")))
  again.executor.approve("held")
  expect(await endOf("a")).toMatchObject({ _tag: "Error", reason: "poisoned" })
  expect(await endOf("b")).toMatchObject({ _tag: "BackgroundCompleted", status: "error" })
  expect(await endOf("held")).toMatchObject({ _tag: "Completed" })
  expect(await endOf("c")).toMatchObject({ _tag: "BackgroundCompleted", status: "complete" })
  expect(began).toEqual([1, 1, 1, 1])
})

it("the cleanup of a call that was stopped in its last attempt has attempts of its own", async () => {
  const { start, endOf } = storeOf()
  const began: Array<number> = []
  const cleaned: Array<number> = []
  const stopped = deferred()
  const plans = (isStuck: boolean) => ({
    slow: pipeline()
      .andThen(
        handler("work", ({ attempt }) => {
          began.push(attempt)
          // Its process ends while the handler is being interrupted.
          return Effect.onInterrupt(Effect.never, () =>
            isStuck ? Effect.promise(() => stopped.promise) : Effect.void,
          )
        }),
      )
      .finally(function clean({ attempt }) {
        cleaned.push(attempt)
        return Step.Continue
      }),
  })
  for (let life = 1; life <= 2; life++) {
    const process = start(plans(true), life === 1 ? [{ callId: "a", name: "slow" }] : [])
    await until(() => began.length === life)
    await process.dies()
  }
  const last = start(plans(true))
  await until(() => began.length === 3)
  last.executor.cancelCall("a")
  await last.dies()
  expect(cleaned).toEqual([])
  start(plans(false))
  expect(await endOf("a")).toMatchObject({ _tag: "Cancelled" })
  expect(began).toEqual([1, 2, 3])
  expect(cleaned).toEqual([1])
  stopped.resolve()
})

it("the cleanup of a call whose tool has changed is tried as often as any other", async () => {
  const { start, endOf } = storeOf()
  let cleaned = 0
  let die = () => {}
  const plan = (name: string) => ({
    slow: pipeline()
      .andThen(handler(name, never))
      .finally(function clean() {
        cleaned += 1
        die()
        return never()
      }),
  })
  const first = start(plan("before"), [{ callId: "a", name: "slow" }])
  await turn()
  await first.dies()
  for (let life = 1; life <= 3; life++) {
    die = start(plan("after")).diesAtOnce
    await until(() => cleaned === life)
  }
  start(plan("after"))
  expect(await endOf("a")).toMatchObject({
    _tag: "Error",
    cleanupErrors: [expect.stringContaining("Poisoned: 3 processes ended while clean ran")],
  })
  expect(cleaned).toBe(3)
})

it("a poisoned call is told as that, however often its process ends before its turn", async () => {
  const { start, endOf, stored } = storeOf()
  const began: Array<number> = []
  const plans = { slow: pipeline().andThen(noting(began, never)) }
  for (let life = 1; life <= 3; life++) {
    const process = start(plans, life === 1 ? [{ callId: "a", name: "slow" }] : [])
    await until(() => began.length === life)
    await process.dies()
  }
  const { row } = stored.get("a")!
  // As a process writes it that has read the call, and ends before the call's turn.
  const { callId, agentId, name } = stored.get("a")!
  const rows: Array<string> = []
  const commit = ({ calls }: Changes) => void rows.push(...calls.map(({ snapshot }) => snapshot))
  const store = { firstSequence: 0, commit, close: () => {} }
  const reader = new Runner({ store, registry: registryOf(plans) }, {})
  restoreAll(
    { tasks: [], actions: [], calls: [{ callId, agentId, name, row: { ...row, asks: true } }] },
    reader.journal,
  )
  await reader.journal.stored()
  reader.journal.fence()
  expect(rows).toHaveLength(1)
  stored.set("a", { callId, agentId, name, row: { ...row, snapshot: rows[0]! } })
  start(plans)
  expect(await endOf("a")).toMatchObject({ _tag: "Error", reason: "poisoned" })
  expect(began).toEqual([1, 2, 3])
})

it("a last attempt that waits for another one is not alone for ever", async () => {
  const { start, endOf } = storeOf({ maxAttempts: 2 })
  const began: Array<string> = []
  let release = () => {}
  const other = new Promise<void>((resolve) => {
    release = resolve
  })
  const plans = (isLast: boolean) => ({
    waits: pipeline().andThen(
      handler("waits", async () => {
        began.push("waits")
        await (isLast ? other : never())
        return Step.Output("went on")
      }),
    ),
    frees: pipeline().andThen(
      handler("frees", () => {
        began.push("frees")
        if (!isLast) return never()
        release()
        return Step.Output("freed")
      }),
    ),
  })
  const process = start(plans(false), [
    { callId: "a", agentId: "a", name: "waits" },
    { callId: "b", agentId: "b", name: "frees" },
  ])
  await until(() => began.length === 2)
  await process.dies()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  start(plans(true))
  await until(() => began.length === 3)
  await turn()
  expect(began).toHaveLength(3)
  vi.advanceTimersByTime(10_000)
  expect(await endOf("a")).toMatchObject({ content: "went on" })
  expect(await endOf("b")).toMatchObject({ content: "freed" })
})

it("pauses before its third attempt, and longer before each further one", async () => {
  const { start, endOf } = storeOf({ maxAttempts: 5 })
  const attempts: Array<number> = []
  const plan = (ends: boolean) => ({
    work: pipeline().andThen(noting(attempts, () => (ends ? Step.Output("done") : never()))),
  })
  let process = start(plan(false), [{ callId: "a", name: "work" }])
  await until(() => attempts.length === 1)
  await process.dies()
  process = start(plan(false))
  await until(() => attempts.length === 2)
  await process.dies()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const timers = vi.spyOn(globalThis, "setTimeout")
  for (const [ends, pause] of [
    [false, 1000],
    [true, 2000],
  ] as const) {
    process = start(plan(ends))
    await until(() => vi.getTimerCount() > 0)
    await turn()
    const before = attempts.length
    // Nothing else may keep the process alive.
    expect(timers.mock.results.at(-1)?.value.hasRef()).toBe(true)
    vi.advanceTimersByTime(pause - 1)
    await turn()
    expect(attempts).toHaveLength(before)
    vi.advanceTimersByTime(1)
    await until(() => attempts.length === before + 1)
    if (!ends) await process.dies()
  }
  expect(await endOf("a")).toMatchObject({ content: "done" })
  expect(attempts).toEqual([1, 2, 3, 4])
})
