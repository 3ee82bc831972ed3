// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { type DurableExecutor, type DurableOptions, openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step, type ToolOptions } from "../../src/index.ts"
import { until } from "../support/deferred.ts"
import { registryOf, toolOf } from "../support/executor-of.ts"
import { describeStores, isShared } from "./stores.ts"

const log: Array<string> = []
/** Ends the handlers of these calls. */
const go = new Set<string>()

const keyed: Partial<ToolOptions<object>> = {
  idempotencyKey: ({ order }: Record<string, unknown>) => order as string | undefined,
}

const pay = (options = keyed) =>
  toolOf(
    "pay",
    ({ waits, fails, order }, { callId }) =>
      pipeline().andThen(async ({ signal }) => {
        log.push(callId)
        if (waits) await until(() => go.has(callId) || signal.aborted)
        return fails ? Step.Error("No money") : Step.Output(`${callId} paid ${order}`)
      }),
    options as never,
  )

const opened = async (
  store: string,
  options: DurableOptions = {},
  tool = pay(),
): Promise<DurableExecutor> => {
  const durable = await openDurableExecutor({ store, registry: registryOf({ pay: tool }), ...options })
  onTestFinished(() => durable.close())
  log.length = 0
  go.clear()
  return durable
}

const call = (callId: string, more: object = {}) => ({
  callId,
  name: "pay",
  agentId: callId,
  params: { order: "1", ...more },
})

describeStores("A result with an idempotency key", (_path, store) => {
  it("answers calls in the next process", async () => {
    const first = await opened(store())
    await first.executor.run(call("a"))
    expect(await first.executor.run(call("b"))).toMatchObject({ content: "a paid 1", deduplicated: true })
    await first.close()
    const second = await opened(store())
    expect(await second.executor.run(call("c"))).toMatchObject({ content: "a paid 1", deduplicated: true })
    expect(await second.result("c")).toMatchObject({ _tag: "Completed", deduplicated: true })
    expect((await second.executor.decide(call("d"))).verdict).toBe("run")
    expect(log).toEqual([])
  })

  it("answers for its time only, and no failure answers", async () => {
    const durable = await opened(store(), {}, pay({ ...keyed, idempotencyTtl: 30 }))
    expect((await durable.executor.run(call("a", { fails: true }))).isError).toBe(true)
    expect(await durable.executor.run(call("b"))).toMatchObject({ content: "b paid 1" })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await durable.executor.run(call("c"))).toMatchObject({ content: "c paid 1" })
    expect(log).toEqual(["a", "b", "c"])
  })

  it("is waited for where its call goes on in the next process", async () => {
    const first = await opened(store())
    first.executor.run(call("a", { waits: true })).catch(() => undefined)
    await until(() => log.length === 1)
    await first.close()
    const second = await opened(store())
    const other = second.executor.run(call("b"))
    await until(() => log.length === 1)
    go.add("a")
    expect(await other).toMatchObject({ content: "a paid 1", deduplicated: true })
    expect(log).toEqual(["a"])
  })

  it("is waited for where its call runs in another process, and the next one runs where that fails", async () => {
    if (!isShared(store())) return
    const [first, second] = [await opened(store()), await opened(store())]
    const running = first.executor.run(call("a", { waits: true, fails: true }))
    await until(() => log.length === 1)
    const others = [second.executor.run(call("b", { waits: true })), second.executor.run(call("c"))]
    const cancelled = second.executor.run(call("d"))
    const local = first.executor.run(call("e", { order: "2" }))
    expect(await local).toMatchObject({ content: "e paid 2" })
    second.executor.cancelCall("d")
    expect((await cancelled).status).toBe("cancelled")
    go.add("a")
    expect((await running).isError).toBe(true)
    await until(() => log.length === 3)
    go.add("b")
    expect(await Promise.all(others)).toMatchObject([
      { content: "b paid 1" },
      { content: "b paid 1", deduplicated: true },
    ])
    expect(await first.executor.run(call("f"))).toMatchObject({ content: "b paid 1", deduplicated: true })
    expect(log).toEqual(["a", "e", "b"])
  })

  it("is not waited for where its process has died before it stored the call", async () => {
    if (!isShared(store())) return
    const durable = await opened(store())
    const { connectSql } = await import("../../src/durable/postgres/sql.ts")
    const { takeKey } = await import("../../src/durable/postgres/call-keys.ts")
    const sql = await connectSql(store(), 1)
    onTestFinished(() => sql.end())
    const { createHash } = await import("node:crypto")
    const key = createHash("sha256")
      .update(JSON.stringify(["pay", "1"]))
      .digest("base64")
    expect(await takeKey(sql, 999_999, key, "lost")).toBe(true)
    expect(await durable.executor.run(call("a"))).toMatchObject({ content: "a paid 1" })
  })
})
