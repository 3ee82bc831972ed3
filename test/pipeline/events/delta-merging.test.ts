import { describe, expect, it } from "vitest"
import {
  type HandlerContext,
  pipeline,
  type Step,
  type ToolEvent,
  type ToolExecutor,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { numbers, streaming, textOfDeltas } from "../../support/streaming-tool.ts"

/** Reads what is undelivered and nothing that comes later. */
const undelivered = async (executor: ToolExecutor): Promise<Array<ToolEvent>> => {
  await executor.shutdown()
  const events: Array<ToolEvent> = []
  for await (const event of executor.events) events.push(event)
  return events
}

describe("deltas past the buffer that nobody awaits", () => {
  /** Streams without awaiting, then waits for the test. */
  const flooding = (count: number, text = (i: number) => `${i};`) => {
    const flooded = deferred()
    const plan = pipeline().andThen(({ delta }: HandlerContext) => {
      for (let i = 0; i < count; i++) void delta(text(i))
      flooded.resolve()
      return never<Step>()
    })
    return { plan, flooded: flooded.promise }
  }

  it("merge into the call's last undelivered one, and lose nothing while they are small", async () => {
    const { plan, flooded } = flooding(100)
    const executor = executorOf({ tool: plan }, { eventBuffer: 4 })
    executor.enqueue([{ name: "tool" }])
    await flooded
    const events = await undelivered(executor)
    expect(events.map((event) => event._tag)).toEqual([
      "Started",
      "Delta",
      "Delta",
      "Delta",
      "Delta",
      "Cancelled",
    ])
    expect(textOfDeltas(events)).toBe(numbers(100))
  })

  it("do not merge into another call's", async () => {
    const [first, second] = [flooding(10, (i) => `a${i};`), flooding(10, (i) => `b${i};`)]
    const executor = executorOf({ first: first.plan, second: second.plan }, { eventBuffer: 2 })
    executor.enqueue([
      { agentId: "a", callId: "a", name: "first" },
      { agentId: "b", callId: "b", name: "second" },
    ])
    await Promise.all([first.flooded, second.flooded])
    const events = await undelivered(executor)
    for (const id of ["a", "b"]) {
      expect(textOfDeltas(events, id)).toBe(Array.from({ length: 10 }, (_, i) => `${id}${i};`).join(""))
    }
    expect(events.filter(is("Delta")).length).toBeLessThanOrEqual(3)
  })

  it("do not change a delta that was delivered", async () => {
    const resume = deferred()
    const executor = executorOf(
      {
        tool: pipeline().andThen(async ({ delta }) => {
          void delta("one")
          await resume.promise
          void delta("two")
          void delta("three")
          return never<Step>()
        }),
      },
      { eventBuffer: 1 },
    )
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }])
    const first = await host.until(is("Delta"))
    resume.resolve()
    await turn()
    expect(first.content).toBe("one")
    expect(textOfDeltas(await undelivered(executor))).toBe("twothree")
  })

  it("do not change a delta that was delivered, also while another call's fill the buffer", async () => {
    const resume = deferred()
    const executor = executorOf(
      {
        reads: pipeline().andThen(async ({ delta }) => {
          void delta("one")
          await resume.promise
          void delta("two")
          return never<Step>()
        }),
        fills: pipeline().andThen(({ delta }) => {
          void delta("filled")
          return never<Step>()
        }),
      },
      { eventBuffer: 1 },
    )
    const host = new ScriptedHost(executor)
    executor.enqueue([{ agentId: "a", callId: "a", name: "reads" }])
    const first = await host.until(is("Delta"))
    executor.enqueue([{ agentId: "b", callId: "b", name: "fills" }])
    await turn()
    resume.resolve()
    await turn()
    expect(first.content).toBe("one")
    const events = await undelivered(executor)
    expect(textOfDeltas(events, "a")).toBe("two")
    expect(textOfDeltas(events, "b")).toBe("filled")
  })

  it("are truncated: what is undelivered stays bounded, and ends with what came last", async () => {
    const count = 20_000
    const line = (i: number) => `${String(i).padStart(99, " ")}\n`
    const { plan, flooded } = flooding(count, line)
    const executor = executorOf({ tool: plan }, { eventBuffer: 4 })
    executor.enqueue([{ name: "tool" }])
    await flooded
    const deltas = (await undelivered(executor)).filter(is("Delta"))
    expect(deltas.length).toBeLessThanOrEqual(5)
    expect(textOfDeltas(deltas).length).toBeLessThan((count * 100) / 4)
    expect(deltas.at(-1)?.content.endsWith(line(count - 1))).toBe(true)
  })

  it("are bounded in bytes too, though there is room for many of them", async () => {
    const { plan, flooded } = flooding(1000, () => "x".repeat(10_000))
    const executor = executorOf({ tool: plan }, { eventBufferBytes: 100_000 })
    executor.enqueue([{ name: "tool" }])
    await flooded
    // Ten reach the bound, and what is past it merges into one that is cut.
    expect(textOfDeltas(await undelivered(executor)).length).toBeLessThan(100_000 + 2 * 65_536 + 10_000)
  })

  it("merge with the one before also where that went past the buffer first", async () => {
    const { plan, flooded } = flooding(3)
    const executor = executorOf({ tool: plan }, { eventBuffer: 2 })
    executor.enqueue([{ name: "tool" }])
    await flooded
    const deltas = (await undelivered(executor)).filter(is("Delta"))
    expect(deltas.map(({ content }) => content)).toEqual(["0;", "1;", "2;"])
    const more = flooding(4)
    const next = executorOf({ tool: more.plan }, { eventBuffer: 2 })
    next.enqueue([{ name: "tool" }])
    await more.flooded
    const merged = (await undelivered(next)).filter(is("Delta"))
    expect(merged.map(({ content }) => content)).toEqual(["0;", "1;2;3;"])
  })

  it("truncate one that alone is past every bound", async () => {
    const executor = executorOf(
      {
        tool: pipeline().andThen(({ delta }) => {
          void delta("first")
          void delta("x".repeat(5_000_000))
          void delta("last")
          return never<Step>()
        }),
      },
      { eventBuffer: 1 },
    )
    executor.enqueue([{ name: "tool" }])
    await turn()
    expect(textOfDeltas(await undelivered(executor)).length).toBeLessThan(1_000_000)
  })
})

describe("deltas of a background task", () => {
  it("merge too, so that a host that only waits for the task is never stuck", async () => {
    const { plan, progress } = streaming(1000)
    const executor = executorOf({ tool: plan }, { eventBuffer: 4 })
    executor.enqueue([{ callId: "t", name: "tool", background: true }])
    await until(() => executor.tasks.get("t") !== undefined)
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete", content: "done" })
    expect(progress.sent).toBe(1000)
    const events = await undelivered(executor)
    expect(events.filter(is("Delta"))).toHaveLength(4)
    expect(textOfDeltas(events)).toBe(numbers(1000))
    expect(trail(events).at(-1)).toBe("t BackgroundCompleted")
  })

  it("go on where a call that waits for room becomes one", async () => {
    const { plan, progress } = streaming(1000)
    const executor = executorOf({ tool: plan }, { eventBuffer: 4 })
    executor.enqueue([{ callId: "t", name: "tool" }])
    await until(() => progress.sent === 4)
    await turn()
    expect(executor.toBackground("t")).toBe(true)
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete" })
    expect(progress.sent).toBe(1000)
  })
})
