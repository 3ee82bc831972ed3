// @module-tag waits
/** Limits of an executor whose calls outlive its process. */
import { expect, it } from "vitest"
import { handler, pipeline, Step } from "../../src/index.ts"
import { deferred, until } from "../support/deferred.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

describeStores("a limit on how many run at once", (_path, store) => {
  it("counts the calls that ran before, and lets those go on waiting that waited", async () => {
    const begun: Array<string> = []
    let release = deferred()
    const hold = handler("hold", async ({ call }) => {
      begun.push(call.callId)
      await release.promise
      return Step.Output("done")
    })
    const tool = pipeline().awaitApproval().andThen(hold)
    const limits = [{ tools: ["tool"], concurrency: 1 }]
    const first = await durableOf(store(), { tool }, { limits })
    await first.enqueue([
      { callId: "a", agentId: "a", name: "tool" },
      { callId: "b", agentId: "b", name: "tool" },
    ])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    release = deferred()
    const second = await durableOf(store(), { tool }, { limits })
    await until(() => second.executor.inspect().some(({ waitingFor }) => waitingFor === "limit"))
    expect(second.executor.inspect()).toMatchObject([
      { callId: "a", waitingFor: "approval" },
      { callId: "b", waitingFor: "limit" },
    ])
    await second.approve("a")
    await until(() => begun.includes("a"))
    release.resolve()
    await until(() =>
      second.executor.inspect().some(({ callId, waitingFor }) => callId === "b" && waitingFor === "approval"),
    )
    await second.approve("b")
    await until(() => begun.includes("b"))
    expect(begun).toEqual(["a", "b"])
  })
})
