// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import { type DurableCalls, openDurableExecutor } from "../../src/durable/index.ts"
import { type AwaitingApprovalEvent, pipeline, Step } from "../../src/index.ts"
import { durableOf } from "./durable-of.ts"
import { describeStores } from "./stores.ts"

const twice = pipeline()
  .awaitApproval({ label: "first" })
  .awaitApproval({ label: "second" })
  .andThen(() => Step.Output("ran"))

/** The items of the inbox, once there are so many with this label. */
const asked = async (calls: DurableCalls, label: string, count: number) => {
  for (;;) {
    const items = (await calls.inbox()).filter((item) => item.label === label)
    if (items.length === count) return items
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const call = (callId: string) => ({ callId, name: "twice", agentId: callId })

describeStores("A list of answers", (_path, store) => {
  it("knows the question of a restored call, of which a watcher is told once", async () => {
    const before = await durableOf(store(), { twice })
    await before.enqueue([call("a")])
    await asked(before, "first", 1)
    await before.close()
    const { executor } = await durableOf(store(), { twice })
    const told: Array<AwaitingApprovalEvent> = []
    executor.watch({ event: (event) => event._tag === "AwaitingApproval" && told.push(event) })
    await expect.poll(() => told.length).toBe(1)
    // It is the one that the call asks in this process.
    expect(told[0]!.seq).toBeGreaterThan(0)
    expect(executor.answer([{ callId: "a", question: told[0]!, approve: true }])).toEqual([
      { callId: "a", took: true },
    ])
    await expect.poll(() => told.map(({ label }) => label)).toEqual(["first", "second"])
  })

  it("is taken by the process that runs the calls, and by a client", async () => {
    const durable = await durableOf(store(), { twice })
    const client = await openDurableExecutor({ store: store(), runner: false })
    onTestFinished(() => client.close())
    await durable.enqueue([call("a"), call("b"), call("c")])
    const items = await asked(client, "first", 3)
    const all = items.map((question) => ({ callId: question.callId, question, approve: true }) as const)
    const fromClient = await client.answer(
      [...all, { callId: "a", deny: true }, { callId: "x", deny: true }],
      {
        by: "ann",
      },
    )
    expect(fromClient).toEqual([
      ...items.map(({ callId }) => ({ callId, took: true })),
      { callId: "a", took: false, why: expect.stringMatching(/^The list has an answer to "a" already/) },
      { callId: "x", took: false, why: expect.stringMatching(/^There is no call "x"/) },
    ])
    const late = [expect.stringMatching(/does not ask this question any more/)]
    await asked(client, "second", 3)
    expect((await durable.answer(all)).map(({ why }) => why)).toEqual([...late, ...late, ...late])
    const outcomes = await durable.answer(
      [
        { callId: "a", approve: true },
        { callId: "b", deny: "No" },
      ],
      { by: "bob" },
    )
    expect(outcomes).toEqual([
      { callId: "a", took: true },
      { callId: "b", took: true },
    ])
    for await (const event of client.events()) {
      if (event._tag === "Denied") expect(event.decidedBy).toEqual({ kind: "user", id: "bob", reason: "No" })
      if (event._tag === "Completed") {
        expect(event.decidedBy).toEqual({ kind: "user", id: "bob" })
        break
      }
    }
    await expect(
      client.answer([{ callId: "c", approve: true, question: { seq: 1 } as never }]),
    ).rejects.toThrow(TypeError)
  })
})
