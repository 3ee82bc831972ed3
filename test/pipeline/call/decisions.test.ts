import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn } from "../../support/deferred.ts"
import { is, stamp, trail } from "../../support/event-of.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"

describe("a pending call at a gate", () => {
  it("tells the host what is asked, and the output so far as a preview", async () => {
    const { plan, log } = gatedTool()
    const host = new ScriptedHost(executorOf({ write: plan }))
    await host.run([{ agentId: "a", callId: "c", name: "write", params: { path: "a.ts" } }])
    const gate = host.events.find(is("AwaitingApproval"))
    expect({ ...gate }).toEqual({
      _tag: "AwaitingApproval",
      ...stamp,
      agentId: "a",
      callId: "c",
      name: "write",
      params: { path: "a.ts" },
      background: false,
      label: "Write a.ts",
      preview: { content: [{ type: "text", text: "before" }] },
      because: "There is no rule for the tool `write`.",
      approve: expect.any(Function),
      deny: expect.any(Function),
    })
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("tells neither label nor preview where there is none", async () => {
    const host = new ScriptedHost(executorOf({ write: pipeline().awaitApproval() }))
    await host.run([{ name: "write" }])
    const gate = host.events.find(is("AwaitingApproval"))
    expect(gate).not.toHaveProperty("label")
    expect(gate).not.toHaveProperty("preview")
  })

  it("runs nothing past the gate until it is decided", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan })
    executor.enqueue([{ name: "write" }])
    const gate = await new ScriptedHost(executor).until(is("AwaitingApproval"))
    await turn()
    expect(log).toEqual(["before"])
    gate.approve()
  })

  it.each<[string, string | undefined, string]>([
    ["the reason", "not on a Friday", "not on a Friday"],
    ["`Denied by user` by default", undefined, "Denied by user"],
    ["`Denied by user` for an empty reason", "", "Denied by user"],
  ])("tells the model %s when it is denied, and cleans up", async (_, reason, content) => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write" }])
    const gate = await host.until(is("AwaitingApproval"))
    expect(gate.deny(reason)).toBe(true)
    const decidedBy = reason ? { kind: "user", reason } : { kind: "user" }
    expect(await host.run()).toEqual([
      {
        _tag: "Denied",
        ...stamp,
        agentId: "main",
        callId: "c",
        name: "write",
        content,
        by: "user",
        decidedBy,
      },
    ])
    expect(log).toEqual(["before", "closed"])
  })

  it("can be decided by id, for hosts that hold no event objects", async () => {
    const { plan } = gatedTool()
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "write" },
      { callId: "b", name: "write" },
    ])
    await host.until(is("AwaitingApproval", "a"))
    expect(executor.approve("a")).toBe(true)
    await host.until(is("AwaitingApproval", "b"))
    expect(executor.deny("b", "no")).toBe(true)
    await host.run()
    expect(host.terminal("a")).toMatchObject({ _tag: "Completed" })
    expect(host.terminal("b")).toMatchObject({ _tag: "Denied", content: "no" })
  })

  it.each([null, ""])(
    "that is denied with the reason %j is denied without one, and so is a cancel",
    async (reason) => {
      const { plan } = gatedTool()
      const executor = executorOf({ write: plan })
      const host = new ScriptedHost(executor)
      executor.enqueue([{ callId: "a", name: "write" }])
      await host.until(is("AwaitingApproval", "a"))
      expect(executor.deny("a", reason as string)).toBe(true)
      executor.enqueue([{ callId: "b", name: "write" }])
      await host.until(is("AwaitingApproval", "b"))
      expect(executor.cancelCall("b", reason as string)).toBe(true)
      await host.run()
      expect(host.terminal("a")).toMatchObject({ content: "Denied by user", decidedBy: { kind: "user" } })
      expect(host.terminal("b")).toMatchObject({
        content: "Cancelled\nNothing was changed: the call was waiting for approval.",
        decidedBy: { kind: "user" },
      })
    },
  )

  it("tells the handlers past it how it was decided", async () => {
    const plan = pipeline()
      .andThen(({ resolution }) => Step.Delta(JSON.stringify(resolution ?? "none")))
      .awaitApproval()
      .andThen(({ resolution }) => Step.Delta(JSON.stringify(resolution)))
      .awaitApproval()
      .andThen(({ resolution }) => Step.Delta(JSON.stringify(resolution)))
    const reasons = ["looks right", undefined]
    const host = new ScriptedHost(executorOf({ write: plan }), {
      gate: () => {
        const reason = reasons.shift()
        return reason === undefined ? "approve" : { reason }
      },
    })
    await host.run([{ name: "write" }])
    expect(host.events.filter(is("Delta")).map((event) => event.content)).toEqual([
      '"none"',
      '{"action":"apply","reason":"looks right"}',
      '{"action":"apply"}',
    ])
  })

  it("tells them so too where a rule or the call itself decided", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(({ resolution }) => Step.Output(JSON.stringify(resolution)))
    const filters = { evaluate: () => "approve" as const }
    const byRule = await executorOf({ write: plan }, { filters }).run({ name: "write" })
    const byCall = await executorOf({ write: plan }).run({ name: "write", decision: "approve" })
    expect([byRule.content, byCall.content]).toEqual(['{"action":"apply"}', '{"action":"apply"}'])
  })

  it("is asked at every gate of the pipeline", async () => {
    const plan = pipeline().awaitApproval({ label: "one" }).awaitApproval({ label: "two" })
    const host = new ScriptedHost(executorOf({ write: plan }))
    await host.run([{ name: "write" }])
    expect(host.events.filter(is("AwaitingApproval")).map((event) => event.label)).toEqual(["one", "two"])
  })

  it("stops as well at a gate that a handler asks for", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output("preview"))
      .andThen(() => Step.AwaitApproval({ label: "Really?" }))
      .andThen(() => Step.Output("done"))
    const host = new ScriptedHost(executorOf({ write: plan }))
    await host.run([{ name: "write" }])
    expect(host.events).toMatchObject([
      { _tag: "Started" },
      { _tag: "AwaitingApproval", label: "Really?", preview: { content: [{ text: "preview" }] } },
      { _tag: "Completed", content: "done" },
    ])
  })
})

