import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent, textOf } from "../../src/index.ts"
import { turn } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"

const gated = pipeline()
  .awaitApproval()
  .andThen(async function* () {
    yield Step.Delta("…")
    yield Step.Output("done")
  })

describe("runEvents", () => {
  it("gives the call's events, then its result", async () => {
    const executor = executorOf({ gated })
    const events = executor.runEvents({ name: "gated" })
    const tags: Array<ToolEvent["_tag"]> = []
    let next = await events.next()
    while (!next.done) {
      tags.push(next.value._tag)
      if (next.value._tag === "AwaitingApproval") next.value.approve()
      next = await events.next()
    }
    expect(tags).toEqual(["Started", "AwaitingApproval", "Delta", "Completed"])
    expect(next.value).toMatchObject({ status: "complete", content: "done" })
    expect(await executor.next()).toBeUndefined()
  })

  it("enqueues nothing before its first event is asked for", async () => {
    const executor = executorOf({ gated })
    const events = executor.runEvents({ name: "gated" })
    expect(executor.inspect()).toEqual([])
    await events.return(undefined as never)
    expect(executor.inspect()).toEqual([])
  })

  it("cancels the call of whoever leaves the loop, and waits for its cleanup", async () => {
    const log: Array<string> = []
    const asking = gated.finally(async ({ delegate }) => {
      await delegate({ _tag: "Close" }).catch((error: Error) => log.push(error.message))
      return Step.Continue
    })
    const executor = executorOf({ asking })
    for await (const event of executor.runEvents({ name: "asking" })) {
      if (event._tag === "AwaitingApproval") break
    }
    expect(log).toEqual(["Nobody reads the events of this call any more"])
    expect(executor.inspect()).toEqual([])
  })

  it("tells a background call to the end of its task", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Output("done")) })
    const tags: Array<ToolEvent["_tag"]> = []
    for await (const { _tag } of executor.runEvents({ name: "tool", background: true })) tags.push(_tag)
    expect(tags).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
  })

  it("throws once the call is over where its signal is aborted", async () => {
    const executor = executorOf({ gated })
    const controller = new AbortController()
    const told: Array<ToolEvent["_tag"]> = []
    const reading = (async () => {
      for await (const { _tag } of executor.runEvents({ name: "gated" }, { signal: controller.signal })) {
        told.push(_tag)
        if (_tag === "AwaitingApproval") controller.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ name: "AbortError" })
    expect(told).toEqual(["Started", "AwaitingApproval", "Cancelled"])
    await expect(
      executor.runEvents({ name: "gated" }, { signal: controller.signal }).next(),
    ).rejects.toMatchObject({ name: "AbortError" })
  })

  it("leaves a question that was read to its reader while the executor shuts down", async () => {
    const answers: Array<string> = []
    const asking = pipeline().finally(async ({ delegate }) => {
      const answer = await delegate({ _tag: "Close" })
      answers.push(textOf(answer))
      return Step.Continue
    })
    const executor = executorOf({ asking, other: pipeline() })
    executor.enqueue(Array.from({ length: 5 }, () => ({ name: "other", agentId: "b" })))
    let down: Promise<void> | undefined
    for await (const event of executor.runEvents({ name: "asking" })) {
      if (event._tag !== "Delegate") continue
      down = executor.shutdown()
      await turn()
      event.succeed("closed")
    }
    await down
    expect(answers).toEqual(["closed"])
  })
})
