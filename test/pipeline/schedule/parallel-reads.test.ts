import { describe, expect, it } from "vitest"
import type { ToolExecutor, ToolPipeline } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { turn, until } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { readsRound } from "./reads/round.ts"

const readOnly = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const reading = (plan: ToolPipeline) => toolOf("read", plan, { annotations: readOnly })

const ends = async (executor: ToolExecutor): Promise<void> => {
  while ((await executor.next()) !== undefined) {}
}

describe("parallelReads", () => {
  const lane = (options = { parallelReads: true }) => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ read: reading(plan), write: plan }, options)
    const call = (callId: string) => ({ callId, name: callId.startsWith("r") ? "read" : "write" })
    const enqueue = (...ids: ReadonlyArray<string>) => executor.enqueue(ids.map(call))
    return { executor, enqueue, running, release }
  }

  it("is off unless asked for", async () => {
    const { enqueue, running, release } = lane({ parallelReads: false })
    enqueue("r1", "r2")
    await turn()
    expect(running).toEqual(["r1"])
    release("r1")
    await until(() => running.includes("r2"))
    release("r2")
  })

  it("runs reads together; a write waits for them, and they for it", async () => {
    const { executor, enqueue, running, release } = lane()
    enqueue("r1", "r2", "w1", "r3", "r4", "w2", "w3")
    await turn()
    expect(running).toEqual(["r1", "r2"])
    release("r2")
    await turn()
    expect(running).toEqual(["r1"])
    release("r1")
    await turn()
    expect(running).toEqual(["w1"])
    enqueue("r5")
    release("w1")
    await turn()
    expect(running).toEqual(["r3", "r4"])
    release("r3")
    release("r4")
    await turn()
    expect(running).toEqual(["w2"])
    release("w2")
    await turn()
    expect(running).toEqual(["w3"])
    release("w3")
    await turn()
    expect(running).toEqual(["r5"])
    release("r5")
    await ends(executor)
  })

  it("lets a read that comes later join those that run, unless a write waits", async () => {
    const { executor, enqueue, running, release } = lane()
    enqueue("r1")
    await turn()
    enqueue("r2")
    await turn()
    expect(running).toEqual(["r1", "r2"])
    enqueue("w1", "r3")
    await turn()
    expect(running).toEqual(["r1", "r2"])
    for (const id of ["r1", "r2"]) release(id)
    await turn()
    release("w1")
    await turn()
    expect(running).toEqual(["r3"])
    release("r3")
    await ends(executor)
  })

  it("runs a hundred reads at once, and each tells its events in their order", async () => {
    const { executor, enqueue, running, release } = lane()
    const ids = Array.from({ length: 100 }, (_, i) => `r${i}`)
    enqueue(...ids)
    await until(() => running.length === 100)
    for (const id of ids.toReversed()) release(id)
    const told = new Map<string, Array<string>>()
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      if (!("callId" in event)) continue
      told.set(event.callId, [...(told.get(event.callId) ?? []), event._tag])
    }
    for (const id of ids) expect(told.get(id)).toEqual(["Started", "Completed"])
  })

  it("goes on when reads and writes are cancelled wherever they are", async () => {
    const { executor, enqueue, running, release } = lane()
    enqueue("r1", "r2", "w1", "r3")
    await turn()
    executor.cancelCall("w1")
    await turn()
    expect(running).toEqual(["r1", "r2", "r3"])
    executor.cancelCall("r1")
    await turn()
    release("r2")
    release("r3")
    await ends(executor)
  })

  const path = useTempFolder()

  it("lets no read see a later write, or miss an earlier one, and tells each call in its order", async () => {
    const { calls, completed, together, faults } = await readsRound({ seed: 1, calls: 3000, folder: path() })
    expect(faults).toEqual([])
    expect(calls).toBe(3000)
    expect(together).toBeGreaterThan(10)
    expect(Object.keys(completed).toSorted()).toEqual([
      "read",
      "read_effect",
      "read_gated",
      "read_streaming",
      "write",
      "write_finally",
      "write_gated",
    ])
  })

  it("is found out where a tool writes and says that it only reads", async () => {
    const { faults } = await readsRound({ seed: 1, calls: 1000, folder: path(), lying: true })
    expect(faults.join("\n")).toMatch(/read "\d+" behind \d+ writes, not "\d+"/)
  })
})
