// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

const gated = pipeline()
  .awaitApproval({ timeout: "2 seconds", warn: "1800 millis", onTimeout: "escalate" })
  .andThen(() => Step.Output("ran"))

describeStores("The time of a gate", (_path, store) => {
  it("goes on across a restart: it is warned of once, escalated once, and denied", async () => {
    const escalated: Array<string> = []
    const options = { onEscalate: ({ callId }: { readonly callId: string }) => void escalated.push(callId) }
    let durable = await durableOf(store(), { gated }, options)
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await durable.enqueue([{ callId: "a", name: "gated" }])
    const expiring: Array<unknown> = []
    for await (const event of client.events()) {
      if (event._tag === "GateExpiring") {
        expiring.push(event)
        if (expiring.length > 2) break
        const [item] = await client.inbox()
        expect(item?.deadline).toBe(item!.askedAt! + 4000)
        await durable.close()
        durable = await durableOf(store(), { gated }, options)
      }
      if (event._tag === "Denied") {
        expect(event).toMatchObject({ by: "expired", content: "Denied: nobody decided within 4 seconds" })
        break
      }
    }
    expect(expiring).toHaveLength(2)
    expect(expiring[1]).toMatchObject({ escalated: true })
    expect(escalated).toEqual(["a"])
  })
})
