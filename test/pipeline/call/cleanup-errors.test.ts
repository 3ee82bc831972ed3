import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type EffectHandler, handler, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("a finally handler that goes wrong", () => {
  const closing = (log: Array<string>, name: string) =>
    handler(name, async () => {
      log.push(`${name} begins`)
      await turn()
      log.push(`${name} ends`)
      return Step.Continue
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

  it("cannot wait for an approval", async () => {
    const plan = pipeline().finally(handler("close", () => Step.AwaitApproval()))
    const host = new ScriptedHost(executorOf({ tool: plan }))
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.tags()).toEqual(["Started", "Completed"])
    expect(host.terminal("c")).toMatchObject({ cleanupErrors: [expect.stringMatching(/^close: /)] })
  })
})
