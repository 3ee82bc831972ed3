import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput, type ToolEvent, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { is, stamp } from "../../support/event-of.ts"
import { executorOf, type Plan, toolOf } from "../../support/executor-of.ts"

const bg = (name: string, call: Partial<ToolCallInput> = {}): ToolCallInput => ({
  callId: "c",
  name,
  background: true,
  ...call,
})

const tagsOf = async (
  plan: Plan,
  call: Partial<ToolCallInput> = {},
  gate: "approve" | "deny" = "approve",
) => {
  const executor = executorOf({ tool: plan })
  const events = await new ScriptedHost(executor, { gate }).run([bg("tool", call)])
  return { tags: events.map((event) => event._tag), events, task: executor.tasks.get("c") }
}

describe("a background call", () => {
  it("is announced before it streams, and ends with its status", async () => {
    const { tags, events, task } = await tagsOf(
      pipeline()
        .andThen(() => Step.Delta("x"))
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .andThen(() => Step.Output("done")),
    )
    expect(tags).toEqual(["Started", "BackgroundStarted", "Delta", "Delegate", "BackgroundCompleted"])
    expect(events[0]).toMatchObject({ background: true })
    expect(events[1]).toEqual({
      _tag: "BackgroundStarted",
      ...stamp,
      agentId: "main",
      callId: "c",
      name: "tool",
    })
    expect(events[4]).toEqual({
      _tag: "BackgroundCompleted",
      ...stamp,
      agentId: "main",
      callId: "c",
      name: "tool",
      status: "complete",
      createdAt: task!.createdAt,
      startedAt: task!.startedAt,
      endedAt: expect.any(Number),
    })
    expect(task).toMatchObject({ status: "complete", content: "done" })
  })

  it("with a gate ahead is announced with its approval", async () => {
    const plan = pipeline()
      .andThen(() => Step.Delta("before"))
      .awaitApproval()
      .andThen(() => Step.Delta("after"))
    const { tags } = await tagsOf(plan)
    expect(tags).toEqual([
      "Started",
      "Delta",
      "AwaitingApproval",
      "BackgroundStarted",
      "Delta",
      "BackgroundCompleted",
    ])
  })

  it("with two gates is announced once, with the first approval", async () => {
    const { tags } = await tagsOf(pipeline().awaitApproval().awaitApproval())
    expect(tags).toEqual([
      "Started",
      "AwaitingApproval",
      "BackgroundStarted",
      "AwaitingApproval",
      "BackgroundCompleted",
    ])
  })

  it("that is pre-approved is announced at once", async () => {
    const plan = pipeline()
      .andThen(() => Step.Delta("before"))
      .awaitApproval()
    const { tags } = await tagsOf(plan, { decision: "approve" })
    expect(tags).toEqual(["Started", "BackgroundStarted", "Delta", "BackgroundCompleted"])
  })

  it("that is denied at its gate gives the model its one result, and is no task", async () => {
    const { tags, task } = await tagsOf(pipeline().awaitApproval(), {}, "deny")
    expect(tags).toEqual(["Started", "AwaitingApproval", "Denied"])
    expect(task).toBeUndefined()
  })

  it("that fails before its gate gives the model its one result, and is no task", async () => {
    const { events, task } = await tagsOf(
      pipeline()
        .andThen(() => Step.Error("no such file"))
        .awaitApproval(),
    )
    expect(events).toMatchObject([{ _tag: "Started" }, { _tag: "Error", content: "no such file" }])
    expect(task).toBeUndefined()
  })

  it("that is refused gives the model its one result, and is no task", async () => {
    const { events, task } = await tagsOf(() => {
      throw new Error("no plan")
    })
    expect(events).toMatchObject([{ _tag: "Error", content: "no plan" }])
    expect(task).toBeUndefined()
  })

  it("of a tool that must stay in the foreground is refused", async () => {
    const executor = executorOf({ tool: toolOf("tool", pipeline(), { background: false }) })
    expect(await new ScriptedHost(executor).run([bg("tool")])).toMatchObject([
      { _tag: "Error", reason: "invalid", content: expect.stringContaining("background") },
    ])
  })

  it("that is cancelled at its gate gives the model its one result", async () => {
    const executor = executorOf({ tool: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("tool")])
    await host.until(is("AwaitingApproval"))
    executor.cancelCall("c")
    await host.run()
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Cancelled"])
    expect(executor.tasks.list()).toEqual([])
  })

  it("that is cancelled by whoever is told of its start is never announced", async () => {
    const log: Array<string> = []
    const executor: ToolExecutor = executorOf({
      tool: pipeline().andThen(() => {
        log.push("ran")
        return Step.Continue
      }),
    })
    const told: Array<string> = []
    const result = await executor.run(bg("tool"), (event) => {
      told.push(event._tag)
      if (event._tag === "Started") executor.cancelCall("c")
    })
    expect(result.status).toBe("cancelled")
    expect(told).toEqual(["Started", "Cancelled"])
    expect(log).toEqual([])
    expect(executor.tasks.list()).toEqual([])
  })

  it("that fails runs none of its remaining handlers, and cleans up", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(async () => Step.Error("broken"))
      .andThen(() => {
        log.push("went on")
        return Step.Continue
      })
      .finally(() => {
        log.push("closed")
        return Step.Continue
      })
    const { tags, events, task } = await tagsOf(plan)
    expect(tags).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
    expect(events[2]).toMatchObject({ status: "error" })
    expect(task).toMatchObject({ status: "error", content: "broken" })
    expect(log).toEqual(["closed"])
  })

  it("that is denied after it was announced ends as a denied task", async () => {
    let gates = 0
    const executor = executorOf({ tool: pipeline().awaitApproval().awaitApproval() })
    const host = new ScriptedHost(executor, { gate: () => (gates++ === 0 ? "approve" : { deny: "no" }) })
    await host.run([bg("tool")])
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "denied" })
    expect(executor.tasks.get("c")).toMatchObject({ status: "denied", content: "no" })
  })
})

describe("the model is owed exactly one result", () => {
  it("by each call, background or not", async () => {
    const plans: Record<string, Plan> = {
      ok: pipeline().andThen(async () => Step.Output("x")),
      fails: pipeline().andThen(async () => Step.Error("x")),
      gate: pipeline().awaitApproval(),
      throws: () => {
        throw new Error("x")
      },
    }
    for (const gate of ["approve", "deny"] as const) {
      const executor = executorOf(plans)
      const host = new ScriptedHost(executor, { gate })
      const ids = executor.enqueue(
        [...Object.keys(plans), "unknown"].flatMap((name) => [
          { name },
          { name, background: true },
          { name, decision: "deny" as const, background: true },
        ]),
      )
      await host.run()
      for (const id of ids) {
        const owed = host
          .tags(id)
          .filter((tag: ToolEvent["_tag"]) =>
            ["BackgroundStarted", "Completed", "Error", "Denied", "Cancelled"].includes(tag),
          )
        expect(owed).toHaveLength(1)
      }
    }
  })
})
