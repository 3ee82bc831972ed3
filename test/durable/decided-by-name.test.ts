// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { type DurableCalls, openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: Number.POSITIVE_INFINITY }))

const untilAsked = async (calls: DurableCalls, callId: string, kind: string) => {
  for (;;) {
    const item = (await calls.inbox()).find((one) => one.callId === callId && one.kind === kind)
    if (item !== undefined) return item
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const untilResult = async (calls: DurableCalls, callId: string) => {
  for await (const event of calls.events()) {
    const isEnd = event._tag === "Completed" || event._tag === "Denied"
    if (isEnd && event.callId === callId) return event
  }
}

describeStores("An answer by somebody who is named", (_path, store) => {
  it("is in the store, from a client and from before a restart", async () => {
    const first = await durableOf(store(), { gated })
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await first.enqueue([
      { callId: "a", name: "gated" },
      { callId: "d", name: "gated", agentId: "other" },
      { callId: "r", name: "gated", agentId: "third" },
    ])
    const item = await untilAsked(client, "d", "approval")
    expect(await client.deny("d", "no", { ...item, kind: "effect", by: "ann" })).toBe(false)
    expect(await client.deny("d", "no", { ...item, by: "ann" })).toBe(true)
    expect(await untilResult(client, "d")).toMatchObject({
      _tag: "Denied",
      decidedBy: { kind: "user", id: "ann", reason: "no" },
    })
    await untilAsked(client, "a", "approval")
    expect(await client.approve("a", { by: "ann" })).toBe(true)
    await untilAsked(first, "r", "approval")
    expect(await first.approve("r")).toBe(true)
    await untilAsked(client, "r", "effect")
    await untilAsked(client, "a", "effect")
    await first.close()

    const second = await durableOf(store(), { gated })
    expect(await client.respond("a", { output: "done" }, { by: "bob" })).toBe(true)
    expect(await second.respond("r", { output: "done" }, { by: "bob" })).toBe(true)
    expect((await untilResult(second, "a"))?.decidedBy).toEqual({ kind: "user", id: "ann" })
    expect((await untilResult(second, "r"))?.decidedBy).toEqual({ kind: "user" })
    await expect(client.approve("a", { by: "" })).rejects.toThrow(TypeError)
    await expect(client.deny("a", "no", { by: 5 as never })).rejects.toThrow(TypeError)
    await expect(client.respond("a", {}, { by: "" })).rejects.toThrow(TypeError)
  })

  it("is in the store, also of a preview that a client applies", async () => {
    const staging = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(() => Step.Output("changed"))
    const first = await durableOf(store(), { staging })
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await first.enqueue([{ callId: "s", name: "staging" }])
    await untilResult(client, "s")
    expect(await client.resolve({ action: "apply", reason: "so" }, { by: "ann" })).toBe(true)
    for await (const event of client.events()) {
      if (event._tag !== "ActionResolved") continue
      expect(event).toMatchObject({ outcome: "applied", decidedBy: { kind: "user", id: "ann" } })
      break
    }
    await expect(client.resolve({ action: "apply", reason: "so" }, { by: "" })).rejects.toThrow(TypeError)
  })
})
