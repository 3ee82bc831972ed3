import { describe, expect, it } from "vitest"
import {
  type DelegateEvent,
  type Delegates,
  type EffectHandler,
  type HandlerContext,
  noIde,
  pipeline,
  Step,
  textOf,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { is, stamp } from "../../support/event-of.ts"
import { executorOf, type Plan } from "../../support/executor-of.ts"

/** Not a type alias: an interface has no index signature. */
interface Ask {
  readonly _tag: "Ask"
  readonly question: string
}

const ask: Ask = { _tag: "Ask", question: "which?" }

const asking = pipeline()
  .andThen(() => Step.Output("before"))
  .andThen(() => Step.Delegate(ask))

const toContinue = () => Step.Continue

const start = async (plan: Plan = asking, delegates?: Delegates) => {
  const executor = executorOf({ tool: plan }, delegates && { delegates })
  const host = new ScriptedHost(executor)
  executor.enqueue([{ agentId: "a", callId: "c", name: "tool" }])
  const asked = await host.until(is("Delegate"))
  return { executor, host, asked }
}

describe("an effect for the host", () => {
  it("is an event that names the call and carries the effect as it is", async () => {
    const { asked, executor } = await start()
    expect({ ...asked }).toEqual({
      _tag: "Delegate",
      ...stamp,
      agentId: "a",
      callId: "c",
      effect: ask,
      succeed: expect.any(Function),
      fail: expect.any(Function),
    })
    await turn()
    expect(executor.inspect()).toMatchObject([{ callId: "c", state: "waiting", waitingFor: "Ask" }])
  })

  it("may be a host's own or a built-in one", async () => {
    const effects = [
      { _tag: "IdeOpen", path: "a.ts", line: 3, column: 1 },
      { _tag: "IdeShowPreview", preview: { path: "a.ts", content: "x" } },
      { _tag: "IdeShowDiffPreview", path: "a.ts", edits: [{ old_string: "a", new_string: "b" }] },
      { _tag: "IdeReloadBuffer", path: "a.ts" },
      { _tag: "IdeClosePreview" },
      { _tag: "IdeCheckUnsavedEdits", path: "a.ts" },
      { _tag: "SpawnAgent", task: "review" },
      { _tag: "ListAgents" },
      { _tag: "GetAgent", label: "reviewer" },
      { _tag: "Beep", times: 2 },
    ] as const
    let plan = pipeline()
    for (const effect of effects) plan = plan.andThen(() => Step.Delegate(effect))
    const host = new ScriptedHost(executorOf({ tool: plan }))
    await host.run([{ name: "tool" }])
    expect(host.events.filter(is("Delegate")).map((event) => event.effect)).toEqual(effects)
    expect(host.events.at(-1)?._tag).toBe("Completed")
  })

  it("whose answer has an output has it replace the output", async () => {
    for (const output of ["chosen", { content: [{ type: "text" as const, text: "chosen" }], details: 1 }]) {
      const { asked, host } = await start()
      expect(asked.succeed(output)).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "chosen" })
    }
  })

  it("whose answer has none keeps the output", async () => {
    const { asked, host } = await start()
    expect(asked.succeed()).toBe(true)
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "before" })
  })

  it("whose answer is an empty text has it replace the output", async () => {
    const { asked, host } = await start()
    asked.succeed("")
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "" })
  })

  it("that the host fails is an Error with its message, and the rest is skipped", async () => {
    const log: Array<string> = []
    const { asked, host } = await start(
      asking.andThen(() => {
        log.push("went on")
        return Step.Continue
      }),
    )
    expect(asked.fail("no window is open")).toBe(true)
    expect((await host.run()).at(-1)).toMatchObject({
      _tag: "Error",
      reason: "failed",
      content: "no window is open",
    })
    expect(log).toEqual([])
  })

  it("is answered once: a second answer is false and changes nothing", async () => {
    const { asked, host, executor } = await start(
      asking.awaitApproval().andThen(({ output }) => Step.Output(JSON.stringify(output?.content))),
    )
    expect(asked.succeed("first")).toBe(true)
    const second = [
      () => asked.succeed("second"),
      () => asked.fail("second"),
      () => executor.respond("c", { output: "second" }),
      () => executor.respond("c", { error: "second" }),
    ]
    expect(second.map((answer) => answer())).toEqual([false, false, false, false])
    const gate = await host.until(is("AwaitingApproval"))
    expect(second.map((answer) => answer())).toEqual([false, false, false, false])
    gate.approve()
    expect((await host.run()).at(-1)).toMatchObject({ content: '[{"type":"text","text":"first"}]' })
    expect(second.map((answer) => answer())).toEqual([false, false, false, false])
  })

  it("has old answers that are none for the next effect", async () => {
    const { asked, host } = await start(asking.andThen(() => Step.Delegate({ _tag: "Again" })))
    asked.succeed("first")
    const again = await host.until(is("Delegate"))
    expect(asked.fail("old")).toBe(false)
    expect(again.succeed("second")).toBe(true)
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "second" })
  })
})

