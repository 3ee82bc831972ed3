import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type EffectHandler, handler, pipeline, Step, type ToolEvent } from "../../../src/index.ts"
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

  const failing: Record<string, EffectHandler["call"]> = {
    "gives an Error step": () => Step.Error("window gone"),
    throws: () => {
      throw new Error("window gone")
    },
    rejects: () => Promise.reject(new Error("window gone")),
    fails: () => Effect.fail("window gone"),
    dies: () => Effect.die(new Error("window gone")),
    "throws while it yields": async function* () {
      yield Step.Continue
      throw new Error("window gone")
    },
  }
  for (const [how, call] of Object.entries(failing)) {
    it(`one that ${how} is reported, and the next one runs all the same`, async () => {
      const log: Array<string> = []
      const plan = pipeline()
        .andThen(() => Step.Output("result"))
        .finally({ name: "close", call })
        .finally(closing(log, "next"))
        .finally({ name: "delete", call })
      const host = new ScriptedHost(executorOf({ tool: plan }))
      await host.run([{ callId: "c", name: "tool" }])
      expect(host.terminal("c")).toMatchObject({
        _tag: "Completed",
        content: "result",
        cleanupErrors: ["close: window gone", "delete: window gone"],
      })
      expect(log).toEqual(["next begins", "next ends"])
    })
  }

  it("report their failures after an Error, a denial and a cancel too", async () => {
    const close = handler("close", () => Step.Error("window gone"))
    const executor = executorOf({
      fails: pipeline()
        .andThen(() => Step.Error("no"))
        .finally(close),
      asks: pipeline().awaitApproval().finally(close),
    })
    const host = new ScriptedHost(executor, { gate: "deny" })
    await host.run([
      { callId: "failed", name: "fails" },
      { callId: "denied", name: "asks" },
    ])
    executor.enqueue([{ callId: "cancelled", name: "asks" }])
    await host.until(is("AwaitingApproval", "cancelled"))
    executor.cancelCall("cancelled")
    await host.run()
    for (const [id, tag] of [
      ["failed", "Error"],
      ["denied", "Denied"],
      ["cancelled", "Cancelled"],
    ] as const) {
      expect(host.terminal(id)).toMatchObject({ _tag: tag, cleanupErrors: ["close: window gone"] })
    }
  })

  it("report their failures on the task of a background call", async () => {
    const plan = pipeline().finally(handler("close", () => Step.Error("window gone")))
    const executor = executorOf({ tool: plan })
    await new ScriptedHost(executor).run([{ callId: "c", name: "tool", background: true }])
    expect(executor.tasks.get("c")).toMatchObject({
      status: "complete",
      cleanupErrors: ["close: window gone"],
    })
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

  it("cannot wait for an approval", async () => {
    const plan = pipeline().finally(handler("close", () => Step.AwaitApproval()))
    const host = new ScriptedHost(executorOf({ tool: plan }))
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.tags()).toEqual(["Started", "Completed"])
    expect(host.terminal("c")).toMatchObject({ cleanupErrors: [expect.stringMatching(/^close: /)] })
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
