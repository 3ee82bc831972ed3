import { expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { ToolRegistry } from "../../src/index.ts"
import { note } from "../hosts/web/tools.ts"
import { describeStores } from "./stores.ts"

describeStores("an answer that comes while nobody runs the calls", (_path, storeOf) => {
  it("counts once somebody does", async () => {
    const store = storeOf()
    const open = () => openDurableExecutor({ store, registry: new ToolRegistry([note]) })
    const first = await open()
    await first.enqueue([{ callId: "a", name: "note", params: { text: "a" } }])
    for await (const event of first.events()) if (event._tag === "AwaitingApproval") break
    const client = await openDurableExecutor({ store, runner: false })
    await first.close()
    const took = client.approve("a")
    const second = await open()
    expect(await took).toBe(true)
    await client.close()
    await second.close()
  })
})
