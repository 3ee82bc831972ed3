// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { registryOf } from "../support/executor-of.ts"
import { describeStores } from "./stores.ts"

describeStores("A model's answer that was cut", (_path, store) => {
  it("ends calls of its process and of a client, and asks nothing about them", async () => {
    const log: Array<string> = []
    const write = () => {
      log.push("composed")
      return pipeline().andThen(() => Step.Output("wrote"))
    }
    const durable = await openDurableExecutor({ store: store(), registry: registryOf({ write }) })
    onTestFinished(() => durable.close())
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await durable.enqueue([{ callId: "a", name: "write", decision: "requested" }], { truncated: true })
    await client.enqueue([{ callId: "b", name: "write" }], { truncated: true })
    durable.executor.enqueue([{ callId: "c", name: "write" }], { truncated: true })
    const open = new Set(["a", "b", "c"])
    for await (const event of client.events()) {
      if (!("callId" in event)) continue
      expect(event).toMatchObject({ _tag: "Error", reason: "truncated" })
      open.delete(event.callId)
      if (open.size === 0) break
    }
    expect(await client.inbox()).toEqual([])
    expect(log).toEqual([])
    await expect(client.enqueue([], { truncated: 1 as never })).rejects.toThrow(TypeError)
  })
})
