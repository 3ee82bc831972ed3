import { describe, expect, it } from "vitest"
import { type HandlerContext, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"

describe("meta", () => {
  it("is the host's, for handlers and hooks", async () => {
    const seen: Array<unknown> = []
    const executor = executorOf(
      {
        tool: pipeline().andThen(({ meta }) => {
          seen.push(meta)
          return Step.Continue
        }),
      },
      {
        hooks: {
          beforeCall: ({ meta }) => {
            seen.push(meta)
            return undefined
          },
        },
      },
    )
    await executor.run({ name: "tool", meta: { user: "u1" } })
    await executor.run({ name: "tool" })
    expect(seen).toEqual([{ user: "u1" }, { user: "u1" }, undefined, undefined])
  })

  it("is refused where it is no object", () => {
    const executor = executorOf({})
    expect(() => executor.enqueue([{ name: "tool", meta: "x" as never }])).toThrow(
      "Expected `meta` of a call to be an object, got `x` (string)",
    )
  })
})

describe("idempotencyKey", () => {
  const keysOf = () => {
    const keys: Array<string> = []
    const note = ({ idempotencyKey }: HandlerContext) => {
      keys.push(idempotencyKey)
      return Step.Continue
    }
    return { keys, note }
  }

  it("names call, attempt and part", async () => {
    const { keys, note } = keysOf()
    const tool = pipeline().andThen(note).awaitApproval().andThen(note).finally(note)
    const host = new ScriptedHost(executorOf({ tool }), { gate: { params: { edited: true } } })
    await host.run([{ callId: "c", name: "tool" }])
    expect(keys).toEqual(["c/0/0", "c/0/finally 0", "c/1/0", "c/1/2", "c/1/finally 0"])
  })

  it("is the same where the call goes on in another executor", async () => {
    const { keys, note } = keysOf()
    const tool = pipeline()
      .andThen(note)
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
      .andThen(note)
    const first = executorOf({ tool })
    const host = new ScriptedHost(first)
    first.enqueue([{ callId: "c", name: "tool" }])
    const asked = await host.until(is("Delegate"))
    const snapshot = first.snapshot("c")
    asked.succeed()
    await host.run()
    const here = [...keys]
    keys.length = 0
    const second = executorOf({ tool })
    second.restore(snapshot)
    await new ScriptedHost(second).run()
    expect(here).toEqual(["c/0/0", "c/0/2"])
    expect(keys).toEqual(["c/0/2"])
  })
})

describe("a call's lane", () => {
  const tool = pipeline().awaitApproval()

  it("is its agent's own by default, or the one it names", async () => {
    const executor = executorOf({ tool })
    executor.enqueue([
      { callId: "a", name: "tool", agentId: "x" },
      { callId: "b", name: "tool", agentId: "x", lane: "other" },
      { callId: "c", name: "tool", agentId: "y", lane: "other" },
    ])
    const events = [
      await executor.next(),
      await executor.next(),
      await executor.next(),
      await executor.next(),
    ]
    expect(trail(events.filter((event) => event !== undefined)).toSorted()).toEqual([
      "a AwaitingApproval",
      "a Started",
      "b AwaitingApproval",
      "b Started",
    ])
    expect(executor.inspect().map(({ state }) => state)).toEqual(["waiting", "waiting", "queued"])
    executor.approve("b")
    const then = [await executor.next(), await executor.next()]
    expect(trail(then.filter((event) => event !== undefined))).toEqual(["b Completed", "c Started"])
  })

  it("is refused where it is no string", () => {
    expect(() => executorOf({}).enqueue([{ name: "tool", lane: 1 as never }])).toThrow(
      "Expected `lane` of a call to be a string, got `1` (number)",
    )
  })
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, "1", null])("a `priority` of %j is refused", (priority) => {
  expect(() => executorOf({}).enqueue([{ name: "tool", priority: priority as never }])).toThrow(
    "Expected `priority` of a call to be a finite number, got ",
  )
})
