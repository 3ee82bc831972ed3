// @module-tag node
import { AsyncLocalStorage } from "node:async_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent, type ToolExecutor } from "../../../src/index.ts"
import { turn } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"

const request = new AsyncLocalStorage<string>()

/** A tool that notes in which request each of its parts runs. */
const noting = () => {
  const seen: Array<string> = []
  const note = (what: string) => void seen.push(`${what}: ${request.getStore()}`)
  const here =
    (what: string, step: Step = Step.Continue) =>
    () => {
      note(what)
      return step
    }
  return { seen, note, here }
}

const enqueueIn = (executor: ToolExecutor, name: string, options = {}): void => {
  request.run(name, () => executor.enqueue([{ agentId: "main", callId: name, name: "tool", ...options }]))
}

const readAll = async (executor: ToolExecutor, onEvent: (event: ToolEvent) => unknown = () => undefined) => {
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) onEvent(event)
}

describe("the async context of a call", () => {
  it("is its enqueuer's, for those that wait behind another", async () => {
    const { seen, note, here } = noting()
    const executor = executorOf({
      tool: pipeline()
        .andThen(async ({ call }) => {
          await turn()
          note(call.callId)
          return Step.Continue
        })
        .andThen(here("then")),
    })
    for (const name of ["A", "B", "C"]) enqueueIn(executor, name)
    await readAll(executor)
    expect(seen).toEqual(["A: A", "then: A", "B: B", "then: B", "C: C", "then: C"])
  })

  it("is its enqueuer's, for synchronous ones that follow each other", async () => {
    const { seen, here } = noting()
    const executor = executorOf({ tool: pipeline().andThen(here("ran")).finally(here("finally")) })
    for (const name of ["A", "B"]) enqueueIn(executor, name)
    await request.run("host", () => readAll(executor))
    expect(seen).toEqual(["ran: A", "finally: A", "ran: B", "finally: B"])
  })

  it("stays behind a gate and an effect, whoever answers", async () => {
    const { seen, here } = noting()
    const executor = executorOf({
      tool: pipeline()
        .awaitApproval()
        .andThen(here("approved", Step.Delegate({ _tag: "Ask" })))
        .andThen(here("answered"))
        .finally(here("finally")),
    })
    enqueueIn(executor, "A")
    await request.run("host", () =>
      readAll(executor, (event) => {
        if (event._tag === "AwaitingApproval") event.approve()
        if (event._tag === "Delegate") event.succeed("yes")
      }),
    )
    expect(seen).toEqual(["approved: A", "answered: A", "finally: A"])
  })

  it("stays when the parameters are edited", async () => {
    const { seen, here } = noting()
    const executor = executorOf({
      tool: pipeline()
        .andThen(here("before"))
        .awaitApproval()
        .andThen(here("behind"))
        .finally(here("finally")),
    })
    enqueueIn(executor, "A")
    await request.run("host", () =>
      readAll(executor, (event) => event._tag === "AwaitingApproval" && event.approve({ params: {} })),
    )
    expect(seen).toEqual(["before: A", "finally: A", "before: A", "behind: A", "finally: A"])
  })

  it("is kept by background calls that wait for a place", async () => {
    const { seen, note } = noting()
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ call }) => {
          note(call.callId)
          await turn()
          return Step.Continue
        }),
      },
      { backgroundConcurrency: 1 },
    )
    for (const name of ["A", "B", "C"]) enqueueIn(executor, name, { background: true })
    await readAll(executor)
    expect(seen).toEqual(["A: A", "B: B", "C: C"])
  })

  it("is that of cleanup and hooks, whoever cancels and however late", async () => {
    const { seen, note, here } = noting()
    const executor = executorOf(
      {
        tool: pipeline()
          .andThen(() => new Promise<Step>(() => undefined))
          .finally(here("finally")),
      },
      { callTimeout: 20, hooks: { beforeCall: () => note("before"), afterCall: () => note("after") } },
    )
    enqueueIn(executor, "late")
    await readAll(executor)
    enqueueIn(executor, "cancelled")
    await turn()
    request.run("host", () => executor.cancel())
    await readAll(executor)
    expect(seen).toEqual([
      "before: late",
      "finally: late",
      "after: late",
      "before: cancelled",
      "finally: cancelled",
    ])
  })

  it("is that of `onEvent`, and of the caller who goes on", async () => {
    const { seen, note, here } = noting()
    const executor = executorOf({ tool: pipeline().awaitApproval().andThen(here("ran")) })
    const run = (name: string) =>
      request.run(name, async () => {
        await executor.run({ callId: name, name: "tool" }, ({ _tag }) => note(_tag))
        note("back")
      })
    const both = Promise.all([run("A"), run("B")])
    await turn()
    request.run("host", () => executor.approve("A"))
    await turn()
    request.run("host", () => executor.approve("B"))
    await both
    expect(seen.filter((line) => line.endsWith(": A"))).toHaveLength(5)
    expect(seen.filter((line) => line.endsWith(": B"))).toHaveLength(5)
  })

  it("is the staging call's for what cleans up after an action that is dropped", async () => {
    const { seen, here } = noting()
    const executor = executorOf({
      tool: pipeline().awaitResolve({ label: "Change" }).finally(here("finally")),
    })
    await request.run("A", () => executor.run({ name: "tool" }))
    request.run("host", () => executor.agent().pendingActions.clear())
    await executor.shutdown()
    expect(seen).toEqual(["finally: A"])
  })

  it("is that of a handler's Effect, also where others run beside it", async () => {
    const { seen, note } = noting()
    const executor = executorOf({
      tool: pipeline().andThen(({ call }) =>
        Effect.gen(function* () {
          yield* Effect.sleep(5)
          note(call.callId)
          yield* Effect.promise(() => sleep(1))
          note(call.callId)
          return Step.Continue
        }),
      ),
    })
    for (const name of ["A", "B"]) enqueueIn(executor, name, { agentId: name })
    await readAll(executor)
    expect(seen.sort()).toEqual(["A: A", "A: A", "B: B", "B: B"])
  })
})
