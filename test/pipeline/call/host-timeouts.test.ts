import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
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
