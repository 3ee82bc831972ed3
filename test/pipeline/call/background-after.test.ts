import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { never } from "../../support/deferred.ts"
import { toolOf } from "../../support/executor-of.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const tags = async (executor: { next(): Promise<{ _tag: string } | undefined> }, count: number) => {
  const told: Array<string> = []
  while (told.length < count) told.push((await executor.next())!._tag)
  return told
}

describe("backgroundAfter", () => {
  const stuck = pipeline().andThen(() => never())

  it("makes a call that still runs then a background task, and its lane moves on", async () => {
    const { executor, advance } = await virtualTime(
      { slow: stuck, quick: pipeline().andThen(() => Step.Output("done")) },
      { backgroundAfter: "10 seconds" },
    )
    executor.enqueue([
      { callId: "a", name: "slow" },
      { callId: "b", name: "quick" },
    ])
    await advance("9 seconds")
    expect(executor.inspect().map(({ callId, background }) => [callId, background])).toEqual([
      ["a", false],
      ["b", false],
    ])
    await advance("1 second")
    expect(await tags(executor, 4)).toEqual(["Started", "BackgroundStarted", "Started", "Completed"])
    expect(executor.tasks.get("a")).toMatchObject({ status: "running" })
  })

  it("answers `run` with the task", async () => {
    const { executor, advance } = await virtualTime({ slow: stuck }, { backgroundAfter: 50 })
    const result = executor.run({ callId: "a", name: "slow" })
    await advance(50)
    expect(await result).toMatchObject({ status: "background", taskId: "a" })
  })

  it("counts the time that it runs: not that at a gate", async () => {
    const { executor, advance } = await virtualTime(
      {
        gated: pipeline()
          .awaitApproval()
          .andThen(() => never()),
      },
      { backgroundAfter: "10 seconds" },
    )
    executor.enqueue([{ callId: "a", name: "gated" }])
    await advance("1 hour")
    expect(executor.inspect()).toMatchObject([{ background: false, waitingFor: "approval" }])
    executor.approve("a")
    await advance("9 seconds")
    expect(executor.inspect()).toMatchObject([{ background: false }])
    await advance("1 second")
    expect(executor.inspect()).toMatchObject([{ background: true }])
  })

  it("leaves a call alone whose tool stays in the foreground: that has its time-out", async () => {
    const { executor, advance } = await virtualTime(
      { stays: toolOf("stays", stuck, { background: false }) },
      { backgroundAfter: "10 seconds", callTimeout: "20 seconds" },
    )
    const result = executor.run({ callId: "a", name: "stays" })
    await advance("10 seconds")
    expect(executor.inspect()).toMatchObject([{ background: false }])
    await advance("10 seconds")
    expect(await result).toMatchObject({ status: "error", reason: "timeout" })
  })

  it("gives a task its own time, and a shorter `callTimeout` comes first", async () => {
    const moved = await virtualTime(
      { slow: stuck },
      { backgroundAfter: "10 seconds", callTimeout: "20 seconds", taskTimeout: "1 minute" },
    )
    moved.executor.enqueue([{ callId: "a", name: "slow" }])
    await moved.advance("69 seconds")
    expect(moved.executor.tasks.get("a")).toMatchObject({ status: "running" })
    await moved.advance("1 second")
    expect(moved.executor.tasks.get("a")).toMatchObject({ status: "error", reason: "timeout" })

    const late = await virtualTime(
      { slow: stuck },
      { backgroundAfter: "10 seconds", callTimeout: "5 seconds" },
    )
    const result = late.executor.run({ name: "slow" })
    await late.advance("5 seconds")
    expect(await result).toMatchObject({ status: "error", reason: "timeout" })
  })
})