describe("respond", () => {
  it("answers by id", async () => {
    for (const [answer, end] of [
      [{ output: "chosen" }, { _tag: "Completed", content: "chosen" }],
      [
        { output: { content: [{ type: "text" as const, text: "chosen" }] } },
        { _tag: "Completed", content: "chosen" },
      ],
      [{}, { _tag: "Completed", content: "before" }],
      [{ error: "nobody home" }, { _tag: "Error", content: "nobody home" }],
      [
        { output: "chosen", error: undefined as never },
        { _tag: "Completed", content: "chosen" },
      ],
    ] as const) {
      const { executor, host, asked } = await start()
      expect(executor.respond("c", answer)).toBe(true)
      expect(asked.succeed("late")).toBe(false)
      expect((await host.run()).at(-1)).toMatchObject(end)
    }
  })

  it("is false for calls that are unknown or asked nothing, or wait for a decision", async () => {
    const executor = executorOf({
      gate: pipeline().awaitApproval(),
      stuck: pipeline().andThen(() => never()),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "gate", name: "gate" },
      { callId: "queued", name: "gate" },
      { agentId: "b", callId: "stuck", name: "stuck" },
    ])
    await host.until(is("AwaitingApproval"))
    for (const id of ["gate", "queued", "stuck", "nobody"]) expect(executor.respond(id, {})).toBe(false)
    expect(executor.approve("gate")).toBe(true)
  })
})

