import { expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

describeStores("a task whose `taskTtl` is over", (_path, store) => {
  it("is told to nobody any more, though nobody asks where it ran", async () => {
    const tool = pipeline().andThen(() => Step.Output("done"))
    const durable = await durableOf(store(), { tool }, { taskTtl: "1 millis" })
    await durable.enqueue([{ callId: "t", name: "tool", background: true }])
    await untilTag(durable, "BackgroundCompleted")
    await using client = await openDurableExecutor({ store: store(), runner: false })
    await expect.poll(() => client.tasks.list()).toEqual([])
    expect(await client.tasks.get("t")).toBeUndefined()
  })
})

describeStores("a task that ends while its store is read", (_path, store) => {
  it("is found at any time", async () => {
    const tool = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const durable = await durableOf(store(), { tool })
    await using client = await openDurableExecutor({ store: store(), runner: false })
    const ids = Array.from({ length: 30 }, (_, index) => `t${index}`)
    await durable.enqueue(
      ids.map((callId) => ({ callId, name: "tool", background: true, decision: "approve" as const })),
    )
    const tasks = await Promise.all(ids.map((id) => client.tasks.wait(id)))
    expect(tasks.map((task) => task?.id)).toEqual(ids)
    expect((await client.tasks.list()).map(({ id }) => id).sort()).toEqual([...ids].sort())
  })
})
