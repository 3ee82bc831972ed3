// @module-tag waits
/** What a store keeps of a call that was denied before it started. */
import { expect, it } from "vitest"
import { pipeline, ToolFilters } from "../../src/index.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

describeStores("A call that a rule denies before it starts", (_path, store) => {
  const filters = ToolFilters.compile({ tool: { deny: [".*"] } }, { source: "rules.toml" })
  const deniedOf = async (params: unknown) => {
    const durable = await durableOf(store(), { tool: pipeline().awaitApproval() }, { filters })
    durable.executor.enqueue([{ callId: "a", name: "tool", params }])
    await untilTag(durable, "Denied")
    return durable.result("a")
  }

  it("is stored with its parameters", async () => {
    expect(await deniedOf({ path: "a" })).toMatchObject({ _tag: "Denied", params: { path: "a" } })
  })

  it("is stored without those that are no JSON, and with its reason", async () => {
    const denied = await deniedOf({ number: 1n })
    expect(denied).toMatchObject({
      content: "Denied by policy: a rule forbids this call of tool",
      decidedBy: { kind: "rule", rule: ".*", source: "rules.toml" },
    })
    expect(denied).not.toHaveProperty("params")
  })
})
