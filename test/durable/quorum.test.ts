// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { type DurableCalls, openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

const gated = pipeline()
  .awaitApproval({ quorum: 2, approvers: (by) => by !== "eve" })
  .andThen(() => Step.Output("ran"))

const untilAsked = async (calls: DurableCalls) => {
  for (;;) {
    const [item] = await calls.inbox()
    if (item !== undefined) return item
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describeStores("A gate that several have to approve", (_path, store) => {
  it("keeps its votes across a restart", async () => {
    const first = await durableOf(store(), { gated })
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await first.enqueue([{ callId: "a", name: "gated" }])
    expect(await untilAsked(client)).toMatchObject({ person: true, named: true, quorum: 2 })
    expect(await client.approve("a", { by: "eve" })).toBe(false)
    expect(await client.answer([{ callId: "a", approve: true }], { by: "eve" })).toEqual([
      { callId: "a", took: false, why: 'eve may not answer "a".' },
    ])
    expect(await client.approve("a", { by: "ann" })).toBe(true)
    expect(await untilAsked(client)).toMatchObject({ approvedBy: ["ann"] })
    await first.close()

    const second = await durableOf(store(), { gated })
    expect(await second.approve("a", { by: "ann" })).toBe(false)
    expect(await untilAsked(client)).toMatchObject({ approvedBy: ["ann"], quorum: 2 })
    expect(await client.approve("a", { by: "bob" })).toBe(true)
    for await (const event of client.events()) {
      if (event._tag !== "Completed") continue
      expect(event.decidedBy).toEqual({ kind: "user", id: "bob", approvedBy: ["ann", "bob"] })
      break
    }
  })
})
