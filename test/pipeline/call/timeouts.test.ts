import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { never, turn, until } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const stuck = pipeline().andThen(() => never())
const gate = pipeline().awaitApproval()

/** A handler that takes its time on the executor's clock. */
const takes = (time: Duration.Input) => () => Effect.as(Effect.sleep(time), Step.Continue)

describe("callTimeout", () => {
  it("ends a foreground call as a time-out, and not a moment earlier", async () => {
    const { executor, advance } = await virtualTime(
      { stuck, quick: pipeline() },
      { callTimeout: "2 minutes" },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "stuck" }, { name: "quick" }])
    await advance(119_999)
    expect(host.tags()).toEqual(["Started"])
    await advance(1)
    await done
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      content: "Timed out after 2 minutes",
    })
    expect(host.events.at(-1)?._tag).toBe("Completed")
  })

  it("is ten minutes unless told otherwise", async () => {
    const { executor, advance } = await virtualTime({ stuck })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "stuck" }])
    await advance("599 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({ content: "Timed out after 10 minutes" })
  })

  it.each<[string, Parameters<typeof virtualTime>[1], string]>([
    ["a number of milliseconds", { callTimeout: 50 }, "Timed out after 50 ms"],
    ["a Duration", { callTimeout: Duration.millis(50) }, "Timed out after 50 ms"],
    ["words", { callTimeout: "50 millis" }, "Timed out after 50 ms"],
  ])("is given as %s", async (_, options, content) => {
    const { executor, advance } = await virtualTime({ stuck }, options)
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "stuck" }])
    await advance(50)
    await done
    expect(host.terminal("c")).toMatchObject({ content })
  })

  it("can be none", async () => {
    const { executor, advance } = await virtualTime({ stuck }, { callTimeout: Number.POSITIVE_INFINITY })
    executor.enqueue([{ callId: "c", name: "stuck" }])
    await advance("1000 days")
    expect(executor.inspect()).toMatchObject([{ callId: "c", state: "running" }])
    executor.cancel()
  })

  it("counts neither the wait in the queue nor the waits for the host", async () => {
    const plan = pipeline()
      .andThen(takes("40 seconds"))
      .awaitApproval()
      .andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: "1 hour" }))
      .andThen(takes("19 seconds"))
      .andThen(() => Step.Output("done"))
    const { executor, advance } = await virtualTime({ plan, gate }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor, { gate: "ignore", effect: () => "ignore" })
    const done = host.run([
      { callId: "first", name: "gate" },
      { callId: "c", name: "plan" },
    ])
    await advance("30 minutes")
    executor.approve("first")
    await advance("40 seconds")
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval"])
    await advance("30 minutes")
    executor.approve("c")
    await advance("30 minutes")
    expect(executor.respond("c", {})).toBe(true)
    await advance("19 seconds")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "done" })
  })

  it("is the sum of the running times around the waits", async () => {
    const plan = pipeline().andThen(takes("40 seconds")).awaitApproval().andThen(takes("21 seconds"))
    const { executor, advance } = await virtualTime({ plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor, { gate: "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("40 seconds")
    await advance("1 hour")
    executor.approve("c")
    await advance("19 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Error", reason: "timeout" })
  })

  it("spans all handlers, whatever they are", async () => {
    const plan = pipeline()
      .andThen(takes("30 seconds"))
      .andThen(async function* () {
        yield Step.Delta("x")
        yield Step.Continue
      })
      .andThen(async () => Step.Continue)
      .andThen(takes("31 seconds"))
    const { executor, advance } = await virtualTime({ plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("1 minute")
    await done
    expect(host.terminal("c")).toMatchObject({ reason: "timeout" })
  })

  it("runs on in a generator after the host has answered it", async () => {
    for (const question of [Step.AwaitApproval(), Step.Delegate({ _tag: "Ask" }, { timeout: "1 hour" })]) {
      const plan = pipeline().andThen(async function* () {
        yield question
        await never()
      })
      const { executor, advance } = await virtualTime({ plan }, { callTimeout: "1 minute" })
      const host = new ScriptedHost(executor, { gate: "ignore", effect: () => "ignore" })
      const done = host.run([{ callId: "c", name: "plan" }])
      await advance("30 minutes")
      expect(executor.approve("c") || executor.respond("c", {})).toBe(true)
      await advance("59 seconds")
      expect(host.terminal("c")).toBeUndefined()
      await advance("1 second")
      await done
      expect(host.terminal("c")).toMatchObject({ reason: "timeout" })
    }
  })

  it("keeps what was produced: the reason, then the output so far", async () => {
    const { executor, advance } = await virtualTime(
      {
        streamed: pipeline().andThen(async ({ delta }) => {
          await delta("line 1\n")
          await delta("line 2\n")
          return never<Step>()
        }),
        output: pipeline()
          .andThen(() => Step.Output("half of it"))
          .andThen(() => never()),
      },
      { callTimeout: "1 second" },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([
      { callId: "streamed", name: "streamed" },
      { callId: "output", name: "output" },
    ])
    await advance("1 second")
    await advance("1 second")
    await done
    expect(host.terminal("streamed")).toMatchObject({
      content: "Timed out after 1 second\nline 1\nline 2\n",
    })
    expect(host.terminal("output")).toMatchObject({
      content: "Timed out after 1 second\nhalf of it",
      output: { content: [{ type: "text", text: "half of it" }] },
    })
  })

  it("interrupts an Effect, tells a promise by its signal, and runs the finally handlers", async () => {
    const log: Array<string> = []
    const { executor, advance } = await virtualTime(
      {
        effect: pipeline()
          .andThen(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push("interrupted"))))
          .finally(() => {
            log.push("cleaned")
            return Step.Continue
          }),
        promise: pipeline().andThen(({ signal }) => {
          signal.addEventListener("abort", () => log.push((signal.reason as Error).name))
          return never()
        }),
      },
      { callTimeout: "1 second" },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([{ name: "effect" }, { name: "promise" }])
    await advance("1 second")
    await advance("1 second")
    await done
    expect(log).toEqual(["interrupted", "cleaned", "TimeoutError"])
  })

  it("covers the hook that is asked before the call", async () => {
    const signals: Array<AbortSignal> = []
    const { executor, advance } = await virtualTime(
      { tool: pipeline() },
      {
        callTimeout: "1 minute",
        hooks: {
          beforeCall: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "tool" }])
    await advance("1 minute")
    await done
    expect(host.events).toMatchObject([{ _tag: "Error", reason: "timeout" }])
    expect(signals[0]!.aborted).toBe(true)
  })

  it("is each call's own", async () => {
    const { executor, advance } = await virtualTime({ stuck }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "a", agentId: "a", name: "stuck" }])
    await advance("30 seconds")
    executor.enqueue([{ callId: "b", agentId: "b", name: "stuck" }])
    await advance("30 seconds")
    expect(host.terminal("a")).toMatchObject({ reason: "timeout" })
    expect(host.terminal("b")).toBeUndefined()
    await advance("30 seconds")
    await done
    expect(host.terminal("b")).toMatchObject({ reason: "timeout" })
  })
})

