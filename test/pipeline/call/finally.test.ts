import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { handler, pipeline, Step, type ToolEvent, type ToolExecutor } from "../../../src/index.ts"
import { isTerminal, ScriptedHost } from "../../../src/testing.ts"
import { never, turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, type Plan, toolOf } from "../../support/executor-of.ts"

describe("finally handlers run once, before the terminal event, after", () => {
  const log: Array<string> = []
  const close = handler("close", async () => {
    log.push("close")
    await turn()
    log.push("closed")
    return Step.Continue
  })
  const stuck = handler("stuck", () => never())

  const endings: ReadonlyArray<
    readonly [string, Plan, (host: ScriptedHost, executor: ToolExecutor) => unknown, ToolEvent["_tag"]]
  > = [
    ["success", pipeline().finally(close), () => undefined, "Completed"],
    [
      "an Error step",
      pipeline()
        .andThen(() => Step.Error("no"))
        .finally(close),
      () => undefined,
      "Error",
    ],
    [
      "a throw",
      pipeline()
        .andThen(() => {
          throw new Error("no")
        })
        .finally(close),
      () => undefined,
      "Error",
    ],
    [
      "a rejection",
      pipeline()
        .andThen(() => Promise.reject(new Error("no")))
        .finally(close),
      () => undefined,
      "Error",
    ],
    [
      "an Effect that dies",
      pipeline()
        .andThen(() => Effect.die("no"))
        .finally(close),
      () => undefined,
      "Error",
    ],
    [
      "an effect that the host fails",
      pipeline()
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .finally(close),
      async (host) => (await host.until(is("Delegate"))).fail("no"),
      "Error",
    ],
    [
      "a denial",
      pipeline().awaitApproval().finally(close),
      async (host) => (await host.until(is("AwaitingApproval"))).deny(),
      "Denied",
    ],
    [
      "a cancel while running",
      pipeline().andThen(stuck).finally(close),
      async (host, executor) => {
        await host.until(is("Started"))
        executor.cancel()
      },
      "Cancelled",
    ],
    [
      "a soft cancel",
      pipeline().andThen(stuck).finally(close),
      async (host, executor) => {
        await host.until(is("Started"))
        executor.cancelForeground()
      },
      "Cancelled",
    ],
    [
      "a cancel of an Effect",
      pipeline()
        .andThen(() => Effect.never)
        .finally(close),
      async (host, executor) => {
        await host.until(is("Started"))
        executor.cancelCall("c")
      },
      "Cancelled",
    ],
    [
      "a cancel at a gate",
      pipeline().awaitApproval().finally(close),
      async (host, executor) => {
        await host.until(is("AwaitingApproval"))
        executor.cancelCall("c")
      },
      "Cancelled",
    ],
    [
      "a cancel while the host is asked",
      pipeline()
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .finally(close),
      async (host, executor) => {
        await host.until(is("Delegate"))
        executor.cancel()
      },
      "Cancelled",
    ],
    [
      "shutdown",
      pipeline().andThen(stuck).finally(close),
      async (host, executor) => {
        await host.until(is("Started"))
        void executor.shutdown()
      },
      "Cancelled",
    ],
  ]

  for (const [how, plan, act, tag] of endings) {
    it(how, async () => {
      log.length = 0
      const executor = executorOf({ tool: plan })
      const host = new ScriptedHost(executor, {
        onEvent: (event) => {
          if (isTerminal(event)) log.push(event._tag)
        },
      })
      executor.enqueue([{ callId: "c", name: "tool" }])
      await act(host, executor)
      await host.run()
      expect(log).toEqual(["close", "closed", tag])
    })

    it(`${how}, of a background call`, async () => {
      log.length = 0
      const executor = executorOf({ tool: plan })
      const host = new ScriptedHost(executor, {
        onEvent: (event) => {
          if (isTerminal(event) || event._tag === "BackgroundCompleted") log.push("end")
        },
      })
      executor.enqueue([{ callId: "c", name: "tool", background: true }])
      await act(host, {
        cancel: () => executor.cancelCall("c"),
        cancelForeground: () => executor.cancelCall("c"),
        cancelCall: () => executor.cancelCall("c"),
        shutdown: () => executor.shutdown(),
      } as unknown as ToolExecutor)
      await host.run()
      expect(log).toEqual(["close", "closed", "end"])
    })
  }
})

describe("finally handlers do not run", () => {
  const log: Array<string> = []
  const close = handler("close", () => {
    log.push("close")
    return Step.Continue
  })
  const plan = pipeline()
    .andThen(() => never())
    .finally(close)

  it("for a call that is cancelled in the queue: it has nothing to clean", async () => {
    log.length = 0
    const executor = executorOf({ tool: pipeline().awaitApproval(), cleans: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }, { callId: "c", name: "cleans" }])
    await host.until(is("AwaitingApproval"))
    executor.cancelCall("c")
    executor.cancel()
    await host.run()
    expect(log).toEqual([])
  })

  it("for a call that is refused", async () => {
    log.length = 0
    const cleans = toolOf("cleans", plan, { background: false })
    const executor = executorOf({ cleans }, { filters: { evaluate: () => "deny" } })
    await new ScriptedHost(executor).run([
      { name: "cleans" },
      { name: "cleans", background: true },
      { name: "cleans", decision: "deny" },
    ])
    expect(log).toEqual([])
  })
})