describe("delegates", () => {
  it("are functions that answer instead of events", async () => {
    const seen: Array<unknown> = []
    const executor = executorOf(
      { tool: asking },
      {
        delegates: {
          Ask: async (effect, { agentId, callId }) => {
            seen.push({ effect, agentId, callId })
            await turn()
            return "from the function"
          },
        },
      },
    )
    const events = await new ScriptedHost(executor).run([{ agentId: "a", callId: "c", name: "tool" }])
    expect(events).toMatchObject([{ _tag: "Started" }, { _tag: "Completed", content: "from the function" }])
    expect(seen).toEqual([{ effect: ask, agentId: "a", callId: "c" }])
  })

  it.each<[string, Delegates, object]>([
    ["with nothing", { Ask: async () => undefined }, { _tag: "Completed", content: "before" }],
    ["at once", { Ask: () => "sync" }, { _tag: "Completed", content: "sync" }],
    [
      "with a failure when they reject",
      { Ask: () => Promise.reject(new Error("offline")) },
      { _tag: "Error", reason: "failed", content: "offline" },
    ],
    [
      "with a failure when they throw",
      {
        Ask: () => {
          throw new Error("offline")
        },
      },
      { _tag: "Error", reason: "failed", content: "offline" },
    ],
    [
      "with a failure when they answer nonsense",
      { Ask: () => 42 as never },
      { _tag: "Error", reason: "failed" },
    ],
  ])("answer %s", async (_, delegates, end) => {
    const executor = executorOf({ tool: asking }, { delegates })
    expect((await new ScriptedHost(executor).run([{ name: "tool" }])).at(-1)).toMatchObject(end)
  })

  it("leave the effects of other tags to the host", async () => {
    const { asked } = await start(asking, { Other: () => "x" })
    expect(asked.effect).toEqual(ask)
  })

  it("are found by their own names only", async () => {
    for (const tag of ["toString", "constructor", "__proto__"]) {
      const { asked } = await start(
        pipeline().andThen(() => Step.Delegate({ _tag: tag })),
        {},
      )
      expect(asked.effect._tag).toBe(tag)
    }
  })

  it("are told by their signal when nobody waits any more", async () => {
    const signals: Array<AbortSignal> = []
    const executor = executorOf(
      { tool: asking },
      {
        delegates: {
          Ask: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    executor.enqueue([{ callId: "c", name: "tool" }])
    await until(() => signals.length > 0)
    expect(signals[0]!.aborted).toBe(false)
    executor.cancelCall("c")
    // Nothing of a tool's or a host's runs inside the cancel.
    expect(signals[0]!.aborted).toBe(false)
    await turn()
    expect(signals[0]!.aborted).toBe(true)
    expect((await new ScriptedHost(executor).run()).at(-1)?._tag).toBe("Cancelled")
  })

  it("are alone to answer: `respond` does not take effect while they are asked", async () => {
    const answer = deferred<string>()
    const executor = executorOf({ tool: asking }, { delegates: { Ask: () => answer.promise } })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await until(() => executor.inspect()[0]?.state === "waiting")
    expect(executor.respond("c", { output: "by id" })).toBe(false)
    answer.resolve("by the function")
    expect((await new ScriptedHost(executor).run()).at(-1)).toMatchObject({ content: "by the function" })
  })

  it("that a handler asks at once are put one after another, in their order", async () => {
    const plan = pipeline().andThen(async ({ delegate }) => {
      const asked = ["a", "b"].map((question) => delegate({ _tag: "Ask", question }))
      const outputs = await Promise.all(asked)
      return Step.Output(outputs.map((output) => output && textOf(output)).join(" "))
    })
    const { host, asked } = await start(plan)
    await turn()
    expect(asked.effect).toEqual({ _tag: "Ask", question: "a" })
    asked.succeed("first")
    const next = await host.until(is("Delegate"))
    expect(next.effect).toEqual({ _tag: "Ask", question: "b" })
    next.succeed("second")
    expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "first second" })
  })

  it("that a handler does not wait for hold up none of a later handler", async () => {
    const refusals: Array<Promise<unknown>> = []
    const askTwo = ({ delegate }: HandlerContext) => {
      refusals.push(delegate({ _tag: "First" }), delegate({ _tag: "Second" }))
    }
    const ways: ReadonlyArray<(context: HandlerContext) => ReturnType<EffectHandler["call"]>> = [
      (context) => {
        askTwo(context)
        return Step.Continue
      },
      async function* (context) {
        yield Step.Continue
        askTwo(context)
      },
      (context) => {
        askTwo(context)
        throw new Error("no")
      },
    ]
    for (const way of ways) {
      const asks = async ({ delegate }: HandlerContext) =>
        Step.Output((await delegate({ _tag: "Ask" })) ?? "none")
      const executor = executorOf({ tool: pipeline().andThen(way).andThen(asks).finally(asks) })
      const effect = ({ effect: { _tag } }: DelegateEvent) => (_tag === "Ask" ? "answer" : "ignore")
      const host = new ScriptedHost(executor, { effect })
      const end = (await host.run([{ name: "tool" }])).at(-1)
      expect(end).toMatchObject({ content: way === ways[2] ? "no" : "answer" })
      expect(end).not.toHaveProperty("cleanupErrors")
      for (const tag of ["First", "Second"])
        await expect(refusals.shift()).rejects.toThrow(
          `The handler went on before the host had answered ${tag}. Await \`delegate\` before the next step`,
        )
    }
  })

  it("leave the next effect to the host, whether they answered or failed", async () => {
    const plan = pipeline()
      .andThen(({ delegate }) => delegate({ _tag: "Ask" }).then(toContinue, toContinue))
      .andThen(() => Step.Delegate({ _tag: "Other" }))
    const functions = [async () => "by the function", () => Promise.reject(new Error("no"))]
    for (const Ask of functions) {
      const executor = executorOf({ tool: plan }, { delegates: { Ask } })
      const host = new ScriptedHost(executor)
      executor.enqueue([{ callId: "c", name: "tool" }])
      await host.until(is("Delegate"))
      expect(executor.respond("c", { output: "by id" })).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed", content: "by id" })
    }
  })

  it("answer for finally handlers too", async () => {
    const seen: Array<string> = []
    const plan = pipeline().finally(() => Step.Delegate({ _tag: "IdeClosePreview" }))
    const executor = executorOf(
      { tool: plan },
      {
        delegates: {
          IdeClosePreview: () => {
            seen.push("closed")
            return undefined
          },
        },
      },
    )
    await new ScriptedHost(executor).run([{ name: "tool" }])
    expect(seen).toEqual(["closed"])
  })
})

describe("noIde", () => {
  it("answers every Ide effect with nothing", async () => {
    const executor = executorOf(
      {
        tool: pipeline()
          .andThen(() => Step.Output("kept"))
          .andThen(() => Step.Delegate({ _tag: "IdeOpen", path: "a.ts" }))
          .andThen(() => Step.Delegate({ _tag: "IdeShowPreview", preview: { path: "a.ts", content: "" } }))
          .andThen(() => Step.Delegate({ _tag: "IdeShowDiffPreview", path: "a.ts", edits: [] }))
          .andThen(() => Step.Delegate({ _tag: "IdeReloadBuffer", path: "a.ts" }))
          .andThen(() => Step.Delegate({ _tag: "IdeCheckUnsavedEdits", path: "a.ts" }))
          .finally(() => Step.Delegate({ _tag: "IdeClosePreview" })),
      },
      { delegates: noIde },
    )
    const events = await new ScriptedHost(executor).run([{ name: "tool" }])
    expect(events).toMatchObject([{ _tag: "Started" }, { _tag: "Completed", content: "kept" }])
  })

  it("can be mixed with a host's own", async () => {
    const executor = executorOf({ tool: asking }, { delegates: { ...noIde, Ask: () => "mixed" } })
    expect((await new ScriptedHost(executor).run([{ name: "tool" }])).at(-1)).toMatchObject({
      content: "mixed",
    })
  })
})
