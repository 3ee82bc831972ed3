import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, labels, resolveCall, stage } from "./edit-tool.ts"

describe("what is applied", () => {
  const streaming = pipeline()
    .awaitResolve({ label: "Change" })
    .andThen(() => Step.Delta("writing"))
    .andThen(async ({ delta }) => {
      await delta("more")
      return Step.Continue
    })
    .andThen(() => Step.Delegate({ _tag: "IdeReloadBuffer", path: "a.ts" }))

  it("streams and asks the host under the resolve call's id", async () => {
    const executor = executorOf({ edit: streaming })
    const host = new ScriptedHost(executor, { effect: () => "reloaded" })
    await stage(executor)
    await host.run([resolveCall()])
    expect(host.tags("r")).toEqual(["Started", "Delta", "Delta", "Delegate", "Completed"])
    expect(host.terminal("r")).toMatchObject({ content: "reloaded" })
  })

  it("may be answered by id, or by a function", async () => {
    const executor = executorOf({ edit: streaming })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await host.until(is("Delegate"))
    expect(executor.respond("r", { output: "by id" })).toBe(true)
    await host.run()
    expect(host.terminal("r")).toMatchObject({ content: "by id" })

    const asked: Array<unknown> = []
    const delegates = {
      IdeReloadBuffer: (_effect: unknown, { callId }: { callId: string }) => {
        asked.push(callId)
        return "by function"
      },
    }
    const other = executorOf({ edit: streaming }, { delegates })
    await stage(other)
    expect(await other.run(resolveCall())).toMatchObject({ content: "by function" })
    expect(asked).toEqual(["r"])
  })

  it("is pending again where the host fails its effect, with the host's words", async () => {
    const executor = executorOf({ edit: streaming })
    const host = new ScriptedHost(executor, { effect: () => ({ fail: "no editor" }) })
    await stage(executor)
    await host.run([resolveCall()])
    expect(host.terminal("r")).toMatchObject({ _tag: "Error", content: "no editor" })
    expect(labels(executor)).toEqual(["Change"])
  })

  it("fails an effect that nobody is there to answer, and is pending again", async () => {
    const executor = executorOf({ edit: streaming })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "error",
      content: "The effect IdeReloadBuffer needs a host, and nobody is there to answer it",
    })
    expect(labels(executor)).toEqual(["Change"])
  })
})
