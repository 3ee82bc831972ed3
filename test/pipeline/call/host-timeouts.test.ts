import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { never } from "../../support/deferred.ts"
import { is } from "../../support/event-of.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const asking = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))
const gate = pipeline().awaitApproval()

describe("approvalTimeout", () => {
  it("denies what nobody decided, as expired, and cleans up", async () => {
    const log: Array<string> = []
    const plan = gate.finally(() => {
      log.push("cleaned")
      return Step.Continue
    })
    const { executor, advance } = await virtualTime({ plan }, { approvalTimeout: "5 minutes" })
    const host = new ScriptedHost(executor, { gate: "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("299 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Denied", by: "expired" })
    expect(host.terminal("c")?.content).toContain("5 minutes")
    expect(log).toEqual(["cleaned"])
    expect(executor.approve("c")).toBe(false)
    expect(host.events.find(is("AwaitingApproval"))?.approve()).toBe(false)
  })

  it("is none unless told otherwise", async () => {
    const { executor, advance } = await virtualTime({ gate })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "gate" }])
    const asked = await host.until(is("AwaitingApproval"))
    await advance("1000 days")
    expect(asked.approve()).toBe(true)
    expect((await host.run()).at(-1)?._tag).toBe("Completed")
  })

  it("starts anew at each gate, and is over with the decision", async () => {
    const plan = pipeline()
      .awaitApproval()
      .awaitApproval()
      .andThen(() => Effect.as(Effect.sleep("3 minutes"), Step.Continue))
    const { executor, advance } = await virtualTime({ plan }, { approvalTimeout: "1 minute" })
    const host = new ScriptedHost(executor, { gate: "ignore" })
    const done = host.run([{ callId: "c", name: "plan" }])
    await advance("59 seconds")
    executor.approve("c")
    await advance("59 seconds")
    executor.approve("c")
    await advance("3 minutes")
    await done
    expect(host.terminal("c")?._tag).toBe("Completed")
  })
})

