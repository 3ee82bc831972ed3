// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { type DurableExecutor, openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { registryOf } from "../support/executor-of.ts"
import { describeStores } from "./stores.ts"

/** With what no column of text holds as it is. */
const long = `${"é".repeat(40_000)}\0\ud800${"b".repeat(40_000)}`

const opened = async (store: string): Promise<DurableExecutor> => {
  const registry = registryOf({ long: pipeline().andThen(() => Step.Output(long)) })
  const durable = await openDurableExecutor({ store, registry })
  onTestFinished(() => durable.close())
  return durable
}

describeStores("A result that was cut", (_path, store) => {
  it("is read on in the next process, by its agent alone", async () => {
    const first = await opened(store())
    const { content, bounded } = await first.executor.run({ callId: "a", name: "long" })
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000)
    expect(bounded).toEqual({ bytes: Buffer.byteLength(long), callId: "a" })
    expect(await first.result("a")).toMatchObject({ content, bounded })
    const readBy = ({ executor }: DurableExecutor, agentId: string) =>
      executor.run({ name: "read_result", params: { call_id: "a", offset: 79_990, limit: 20 }, agentId })
    const told = `${"é".repeat(5)}\0\uFFFD${"b".repeat(6)}`
    expect((await readBy(first, "main")).content).toContain(`${told}\n[… up to byte`)
    await first.close()
    const second = await opened(store())
    expect(
      second.executor
        .agent("main")
        .definitions()
        .map(({ name }) => name),
    ).toEqual(["long", "read_result"])
    expect((await readBy(second, "main")).content).toContain(`${told}\n[… up to byte`)
    expect(await readBy(second, "other")).toMatchObject({ isError: true })
    const again = await second.executor.run({ callId: "b", name: "long", background: true })
    expect(again.status).toBe("background")
    expect(await second.executor.tasks.wait("b")).toMatchObject({ bounded: { callId: "b" } })
  })
})