describe("a decision counts once", () => {
  const answersOf = (
    executor: ReturnType<typeof executorOf>,
    gate: Extract<ToolEvent, { approve: unknown }>,
  ) => [
    () => gate.approve(),
    () => gate.approve({ params: {}, reason: "x", remember: true }),
    () => gate.deny(),
    () => executor.approve("c"),
    () => executor.approve("c", { params: {} }),
    () => executor.deny("c"),
  ]

  for (const first of [0, 1, 2, 3, 4, 5]) {
    it(`whatever the second answer after answer ${first} is`, async () => {
      const working = deferred()
      const executor = executorOf({
        write: pipeline()
          .awaitApproval()
          .andThen(async () => {
            await working.promise
            return Step.Output("done")
          })
          .finally(async () => {
            await working.promise
            return Step.Continue
          }),
      })
      const host = new ScriptedHost(executor)
      executor.enqueue([{ callId: "c", name: "write" }])
      const answers = answersOf(executor, await host.until(is("AwaitingApproval")))
      expect(answers[first]!()).toBe(true)
      for (const answer of answers) expect(answer()).toBe(false)
      await turn()
      for (const answer of answers) expect(answer()).toBe(false)
      working.resolve()
      await host.run()
      for (const answer of answers) expect(answer()).toBe(false)
      expect(host.terminal("c")?._tag).toBe([2, 5].includes(first) ? "Denied" : "Completed")
      expect(host.tags("c").filter((tag) => tag === "AwaitingApproval")).toHaveLength(1)
    })
  }

  it("and an old gate's answer is none for the next gate", async () => {
    const executor = executorOf({ write: pipeline().awaitApproval().awaitApproval() })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write" }])
    const first = await host.until(is("AwaitingApproval"))
    first.approve()
    const second = await host.until(is("AwaitingApproval"))
    expect(first.approve()).toBe(false)
    expect(first.deny()).toBe(false)
    expect(second.deny()).toBe(true)
    expect((await host.run()).at(-1)?._tag).toBe("Denied")
  })

  it("is false for calls that are unknown, queued, running or asked something else", async () => {
    const working = deferred()
    const executor = executorOf({
      slow: pipeline()
        .andThen(async () => {
          await working.promise
          return Step.Continue
        })
        .andThen(() => Step.Delegate({ _tag: "Ask" })),
      write: pipeline().awaitApproval(),
    })
    const host = new ScriptedHost(executor)
    executor.enqueue([
      { callId: "a", name: "slow" },
      { callId: "b", name: "write" },
    ])
    await host.until(is("Started", "a"))
    for (const id of ["a", "b", "nobody"]) {
      expect(executor.approve(id)).toBe(false)
      expect(executor.deny(id)).toBe(false)
    }
    working.resolve()
    await host.until(is("Delegate", "a"))
    expect(executor.approve("a")).toBe(false)
    expect(executor.deny("a")).toBe(false)
    expect(executor.respond("a", {})).toBe(true)
    await host.run()
    expect(trail(host.events)).toEqual([
      "a Started",
      "a Delegate",
      "a Completed",
      "b Started",
      "b AwaitingApproval",
      "b Completed",
    ])
  })
})

describe("a call that was decided beforehand", () => {
  it("`approve` passes all gates of that call without asking", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(() => Step.AwaitApproval())
      .awaitApproval()
      .andThen(() => Step.Output("done"))
    const host = new ScriptedHost(executorOf({ write: plan }))
    await host.run([
      { callId: "a", name: "write", decision: "approve" },
      { callId: "b", name: "write" },
    ])
    expect(host.tags("a")).toEqual(["Started", "Completed"])
    expect(host.tags("b").filter((tag) => tag === "AwaitingApproval")).toHaveLength(3)
  })

  it("`deny` ends as Denied by the user with nothing run, in its turn", async () => {
    const log: Array<string> = []
    const executor = executorOf({
      write: () => {
        log.push("composed")
        return pipeline().finally(() => {
          log.push("cleaned")
          return Step.Continue
        })
      },
      tool: pipeline(),
    })
    const events = await new ScriptedHost(executor).run([
      { callId: "a", name: "tool" },
      { callId: "b", name: "write", decision: "deny" },
      { callId: "c", name: "tool" },
    ])
    expect(trail(events)).toEqual(["a Started", "a Completed", "b Denied", "c Started", "c Completed"])
    expect(events[2]).toEqual({
      _tag: "Denied",
      ...stamp,
      agentId: "main",
      callId: "b",
      name: "write",
      content: "Denied by user",
      by: "user",
      decidedBy: { kind: "call" },
      params: {},
    })
    expect(log).toEqual([])
    expect(executor.inspect()).toEqual([])
  })

  it("`deny` ends a background call with the model's one result", async () => {
    const executor = executorOf({ write: pipeline() })
    const events = await new ScriptedHost(executor).run([
      { name: "write", decision: "deny", background: true },
    ])
    expect(events).toMatchObject([{ _tag: "Denied", by: "user" }])
    expect(executor.tasks.list()).toEqual([])
  })
})
