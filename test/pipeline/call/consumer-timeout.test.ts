import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import { virtualTime } from "../../support/virtual-time.ts"

/** Streams three deltas, of which the buffer of the test takes one, and awaits each. */
const awaiting = pipeline().andThen(async ({ delta }) => {
  for (const text of ["a", "b", "c"]) await delta(text)
  return Step.Output("done")
})

const yielding = pipeline().andThen(async function* () {
  for (const text of ["a", "b", "c"]) yield Step.Delta(text)
  yield Step.Output("done")
})

describe.each([
  ["delta", awaiting],
  ["Step.Delta", yielding],
])("a handler that waits for its consumer, by %s,", (_way, plan) => {
  it("uses none of its `callTimeout`", async () => {
    const { executor, advance } = await virtualTime(
      { tool: plan },
      { eventBuffer: 1, callTimeout: "1 second" },
    )
    executor.enqueue([{ name: "tool" }])
    await advance("1 hour")
    expect(executor.inspect()).toHaveLength(1)
    const told: Array<string> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next())
      told.push(event._tag)
    expect(told).toEqual(["Started", "Delta", "Delta", "Delta", "Completed"])
  })

  it("waits `consumerTimeout` at most", async () => {
    const { executor, advance } = await virtualTime(
      { tool: plan },
      { eventBuffer: 1, callTimeout: "1 second", consumerTimeout: "1 minute" },
    )
    executor.enqueue([{ callId: "c", name: "tool" }])
    await advance("59 seconds")
    expect(executor.inspect()).toHaveLength(1)
    await advance("1 second")
    expect(executor.inspect()).toEqual([])
    let last: unknown
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) last = event
    expect(last).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      content: expect.stringMatching(/^The consumer did not read what the call streams within 1 minute/),
    })
  })
})

describe("a handler that does not wait for its consumer", () => {
  it("has its `callTimeout`, whatever it streams", async () => {
    const { executor, advance } = await virtualTime(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          for (const text of ["a", "b", "c"]) void delta(text)
          await deferred().promise
          return Step.Continue
        }),
      },
      { eventBuffer: 1, callTimeout: "1 second" },
    )
    executor.enqueue([{ name: "tool" }])
    await advance("1 second")
    expect(executor.inspect()).toEqual([])
  })

  it("goes on with the time that was left once its consumer has room", async () => {
    const { executor, advance } = await virtualTime(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          await delta("a")
          await delta("b")
          await deferred().promise
          return Step.Continue
        }),
      },
      { eventBuffer: 1, callTimeout: "10 seconds" },
    )
    executor.enqueue([{ name: "tool" }])
    await advance("1 hour")
    await executor.next()
    await executor.next()
    await executor.next()
    await advance("9 seconds")
    expect(executor.inspect()).toHaveLength(1)
    await advance("1 second")
    expect(executor.inspect()).toEqual([])
  })
})