describe("taskTimeout", () => {
  it("is none unless told otherwise: callTimeout is no business of a background task", async () => {
    const { executor, advance } = await virtualTime({ stuck }, { callTimeout: "1 second" })
    executor.enqueue([{ callId: "c", name: "stuck", background: true }])
    await until(() => executor.tasks.get("c")?.status === "running")
    await advance("1000 days")
    expect(executor.tasks.get("c")).toMatchObject({ status: "running" })
    executor.cancelCall("c")
  })

  it("ends a background task", async () => {
    const { executor, advance } = await virtualTime({ stuck }, { taskTimeout: "50 minutes" })
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "stuck", background: true }])
    await until(() => executor.tasks.get("c")?.status === "running")
    await advance("49 minutes")
    expect(executor.tasks.get("c")).toMatchObject({ status: "running" })
    await advance("1 minute")
    await done
    expect(executor.tasks.get("c")).toMatchObject({ status: "error", content: "Timed out after 50 minutes" })
  })

  it("counts neither the wait for a place nor the waits for the host", async () => {
    const plan = pipeline()
      .andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: "1 day" }))
      .andThen(takes("50 seconds"))
      .andThen(() => Step.Output("done"))
    const { executor, advance } = await virtualTime(
      { plan, slow: pipeline().andThen(takes("55 seconds")) },
      { taskTimeout: "1 minute", backgroundConcurrency: 1 },
    )
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "plan", background: true }])
    const asked = await host.until(is("Delegate"))
    await advance("30 minutes")
    executor.enqueue([{ callId: "slow", name: "slow", background: true }])
    await host.until(is("BackgroundStarted", "slow"))
    await turn()
    asked.succeed()
    await advance("55 seconds")
    await until(() => executor.tasks.get("c")?.status === "running")
    await advance("50 seconds")
    await host.run()
    expect(executor.tasks.get("slow")).toMatchObject({ status: "complete" })
    expect(executor.tasks.get("c")).toMatchObject({ status: "complete", content: "done" })
  })

  it("counts from anew for a foreground call that becomes a task, and callTimeout no more", async () => {
    const { executor, advance } = await virtualTime(
      { stuck },
      { callTimeout: "1 minute", taskTimeout: "2 minutes" },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "stuck" }])
    await advance("50 seconds")
    expect(executor.toBackground("c")).toBe(true)
    await advance("119 seconds")
    expect(executor.tasks.get("c")).toMatchObject({ status: "running" })
    await advance("1 second")
    await done
    expect(executor.tasks.get("c")).toMatchObject({ status: "error", content: "Timed out after 2 minutes" })
  })
})
