import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { describe, expect, it, vi } from "vitest"
import { pipeline, Step, type ToolEvent, ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { executorOf, registryOf } from "../../support/executor-of.ts"

const ascending = (a: number, b: number) => a - b

const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Delta("…"))

describe("every event", () => {
  it("has its place in the executor's order, whoever is told it", async () => {
    const executor = executorOf({ gated })
    const told: Array<ToolEvent> = []
    const running = executor.run({ name: "gated", agentId: "a" }, (event) => {
      told.push(event)
      if (event._tag === "AwaitingApproval") event.approve()
    })
    const events = await new ScriptedHost(executor).run([{ name: "gated", agentId: "b" }])
    await running
    const places = [...told, ...events].map((event) => event.seq)
    expect(places.toSorted(ascending)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    for (const order of [told, events]) {
      expect(order.map((event) => event.seq)).toEqual(order.map((event) => event.seq).toSorted(ascending))
    }
  })

  it("tells when it happened, in epoch milliseconds", async () => {
    // The machine's own clock may be set back in between.
    const noon = Date.UTC(2026, 0, 1, 12)
    vi.useFakeTimers({ toFake: ["Date"], now: noon })
    try {
      const events = await new ScriptedHost(executorOf({ gated })).run([{ name: "gated" }])
      expect(events.map((event) => event.at)).toEqual([noon, noon, noon, noon])
    } finally {
      vi.useRealTimers()
    }
  })

  it("takes its time from the program's clock, where there is one", async () => {
    const program = Effect.gen(function* () {
      const executor = yield* ToolExecutor.make(registryOf({ gated }))
      yield* TestClock.adjust("1 hour")
      executor.enqueue([{ name: "nobody" }])
      return yield* Effect.promise(() => executor.next())
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    expect(await Effect.runPromise(program)).toMatchObject({ _tag: "Error", seq: 1, at: 3_600_000 })
  })
})
