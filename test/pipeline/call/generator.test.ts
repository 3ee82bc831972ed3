import { describe, expect, it } from "vitest"
import { type HandlerContext, pipeline, Step } from "../../../src/index.ts"
import { type Script, ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { contentOf, endOf, runOne } from "../../support/run-one.ts"

describe("an async generator", () => {
  it("has every step applied in order, and the one that it returns", async () => {
    const plan = pipeline().andThen(async function* () {
      yield Step.Delta("one")
      yield Step.Output("first")
      yield Step.Delta("two")
      return Step.Output("last")
    } as () => AsyncGenerator<Step, Step>)
    expect(await runOne(plan)).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", content: "one" },
      { _tag: "Delta", content: "two" },
      { _tag: "Completed", content: "last" },
    ])
  })

  it("that ends without a step goes on with the next handler", async () => {
    const plan = pipeline()
      .andThen(async function* () {
        yield Step.Output("kept")
      })
      .andThen(() => Step.Continue)
    expect(await contentOf(plan)).toBe("kept")
  })

  it("reads the host's answer to its effect in the context, and goes on", async () => {
    const asking = pipeline().andThen(async function* (context: HandlerContext) {
      yield Step.Delegate({ _tag: "Ask", question: "which?" })
      yield Step.Output(`${JSON.stringify(context.output?.content)} it is`)
    })
    const host = new ScriptedHost(executorOf({ tool: asking }), { effect: () => "the second" })
    await host.run([{ callId: "c", name: "tool" }])
    expect(host.terminal("c")).toMatchObject({ content: '[{"type":"text","text":"the second"}] it is' })
  })

  it("waits at a gate that it yields", async () => {
    const log: Array<string> = []
    const plan = pipeline().andThen(async function* () {
      log.push("before")
      yield Step.AwaitApproval({ label: "Really?" })
      log.push("after")
    })
    const executor = executorOf({ tool: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ name: "tool" }])
    const gate = await host.until((event) => event._tag === "AwaitingApproval")
    await turn()
    expect(gate).toMatchObject({ label: "Really?" })
    expect(log).toEqual(["before"])
    executor.approve("callId" in gate ? gate.callId : "")
    await host.run()
    expect(log).toEqual(["before", "after"])
    expect(host.events.at(-1)?._tag).toBe("Completed")
  })

  it("is not read past its Error, which waits for its `finally`", async () => {
    const log: Array<string> = []
    const closed = deferred()
    const plan = pipeline()
      .andThen(async function* () {
        try {
          yield Step.Error("enough")
          log.push("read on")
        } finally {
          await closed.promise
          log.push("closed")
        }
      })
      .andThen(() => {
        log.push("next handler")
        return Step.Continue
      })
    const executor = executorOf({ tool: plan })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await turn()
    expect(executor.inspect()).toHaveLength(1)
    closed.resolve()
    const events = await new ScriptedHost(executor).run()
    expect(log).toEqual(["closed"])
    expect(events.at(-1)).toMatchObject({ _tag: "Error", content: "enough" })
  })

  it.each<[string, unknown, Script]>([
    [
      "the host fails its effect",
      Step.Delegate({ _tag: "Ask" }),
      { effect: () => ({ fail: "nobody home" }) },
    ],
    [
      "the host answers its effect with nonsense",
      Step.Delegate({ _tag: "Ask" }),
      { effect: () => 5 as never },
    ],
    ["its gate is denied", Step.AwaitApproval(), { gate: "deny" }],
    ["it yields an Error", Step.Error("enough"), {}],
    ["it yields what is no step", "text", {}],
    ["it yields an output that is none", Step.Output(5 as never), {}],
  ])("is closed, so that its `finally` runs, when %s", async (_, step, script) => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(async function* () {
        try {
          yield step as Step
          log.push("read on")
        } finally {
          log.push("closed")
        }
      })
      .finally(() => {
        log.push("finally")
        return Step.Continue
      })
    const host = new ScriptedHost(executorOf({ tool: plan }), script)
    await host.run([{ callId: "c", name: "tool" }])
    const tag = host.terminal("c")?._tag
    expect(["Error", "Denied"]).toContain(tag)
    // What is stopped from outside is told to close and not waited for.
    await turn()
    expect(tag === "Denied" ? log.sort() : log).toEqual(["closed", "finally"])
  })

  it("that throws is an Error with its message", async () => {
    // biome-ignore lint/correctness/useYield: it fails before it has anything to say
    const plan = pipeline().andThen(async function* (): AsyncGenerator<Step> {
      throw new Error("lost the connection")
    })
    expect(await endOf(plan)).toMatchObject({ _tag: "Error", content: "lost the connection" })
  })
})
