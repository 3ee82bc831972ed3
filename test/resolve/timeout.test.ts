import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolPipeline } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { never } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { abortable, apply, discard, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

describe("a resolve that runs out of time", () => {
  it("ends with the time-out, tells its handler so, and the action stays pending", async () => {
    const { handler, reasons } = abortable()
    const { plan } = editTool({ apply: handler })
    const { executor, advance } = await virtualTime({ edit: plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await advance("1 minute")
    await host.run()
    expect(host.terminal("r")).toMatchObject({ reason: "timeout", content: "Timed out after 1 minute" })
    expect(reasons).toEqual([expect.objectContaining({ name: "TimeoutError" })])
    expect(labels(executor)).toEqual(["Change a.ts"])
  })

  it.each<[string, ToolPipeline]>([
    [
      "at a gate",
      pipeline()
        .awaitResolve({ label: "Change" })
        .awaitApproval()
        .andThen(() => never()),
    ],
    [
      "at a gate inside a generator",
      pipeline()
        .awaitResolve({ label: "Change" })
        .andThen(async function* () {
          yield Step.AwaitApproval()
          yield await never<Step>()
        }),
    ],
  ])("is bound by it also after its host approved it %s", async (_, plan) => {
    const { executor, advance } = await virtualTime({ edit: plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    const gate = await host.until(is("AwaitingApproval"))
    await advance("1 hour")
    gate.approve()
    await advance("1 minute")
    expect(executor.inspect()).toEqual([])
    expect(await executor.next()).toMatchObject({ _tag: "Error", reason: "timeout" })
    expect(labels(executor)).toEqual(["Change"])
  })

  it("keeps what its handlers produced, and what they streamed", async () => {
    const produce = pipeline().awaitResolve({ label: "Change" })
    const plans = {
      output: produce.andThen(() => Step.Output("half")).andThen(() => never()),
      stream: produce.andThen(() => Step.Delta("half")).andThen(() => never()),
    }
    for (const plan of Object.values(plans)) {
      const { executor, advance } = await virtualTime({ edit: plan }, { callTimeout: "1 minute" })
      await stage(executor)
      const resolving = executor.agent().resolve(apply)
      await advance("1 minute")
      expect(await resolving).toMatchObject({ content: "Timed out after 1 minute\nhalf" })
    }
  })

  it("discards in bounded time too", async () => {
    const { plan } = editTool({ onDiscard: () => never() })
    const { executor, advance } = await virtualTime({ edit: plan }, { callTimeout: "1 minute" })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall(discard)])
    await advance("1 minute")
    await host.run()
    expect(host.terminal("r")).toMatchObject({ reason: "timeout" })
    expect(labels(executor)).toEqual(["Change a.ts"])
  })
})
