import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { isTerminal, ScriptedHost } from "../../src/testing.ts"
import { never, turn } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"

expectNothingUnhandled()

const gate = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))

describe("a host", () => {
  it("that answers an effect with nonsense fails it", async () => {
    for (const answer of [
      5,
      true,
      [],
      { content: "text" },
      { content: [{ type: "video" }] },
      Symbol("odd"),
    ]) {
      const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
      const host = new ScriptedHost(executor, { effect: () => answer as never })
      await host.run([{ callId: "c", name: "tool" }])
      expect(host.terminal("c")).toMatchObject({ _tag: "Error", reason: "failed" })
    }
  })

  it("that answers an effect with null has said nothing of it", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    const host = new ScriptedHost(executor, { effect: () => null as never })
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed" })
  })

  it("that fails an effect without words fails it all the same", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    for (const message of [undefined, null, "", new Error("no window"), Object.create(null)]) {
      executor.enqueue([{ callId: "c", name: "tool" }])
      const host = new ScriptedHost(executor)
      ;(await host.until(is("Delegate"))).fail(message as never)
      await host.run()
      expect(host.terminal("c")).toMatchObject({ _tag: "Error", content: expect.any(String) })
    }
  })

  it("that answers by id with nonsense loses no call", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    const host = new ScriptedHost(executor)
    for (const answer of [undefined, null, "text"]) {
      executor.enqueue([{ callId: "c", name: "tool" }])
      await host.until(is("Delegate"))
      expect(() => executor.respond("c", answer as never)).toThrow(
        new TypeError(
          `Expected an answer with an \`output\` or an \`error\`, got \`${answer}\` (${answer === null ? "null" : typeof answer})`,
        ),
      )
      executor.cancelCall("c")
      await host.run()
    }
    expect(host.events.filter(isTerminal)).toHaveLength(3)
  })

  it("that approves with nonsense approves", async () => {
    const executor = executorOf({ gate })
    const host = new ScriptedHost(executor)
    for (const options of [null, "yes", 1]) {
      executor.enqueue([{ callId: "c", name: "gate" }])
      const asked = await host.until(is("AwaitingApproval"))
      expect(asked.approve(options as never)).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed" })
    }
  })

  it("that denies with a reason that is no text denies", async () => {
    const executor = executorOf({ gate })
    const host = new ScriptedHost(executor)
    for (const reason of [5, {}, Symbol("odd")]) {
      executor.enqueue([{ callId: "c", name: "gate" }])
      const asked = await host.until(is("AwaitingApproval"))
      expect(asked.deny(reason as never)).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Denied", content: expect.any(String) })
    }
  })

  it("that cancels with a reason that is no text cancels", async () => {
    const executor = executorOf({ stuck: pipeline().andThen(() => never()) })
    for (const reason of [5, {}, Symbol("odd")]) {
      executor.enqueue([{ callId: "c", name: "stuck" }])
      await turn()
      executor.cancelCall("c", reason as never)
      expect((await new ScriptedHost(executor).run()).at(-1)).toMatchObject({
        _tag: "Cancelled",
        content: expect.any(String),
      })
    }
  })

  it("whose reader of `run` throws at every event loses no terminal result", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("x"))
        .andThen(async ({ delta }) => {
          await delta("y")
          return Step.Output("done")
        })
        .finally(() => Step.Delta("z")),
    })
    const seen: Array<string> = []
    const result = await executor.run({ name: "tool" }, (event: ToolEvent) => {
      seen.push(event._tag)
      throw new Error("cannot draw")
    })
    expect(result).toMatchObject({ status: "complete", content: "done" })
    expect(seen).toEqual(["Started", "Delta", "Delta", "Delta", "Completed"])
  })

  it("that cancels, enqueues and shuts down from inside the reader of `run` does no harm", async () => {
    const executor: ToolExecutor = executorOf({ tool: pipeline().awaitApproval(), quick: pipeline() })
    for (const act of ["Started", "AwaitingApproval", "Cancelled"]) {
      const seen: Array<string> = []
      const result = await executor.run({ callId: "c", name: "tool" }, (event) => {
        seen.push(event._tag)
        if (event._tag === act) {
          executor.cancelCall("c")
          executor.cancel()
          executor.enqueue([{ name: "quick", agentId: "other" }])
        } else if (event._tag === "AwaitingApproval") executor.cancelCall("c")
      })
      expect(result).toMatchObject({ status: "cancelled" })
      expect(seen.at(-1)).toBe("Cancelled")
      expect(seen.filter((tag) => tag === "Cancelled")).toHaveLength(1)
    }
    await new ScriptedHost(executor).run()
    let down: Promise<void> | undefined
    const result = await executor.run({ name: "tool" }, (event) => {
      if (event._tag === "Started") down = executor.shutdown()
    })
    await down
    expect(result).toMatchObject({ status: "cancelled" })
  })

  it("that answers at once, from inside the event, a thousand times over does not grow the stack", async () => {
    let plan = pipeline()
    for (let i = 0; i < 5000; i++) {
      plan = i % 2 === 0 ? plan.awaitApproval() : plan.andThen(() => Step.Delegate({ _tag: "Ask" }))
    }
    const executor = executorOf({ tool: plan })
    let answered = 0
    const result = await executor.run({ name: "tool" }, (event) => {
      if (event._tag === "AwaitingApproval" && event.approve()) answered += 1
      if (event._tag === "Delegate" && event.succeed()) answered += 1
    })
    expect(result).toMatchObject({ status: "complete" })
    expect(answered).toBe(5000)
  })

  it("that cancels between two events never makes a call end twice", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("x"))
        .awaitApproval()
        .andThen(async () => Step.Output("done"))
        .finally(async () => Step.Continue),
    })
    for (let cut = 1; cut <= 4; cut++) {
      const host = new ScriptedHost(executor)
      let told = 0
      executor.enqueue([{ callId: "c", name: "tool" }])
      for (;;) {
        const event = await executor.next()
        if (event === undefined) break
        host.events.push(event)
        told += 1
        if (told === cut) executor.cancelCall("c")
        else if (event._tag === "AwaitingApproval") event.approve()
      }
      expect(host.events.filter(isTerminal)).toHaveLength(1)
      expect(isTerminal(host.events.at(-1)!)).toBe(true)
    }
  })
})
