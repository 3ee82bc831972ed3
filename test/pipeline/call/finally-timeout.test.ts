import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { handler, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { never } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { virtualTime } from "../../support/virtual-time.ts"

describe("finallyTimeout", () => {
  it("leaves a finally handler behind that does not end, tells it, reports it, and runs the next", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(() => Step.Output("result"))
      .finally(
        handler("stuck", ({ signal }) => {
          signal.addEventListener("abort", () => log.push((signal.reason as Error).name))
          return never()
        }),
      )
      .finally(() => {
        log.push("next")
        return Step.Continue
      })
    const { executor, advance } = await virtualTime({ plan }, { finallyTimeout: "2 seconds" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance(1999)
    expect(host.terminal("c")).toBeUndefined()
    await advance(1)
    await done
    expect(log).toEqual(["TimeoutError", "next"])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "result" })
    expect(host.terminal("c")?.cleanupErrors).toEqual([expect.stringMatching(/^stuck: .*2 seconds/)])
  })

  it("is told as the reason, also where a finalizer had streamed while the attempt was closed", async () => {
    const reasons: Array<string> = []
    const plan = pipeline()
      .andThen(({ delta }) =>
        Effect.as(
          Effect.acquireRelease(Effect.void, () =>
            Effect.promise(() => delta("late").catch(() => undefined)),
          ),
          Step.Error("boom"),
        ),
      )
      .finally(({ signal }) => {
        signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name))
        return never()
      })
    const { executor, advance } = await virtualTime({ plan }, { finallyTimeout: "2 seconds" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("2 seconds")
    await done
    expect(reasons).toEqual(["TimeoutError"])
  })

  it("is each handler's own, 5 seconds unless told otherwise", async () => {
    const slow = () => Effect.as(Effect.sleep("4 seconds"), Step.Continue)
    const plan = pipeline().finally(slow).finally(slow).finally(slow)
    const { executor, advance } = await virtualTime({ plan })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("12 seconds")
    await done
    expect(host.terminal("c")).not.toHaveProperty("cleanupErrors")

    const stuck = await virtualTime({ stuck: pipeline().finally(() => never()) })
    const other = new ScriptedHost(stuck.executor)
    const ended = other.run([{ callId: "c", name: "stuck" }])
    await stuck.advance("4 seconds")
    expect(other.terminal("c")).toBeUndefined()
    await stuck.advance("1 second")
    await ended
    expect(other.terminal("c")?.cleanupErrors).toHaveLength(1)
  })

  it("bounds the whole of a handler, also one that asks the host again and again", async () => {
    const plan = pipeline().finally(
      handler("asks", async function* () {
        for (;;) yield Step.Delegate({ _tag: "Ask" })
      }),
    )
    const { executor, advance } = await virtualTime({ plan }, { finallyTimeout: "5 seconds" })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    for (const seconds of [3, 1]) {
      await advance(`${seconds} seconds`)
      expect(host.terminal("c")).toBeUndefined()
      expect(executor.respond("c", {})).toBe(true)
    }
    await advance("1 second")
    expect(host.terminal("c")?.cleanupErrors).toEqual([expect.stringMatching(/^asks: /)])
    executor.respond("c", { error: "end the test" })
    await done
  })

  it("bounds the whole of a handler, also one that streams", async () => {
    const plan = pipeline().finally(
      handler("streams", async function* () {
        for (let i = 0; ; i++) {
          yield Step.Delta(`${i}`)
          yield await new Promise<Step>((resolve) => releases.push(() => resolve(Step.Continue)))
        }
      }),
    )
    const releases: Array<() => void> = []
    const { executor, advance } = await virtualTime({ plan }, { finallyTimeout: "5 seconds" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    for (let second = 0; second < 5; second++) {
      await advance("1 second")
      releases.at(-1)?.()
    }
    await advance(0)
    expect(host.terminal("c")?.cleanupErrors).toEqual([expect.stringMatching(/^streams: /)])
    await done
  })

  it("bounds an effect of a finally handler, before the delegateTimeout does", async () => {
    const plan = pipeline().finally(handler("asks", () => Step.Delegate({ _tag: "Ask" })))
    const { executor, advance } = await virtualTime({ plan }, { finallyTimeout: "5 seconds" })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("5 seconds")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", cleanupErrors: [expect.any(String)] })
    expect(host.events.find(is("Delegate"))?.succeed()).toBe(false)
  })

  it("leaves an effect its own time-out, after which the handler goes on", async () => {
    const log: Array<string> = []
    const asks = handler("asks", async ({ delegate }) => {
      await delegate({ _tag: "Brief" }, { timeout: "1 second" }).catch((error) => log.push(error.message))
      await delegate({ _tag: "Usual" }).catch((error) => log.push(error.message))
      return Step.Continue
    })
    const gives = handler("gives", () => Step.Delegate({ _tag: "Given" }))
    const Given = (_effect: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => log.push("aborted"))
      return never<undefined>()
    }
    const { executor, advance } = await virtualTime(
      { plan: pipeline().finally(asks).finally(gives) },
      { delegateTimeout: "2 seconds", delegates: { Given } },
    )
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("1 second")
    await advance("2 seconds")
    await advance("2 seconds")
    await done
    expect(log).toEqual([
      "The host did not answer Brief within 1 second",
      "The host did not answer Usual within 2 seconds",
      "aborted",
    ])
    expect(host.terminal("c")?.cleanupErrors).toEqual([
      "gives: The host did not answer Given within 2 seconds",
    ])
  })

  it("interrupts an Effect that does not end", async () => {
    const log: Array<string> = []
    const plan = pipeline().finally(() =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push("interrupted"))),
    )
    const { executor, advance } = await virtualTime({ plan })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("5 seconds")
    await done
    expect(log).toEqual(["interrupted"])
  })

  it("leaves an uninterruptible handler of a cancelled call behind, and notes it", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(handler("commit", () => Effect.uninterruptible(Effect.never)))
      .finally(() => {
        log.push("cleaned")
        return Step.Continue
      })
    const { executor, advance } = await virtualTime(
      { plan, quick: pipeline() },
      { finallyTimeout: "3 seconds" },
    )
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "c", name: "plan" },
      { callId: "next", name: "quick" },
    ])
    await host.until(is("Started", "c"))
    executor.cancel()
    executor.enqueue([{ callId: "later", name: "quick" }])
    const done = host.run()
    await advance(2999)
    expect(host.terminal("c")).toBeUndefined()
    expect(host.tags("later")).toEqual([])
    await advance(1)
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Cancelled" })
    expect(host.terminal("c")?.cleanupErrors).toEqual([expect.stringMatching(/^commit: .*3 seconds/)])
    expect(log).toEqual(["cleaned"])
    expect(host.tags("later")).toEqual(["Started", "Completed"])
  })

  it("leaves finalizers behind that do not end, after a cancel and after a time-out", async () => {
    const plan = pipeline().andThen(
      handler("locks", () => Effect.onInterrupt(Effect.never, () => Effect.never)),
    )
    const { executor, advance } = await virtualTime({ plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    const done = host.run([
      { callId: "a", name: "plan" },
      { callId: "b", name: "plan" },
    ])
    await advance("10 seconds")
    executor.cancelCall("a")
    await advance("5 seconds")
    await advance("1 minute")
    await advance("5 seconds")
    await done
    expect(host.terminal("a")).toMatchObject({ _tag: "Cancelled", cleanupErrors: [expect.any(String)] })
    expect(host.terminal("b")).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      cleanupErrors: [expect.any(String)],
    })
  })

  it("bounds the cleanup of a shutdown", async () => {
    const plan = pipeline()
      .andThen(() => never())
      .finally(() => never())
    const { executor, advance } = await virtualTime({ plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "plan" }])
    await host.until(is("Started"))
    let down = false
    const shutdown = executor.shutdown().then(() => {
      down = true
    })
    await advance("4 seconds")
    expect(down).toBe(false)
    await advance("1 second")
    await shutdown
    expect(await executor.next()).toMatchObject({ _tag: "Cancelled", cleanupErrors: [expect.any(String)] })
  })
})
