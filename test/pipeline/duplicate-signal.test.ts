import { expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { deferred } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"

it("the signal of a refused duplicate cancels nothing of the call that has the id", async () => {
  const held = deferred<Step>()
  const executor = executorOf({ held: pipeline().andThen(() => held.promise) })
  const controller = new AbortController()
  const first = executor.run({ callId: "x", name: "held" })
  const second = await executor.run({ callId: "x", name: "held" }, undefined, { signal: controller.signal })
  expect(second).toMatchObject({ status: "error", isError: true })
  controller.abort()
  held.resolve(Step.Output("done"))
  expect(await first).toMatchObject({ status: "complete", content: "done" })
})

it("`background` among edited parameters is taken out, and changes nothing", async () => {
  const executor = executorOf({
    gated: pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done")),
  })
  const seen: Array<unknown> = []
  const result = await executor.run({ name: "gated" }, (event) => {
    if (event._tag === "AwaitingApproval") event.approve({ params: { background: true } })
    if (event._tag === "Completed") seen.push(event.editedParams)
  })
  expect(result.status).toBe("complete")
  expect(seen).toEqual([{}])
})
