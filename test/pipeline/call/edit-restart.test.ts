import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

const edit = { gate: { params: { path: "b" } } }

describe("between an edit and the second attempt", () => {
  /** The first attempt's cleanup waits until the test lets it end. */
  const slowCleanup = () => {
    const cleaning = deferred()
    const cleaned = deferred()
    const log: Array<string> = []
    const plan = ({ path }: Record<string, unknown>) =>
      pipeline()
        .awaitApproval()
        .andThen(() => {
          log.push(`write ${path}`)
          return Step.Output(`wrote ${path}`)
        })
        .finally(async () => {
          log.push(`close ${path}`)
          cleaning.resolve()
          await cleaned.promise
          return Step.Continue
        })
    return { log, plan, cleaning: cleaning.promise, end: () => cleaned.resolve() }
  }

  it.each<[string, (executor: ToolExecutor) => unknown]>([
    ["the hard cancel", (executor) => executor.cancel({ reason: "stop" })],
    ["a cancel of the call", (executor) => executor.cancelCall("c")],
  ])("%s wins", async (_, cancel) => {
    const { log, plan, cleaning, end } = slowCleanup()
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor, edit)
    const done = host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    await cleaning
    expect(cancel(executor)).toBeTruthy()
    end()
    await done
    expect(log).toEqual(["close a"])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Cancelled"])
  })

  it("a cancel wins that comes right behind the edit, though nothing of the call takes time", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      write: ({ path }) =>
        pipeline()
          .awaitApproval()
          .andThen(() => {
            log.push(`write ${path}`)
            return Step.Continue
          })
          .finally(() => {
            log.push(`close ${path}`)
            return Step.Continue
          }),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write", params: { path: "a" } }])
    const gate = await host.until(is("AwaitingApproval"))
    expect(gate.approve({ params: { path: "b" } })).toBe(true)
    expect(executor.cancel()).toBe(1)
    await host.run()
    expect(log).toEqual(["close a"])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Cancelled"])
  })

  it("a cancel wins even after the cleanup, while the hook is asked about the new parameters", async () => {
    const asked = deferred()
    const { log, plan, end } = slowCleanup()
    end()
    const executor = executorOf(
      { write: plan },
      {
        hooks: {
          beforeCall: async (call) => {
            if ((call.params as { path: string }).path === "b") {
              asked.resolve()
              await deferred().promise
            }
            return undefined
          },
        },
      },
    )
    const host = new ScriptedHost(executor, edit)
    const done = host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    await asked.promise
    expect(executor.cancelCall("c")).toBe(true)
    await done
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Cancelled"])
    expect(log).toEqual(["close a"])
  })

  it("shutdown wins", async () => {
    const { log, plan, cleaning, end } = slowCleanup()
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor, edit)
    const done = host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    await cleaning
    const down = executor.shutdown()
    end()
    await down
    await done
    expect(log).toEqual(["close a"])
    expect(host.events.at(-1)?._tag).toBe("Cancelled")
  })

  it("no answer counts, and the lane waits", async () => {
    const { plan, cleaning, end } = slowCleanup()
    const executor = executorOf({ write: plan, tool: pipeline() })
    const host = new ScriptedHost(executor, edit)
    const done = host.run([
      { callId: "c", name: "write", params: { path: "a" } },
      { callId: "next", name: "tool" },
    ])
    await cleaning
    await turn()
    expect(executor.approve("c")).toBe(false)
    expect(executor.deny("c")).toBe(false)
    expect(executor.toBackground("c")).toBe(false)
    expect(host.tags("next")).toEqual([])
    end()
    await done
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(host.tags("next")).toEqual(["Started", "Completed"])
  })

  it("what the first attempt could not clean up is kept for the terminal event", async () => {
    const plan = ({ path }: Record<string, unknown>) =>
      pipeline()
        .awaitApproval()
        .finally({
          name: "close",
          call: () => (path === "a" ? Effect.fail("stuck window") : Step.Continue),
        })
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", cleanupErrors: ["close: stuck window"] })
  })

  it("begins anew where a generator has cleaned up before it", async () => {
    const plan = pipeline()
      .awaitApproval()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
      .finally(async function* () {
        yield Step.Continue
      })
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "tool" }])
    const first = await host.until(is("AwaitingApproval"))
    expect(first.approve({ params: { edited: true } })).toBe(true)
    const second = await host.until(is("AwaitingApproval"))
    expect(second.approve()).toBe(true)
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "done" })
  })
})
