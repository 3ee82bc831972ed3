// @module-tag waits
/** A call that is too long for a store goes on, and does not hold up the others. */
import { expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

const giant = 64_000_001

describeStores("a call that is too long to be kept", (_path, store) => {
  it("is told as it ended, and in the store why that is not there; the others go on", async () => {
    const tool = pipeline().andThen(() => Step.Output("x".repeat(giant)))
    const tools = { tool, small: pipeline().andThen(() => Step.Output("done")) }
    const durable = await durableOf(store(), tools, { maxOutputBytes: false })
    await durable.enqueue([{ callId: "t", name: "tool", background: true }])
    await untilTag(durable, "BackgroundCompleted")
    await durable.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "small" },
    ])
    expect((await untilTag(durable, "Completed")).content).toHaveLength(giant)
    expect(await untilTag(durable, "Completed")).toMatchObject({ callId: "b", content: "done" })
    await using client = await openDurableExecutor({ store: store(), runner: false })
    const content = expect.stringMatching(
      /^This cannot be kept: It has \d+ characters of JSON, and a store keeps 64000000$/,
    )
    expect(await client.result("a")).toMatchObject({ _tag: "Completed", callId: "a", content })
    expect(await client.tasks.get("t")).toMatchObject({ status: "complete", content })
  })

  it("is cut as every long result is, and is not kept whole", async () => {
    const tool = pipeline().andThen(() => Step.Output("x".repeat(giant)))
    const { executor } = await durableOf(store(), { tool })
    const { content, bounded } = await executor.run({ name: "tool" })
    expect(bounded?.bytes).toBe(giant)
    expect(content).toMatch(/^x+\n\[… \d+ bytes left out …\]\nx+$/)
  })

  it("is refused where it is to be queued, and so is one that is nested too deeply", async () => {
    const durable = await durableOf(store(), { small: pipeline().andThen(() => Step.Output("done")) })
    const call = { callId: "a", name: "small" }
    await expect(durable.enqueue([{ ...call, params: { text: "x".repeat(giant) } }])).rejects.toThrow(
      /^The call `a` cannot be kept\. It has \d+ characters of JSON, and a store keeps 64000000$/,
    )
    const endless = { toJSON: () => ({ endless }) }
    await expect(durable.enqueue([{ ...call, params: { endless } }])).rejects.toThrow(
      /^The call `a` cannot be kept, for it is nested too deeply$/,
    )
    expect(await durable.result("a")).toBeUndefined()
  })

  it("ends as an Error where its process ends before it does", async () => {
    const tool = pipeline()
      .andThen(() => Step.Output("x".repeat(giant)))
      .awaitApproval()
    const first = await durableOf(store(), { tool })
    first.executor.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), { tool })
    expect((await untilTag(second, "Error")).content).toMatch(
      /^Interrupted: the process ended, and the call could not be kept. It has \d+ characters of JSON, and a store keeps 64000000$/,
    )
  })
})
