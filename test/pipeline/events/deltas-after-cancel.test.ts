import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, type Plan } from "../../support/executor-of.ts"

/** Starts one call and gives what can be done with it. */
const start = async (plan: Plan) => {
  const executor = executorOf({ tool: plan })
  const host = new ScriptedHost(executor)
  executor.enqueue([{ callId: "c", name: "tool" }])
  await host.until(is("Started"))
  await turn()
  return { executor, host }
}

describe("a delta after cancel", () => {
  it("rejects with the signal's reason, and an unawaited one is no unhandled rejection", async () => {
    const cancelled = deferred()
    const caught = deferred<readonly [unknown, unknown]>()
    const { executor, host } = await start(
      pipeline().andThen(async (context) => {
        await cancelled.promise
        context.delta("unawaited")
        void context.delta("unawaited too")
        await context.delta("awaited").catch((error) => caught.resolve([error, context.signal.reason]))
        return Step.Continue
      }),
    )
    executor.cancelCall("c")
    cancelled.resolve()
    const [error, reason] = await caught.promise
    expect(error).toBe(reason)
    expect(error).toMatchObject({ name: "AbortError" })
    expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
  })

  it("rejects where it waits for room", async () => {
    const caught = deferred<unknown>()
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          try {
            for (;;) await delta("x")
          } catch (error) {
            caught.resolve(error)
            throw error
          }
        }),
      },
      { eventBuffer: 2 },
    )
    executor.enqueue([{ callId: "c", name: "tool" }])
    await turn()
    executor.cancelCall("c")
    expect(await caught.promise).toMatchObject({ name: "AbortError" })
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toContain("Cancelled")
  })

  it("of a call that has ended rejects, and tells nobody", async () => {
    const kept = deferred<(content: string) => Promise<void>>()
    const executor = executorOf({
      tool: pipeline().andThen(({ delta }) => {
        kept.resolve(delta)
        return Step.Continue
      }),
    })
    await new ScriptedHost(executor).run([{ name: "tool" }])
    const delta = await kept.promise
    void delta("unawaited")
    await expect(delta("late")).rejects.toMatchObject({ name: "AbortError" })
    expect(await executor.next()).toBeUndefined()
  })
})
