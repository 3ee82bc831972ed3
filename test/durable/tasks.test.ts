// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
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
  it("is found at any time, and many may be waited for", async () => {
    const warnings: Array<string> = []
    const warned = ({ name }: Error) => warnings.push(name)
    process.on("warning", warned)
    onTestFinished(() => void process.off("warning", warned))
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
    expect(warnings).not.toContain("MaxListenersExceededWarning")
  })
})

describeStores("a task whose id is no text that a database holds", (_path, store) => {
  it("is waited for as any other is", async () => {
    const tool = pipeline().andThen(() => Step.Output("done"))
    const durable = await durableOf(store(), { tool })
    await using client = await openDurableExecutor({ store: store(), runner: false })
    const ids = ["\0", "half\ud800", `${"long".repeat(1000)}`]
    await durable.enqueue(ids.map((callId) => ({ callId, name: "tool", background: true })))
    const tasks = await Promise.all(ids.map((id) => client.tasks.wait(id)))
    expect(tasks.map((task) => task?.status)).toEqual(["complete", "complete", "complete"])
    const unknown = ["a\0", "a\ufffd", "a\ud800", "a\udfff"]
    expect(await Promise.all(unknown.map((id) => client.tasks.wait(id)))).toEqual(
      unknown.map(() => undefined),
    )
  })
})