describe("delegateTimeout", () => {
  it("fails an effect that the host does not answer, and the late answer counts no more", async () => {
    const { executor, advance } = await virtualTime({ asking }, { delegateTimeout: "10 seconds" })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "asking" }])
    await advance(9999)
    expect(host.terminal("c")).toBeUndefined()
    await advance(1)
    await done
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      content: "The host did not answer Ask within 10 seconds",
    })
    expect(host.events.find(is("Delegate"))?.succeed("late")).toBe(false)
    expect(executor.respond("c", {})).toBe(false)
  })

  it("fails a handler that waits for the answer in its middle, with the same reason", async () => {
    const { executor, advance } = await virtualTime({
      asking: pipeline().andThen(async ({ delegate }) => {
        await delegate({ _tag: "Ask" }, { timeout: "1 second" })
        return Step.Continue
      }),
    })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "asking" }])
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      content: "The host did not answer Ask within 1 second",
    })
  })

  it("is 30 seconds unless told otherwise", async () => {
    const { executor, advance } = await virtualTime({ asking })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([{ callId: "c", name: "asking" }])
    await advance("29 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")?.content).toContain("30 seconds")
  })

  it("can be set by the step, shorter or longer", async () => {
    const { executor, advance } = await virtualTime({
      short: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: "1 second" })),
      long: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: "50 minutes" })),
    })
    const host = new ScriptedHost(executor, { effect: () => "ignore" })
    const done = host.run([
      { callId: "short", name: "short" },
      { callId: "long", agentId: "b", name: "long" },
    ])
    await advance("1 second")
    expect(host.terminal("short")?.content).toBe("The host did not answer Ask within 1 second")
    await advance("49 minutes")
    expect(host.terminal("long")).toBeUndefined()
    await advance("1 minute")
    await done
    expect(host.terminal("long")?.content).toBe("The host did not answer Ask within 50 minutes")
  })

  describe("of effects for an editor that nobody answers", () => {
    const show = { _tag: "IdeShowPreview", preview: { path: "/a", content: "" } } as const
    const close = () => Step.Delegate({ _tag: "IdeClosePreview" })
    const shows = pipeline()
      .andThen(() => Step.Delegate(show))
      .finally(close)
    const advice = ". A host without an editor makes its executor with `delegates: noIde`"

    const warnings = () => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined)
      onTestFinished(() => warn.mockRestore())
      return () => warn.mock.calls.map(([text]) => text)
    }

    it("warns of one that a finally handler waits for", async () => {
      const told = warnings()
      const { executor, advance } = await virtualTime({ closes: pipeline().finally(close) })
      const host = new ScriptedHost(executor, { effect: () => "ignore" })
      const done = host.run([{ callId: "c", name: "closes" }])
      await advance("2 seconds")
      expect(told()).toEqual([
        `Nobody has answered the effect IdeClosePreview of closes for 2 seconds${advice}`,
      ])
      await advance("3 seconds")
      await done
    })

    it("warns after two seconds, once, and names what answers them; so does the Error", async () => {
      const told = warnings()
      const { executor, advance } = await virtualTime({ shows })
      const host = new ScriptedHost(executor, { effect: () => "ignore" })
      const done = host.run([
        { callId: "a", name: "shows", agentId: "a" },
        { callId: "b", name: "shows", agentId: "b" },
      ])
      await advance(1999)
      expect(told()).toEqual([])
      await advance(1)
      expect(told()).toEqual([
        `Nobody has answered the effect IdeShowPreview of shows for 2 seconds${advice}`,
      ])
      await advance("28 seconds")
      await done
      expect(told()).toHaveLength(1)
      for (const callId of ["a", "b"])
        expect(host.terminal(callId)).toMatchObject({
          reason: "timeout",
          content: `The host did not answer IdeShowPreview within 30 seconds${advice}`,
          // It was told, and not waited for.
          cleanupErrors: [
            `close: IdeClosePreview was not waited for: the host had not answered an effect before it${advice}`,
          ],
        })
      expect(host.tags("a")).toEqual(["Started", "Delegate", "Delegate", "Error"])
    })

    it("does not wait for another one in the middle of a handler", async () => {
      warnings()
      const { executor, advance } = await virtualTime({
        asks: pipeline().andThen(async ({ delegate }) => {
          const tags = ["IdeShowPreview", "IdeOpen", "Own"]
          const said: Array<string> = []
          for (const _tag of tags)
            await delegate({ _tag, path: "/a" }).then(
              () => said.push(`${_tag} answered`),
              (error: Error) => said.push(error.message),
            )
          return Step.Output(said.join("\n"))
        }),
      })
      const done = executor.run({ name: "asks" }, () => undefined)
      await advance("30 seconds")
      await advance("30 seconds")
      expect((await done).content.split("\n")).toEqual([
        `The host did not answer IdeShowPreview within 30 seconds${advice}`,
        `IdeOpen was not waited for: the host had not answered an effect before it${advice}`,
        "The host did not answer Own within 30 seconds",
      ])
    })

    it("is silent of what is answered in time, by whomever, or cancelled, and of effects of the host's own", async () => {
      const told = warnings()
      const { executor, advance } = await virtualTime({ shows, asking })
      const host = new ScriptedHost(executor, { effect: () => "ignore" })
      executor.enqueue([
        { callId: "a", name: "shows" },
        { callId: "b", name: "shows" },
        { callId: "c", name: "asking" },
      ])
      const first = await host.until(is("Delegate", "a"))
      await advance(1900)
      first.succeed()
      await host.until(is("Delegate", "a")).then((event) => event.succeed())
      await host.until(is("Delegate", "b"))
      await advance(1900)
      executor.cancelCall("b")
      await host.until(is("Delegate", "b")).then((event) => event.succeed())
      await host.until(is("Delegate", "c"))
      await advance("10 seconds")
      expect(told()).toEqual([])
    })
  })

  it("bounds the functions of `delegates`, which are told by their signal", async () => {
    const signals: Array<AbortSignal> = []
    const { executor, advance } = await virtualTime(
      { asking },
      {
        delegateTimeout: "1 second",
        delegates: {
          Ask: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "asking" }])
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Error" })
    expect(signals[0]!.aborted).toBe(true)
  })
})
