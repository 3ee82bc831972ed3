import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { handler, pipeline, Step, type ToolEvent } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("finally handlers", () => {
  const closing = (log: Array<string>, name: string) =>
    handler(name, async () => {
      log.push(`${name} begins`)
      await turn()
      log.push(`${name} ends`)
      return Step.Continue
    })

  it("run one after another, in the order of their adding", async () => {
    const log: Array<string> = []
    const plan = pipeline().finally(closing(log, "one")).finally(closing(log, "two"))
    await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }])
    expect(log).toEqual(["one begins", "one ends", "two begins", "two ends"])
  })

  it("see the output, and cannot change the result", async () => {
    const seen: Array<unknown> = []
    const plan = pipeline()
      .andThen(() => Step.Output("result"))
      .finally(({ output }) => {
        seen.push(output?.content)
        return Step.Output("other")
      })
      .finally(async function* ({ output }) {
        seen.push(output?.content)
        yield Step.Output("other still")
      })
    const host = new ScriptedHost(executorOf({ tool: plan }))
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "result" })
    expect(host.terminal("c")).not.toHaveProperty("cleanupErrors")
    expect(seen).toEqual([[{ type: "text", text: "result" }], [{ type: "text", text: "result" }]])
  })

  it("may ask the host, whose answer changes nothing of the result", async () => {
    const seen: Array<unknown> = []
    const plan = pipeline()
      .andThen(() => Step.Output("result"))
      .finally(async function* (context) {
        yield Step.Delegate({ _tag: "IdeClosePreview" })
        seen.push(context.call.callId)
      })
    const host = new ScriptedHost(executorOf({ tool: plan }), { effect: () => "closed" })
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.tags()).toEqual(["Started", "Delegate", "Completed"])
    expect(host.terminal("c")).toMatchObject({ content: "result" })
    expect(seen).toEqual(["c"])
  })

  it("may ask the host after a cancel, by the event and by id", async () => {
    const plan = pipeline()
      .andThen(() => never())
      .finally(handler("close", () => Step.Delegate({ _tag: "IdeClosePreview" })))
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    for (const answer of [
      (event: Extract<ToolEvent, { _tag: "Delegate" }>) => event.fail("no window"),
      () => executor.respond("c", { error: "no window" }),
    ]) {
      executor.enqueue([{ callId: "c", name: "tool" }])
      await host.until(is("Started"))
      executor.cancel()
      const asked = await host.until(is("Delegate"))
      expect(answer(asked)).toBe(true)
      expect(answer(asked)).toBe(false)
      expect((await host.run()).at(-1)).toMatchObject({
        _tag: "Cancelled",
        cleanupErrors: ["close: no window"],
      })
    }
  })

  it("may stream, before the terminal event", async () => {
    const plan = pipeline()
      .finally(() => Step.Delta("closing"))
      .finally(async ({ delta }) => {
        await delta("deleting")
        return Step.Continue
      })
    const events = await new ScriptedHost(executorOf({ tool: plan })).run([{ name: "tool" }])
    expect(events).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", content: "closing" },
      { _tag: "Delta", content: "deleting" },
      { _tag: "Completed" },
    ])
  })

  it("are not interrupted by the cancel that caused them, nor by one that follows", async () => {
    for (const call of [
      async (done: Promise<void>) => {
        await done
        return Step.Continue
      },
      (done: Promise<void>) =>
        Effect.as(
          Effect.promise(() => done),
          Step.Continue,
        ),
    ]) {
      const log: Array<string> = []
      const done = deferred()
      const closing = deferred()
      const signals: Array<AbortSignal> = []
      const plan = pipeline()
        .andThen(({ signal }) => {
          signals.push(signal)
          return Effect.never
        })
        .finally(({ signal }) => {
          signals.push(signal)
          closing.resolve()
          return call(done.promise)
        })
        .finally(() => {
          log.push("next")
          return Step.Continue
        })
      const executor = executorOf({ tool: plan })
      const host = new ScriptedHost(executor)
      executor.enqueue([{ callId: "c", name: "tool" }])
      await host.until(is("Started"))
      executor.cancelCall("c")
      await closing.promise
      expect(executor.cancelCall("c")).toBe(false)
      expect(executor.cancel()).toBeFalsy()
      await turn()
      expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
      expect(log).toEqual([])
      done.resolve()
      expect((await host.run()).map((event) => event._tag)).toEqual(["Cancelled"])
      expect(log).toEqual(["next"])
    }
  })

  it("end a completed call as completed, whatever is cancelled meanwhile", async () => {
    const closing = deferred()
    const done = deferred()
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Output("result"))
        .finally(async () => {
          closing.resolve()
          await done.promise
          return Step.Continue
        }),
    })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await closing.promise
    executor.cancel()
    executor.cancelForeground()
    expect(executor.cancelCall("c")).toBe(false)
    expect(executor.toBackground("c")).toBe(false)
    done.resolve()
    const events = await new ScriptedHost(executor).run()
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "result" })
  })

  it("run for what an Effect handler left, after its own finalizers", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(() =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => log.push("finalizer")),
          ),
        ),
      )
      .finally(() => {
        log.push("finally")
        return Step.Continue
      })
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }])
    await host.until(is("Started"))
    executor.cancel()
    await host.run()
    expect(log).toEqual(["finalizer", "finally"])
  })
})
