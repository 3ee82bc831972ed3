import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCall } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn, until } from "../../support/deferred.ts"
import { executorOf, type Plan, toolOf } from "../../support/executor-of.ts"
import { call, echo, runHooked } from "../../support/hooked-call.ts"

describe("beforeCall", () => {
  it("is asked before the call is composed, with its validated parameters", async () => {
    const log: Array<unknown> = []
    const tool = toolOf(
      "tool",
      (params) => {
        log.push("composed")
        return pipeline().andThen(() => Step.Output(JSON.stringify(params)))
      },
      { parameters: { type: "object", properties: { times: { type: "integer" } } } },
    )
    const executor = executorOf(
      { tool },
      {
        hooks: {
          beforeCall: (seen: ToolCall) => {
            log.push(seen)
            return undefined
          },
        },
      },
    )
    await new ScriptedHost(executor).run([
      { agentId: "a", callId: "c", name: "tool", params: { times: "3" } },
    ])
    expect(log).toEqual([
      {
        agentId: "a",
        callId: "c",
        name: "tool",
        params: { times: 3 },
        decision: "pending",
        background: false,
      },
      "composed",
    ])
  })

  it("that says nothing lets the call run", async () => {
    for (const answer of [undefined, {} as never]) {
      const host = await runHooked({ beforeCall: async () => answer })
      expect(host.terminal("c")).toMatchObject({ content: '{"path":"a"}' })
    }
  })

  it("may decide by the call whether it blocks", async () => {
    const of = (name: string) =>
      runHooked({ beforeCall: (seen) => ({ block: seen.name === name, reason: `no ${name}` }) })
    expect((await of("other")).terminal("c")).toMatchObject({ _tag: "Completed" })
    expect((await of("tool")).terminal("c")).toMatchObject({ _tag: "Denied", content: "no tool" })
  })

  it("that blocks ends the call as denied by policy, with its reason and nothing run", async () => {
    const log: Array<string> = []
    const plan: Plan = () => {
      log.push("composed")
      return pipeline()
    }
    for (const beforeCall of [
      () => ({ block: true as const, reason: "outside office hours" }),
      async () => ({ block: true as const, reason: "outside office hours" }),
    ]) {
      const host = await runHooked({ beforeCall }, plan)
      expect(host.events).toMatchObject([{ _tag: "Denied", by: "policy", content: "outside office hours" }])
    }
    const host = await runHooked({ beforeCall: () => ({ block: true }) }, plan)
    expect(host.events).toMatchObject([{ _tag: "Denied", by: "policy", content: expect.stringMatching(/./) }])
    expect(log).toEqual([])
  })

  it.each([
    [5, "5"],
    [{ toString: () => "closed" }, "closed"],
    [null, "Blocked by the host"],
    ["", "Blocked by the host"],
  ])("that blocks with the reason %j gives the model a text", async (reason, content) => {
    const host = await runHooked({ beforeCall: () => ({ block: true, reason: reason as string }) })
    expect(host.events).toMatchObject([{ _tag: "Denied", content, decidedBy: { kind: "hook" } }])
  })

  it.each([true, "allow", 5])(
    "that answers %j, which cannot be meant, blocks the call and says so",
    async (answer) => {
      const host = await runHooked({ beforeCall: () => answer as never })
      const content = `Blocked: \`beforeCall\` gave no answer that can be meant, got \`${answer}\` (${typeof answer})`
      expect(host.events).toMatchObject([{ _tag: "Denied", by: "policy", content }])
    },
  )

  it("that throws or rejects blocks the call", async () => {
    const log: Array<string> = []
    for (const beforeCall of [
      () => {
        throw new Error("audit log is full")
      },
      () => Promise.reject(new Error("audit log is full")),
    ]) {
      const host = await runHooked({ beforeCall }, () => {
        log.push("composed")
        return pipeline()
      })
      expect(host.events).toMatchObject([
        { _tag: "Denied", by: "policy", content: expect.stringContaining("audit log is full") },
      ])
    }
    expect(log).toEqual([])
  })

  it("may change the parameters", async () => {
    const host = await runHooked({ beforeCall: () => ({ params: { path: "b" } }) })
    expect(host.events).toMatchObject([
      { _tag: "Started", params: { path: "b" } },
      { _tag: "Completed", content: '{"path":"b"}' },
    ])
  })

  it("that changes the parameters has them validated again", async () => {
    const tool = toolOf("tool", echo as never, {
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    })
    const host = new ScriptedHost(
      executorOf({ tool }, { hooks: { beforeCall: () => ({ params: { path: { no: 1 } } }) } }),
    )
    await host.run([call])
    expect(host.events).toMatchObject([{ _tag: "Error", reason: "invalid" }])
  })

  it("that changes the parameters has them checked by the deny rules", async () => {
    const executor = executorOf(
      { tool: echo },
      {
        hooks: { beforeCall: () => ({ params: { path: "secret" } }) },
        filters: {
          evaluate: (_, params) => ((params as { path: string }).path === "secret" ? "deny" : undefined),
        },
      },
    )
    expect(await new ScriptedHost(executor).run([call])).toMatchObject([{ _tag: "Denied", by: "policy" }])
  })

  it("is not asked about a call that is refused before", async () => {
    const log: Array<string> = []
    const tool = toolOf("tool", echo as never, {
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    })
    const executor = executorOf(
      { tool },
      {
        hooks: {
          beforeCall: ({ callId }) => {
            log.push(callId)
            return undefined
          },
        },
      },
    )
    await new ScriptedHost(executor).run([
      { callId: "invalid", name: "tool", params: {} },
      { callId: "unknown", name: "nope" },
      { callId: "denied", name: "tool", params: { path: "a" }, decision: "deny" },
    ])
    expect(log).toEqual([])
  })

  it("is asked again about edited parameters", async () => {
    const seen: Array<unknown> = []
    const plan: Plan = (params) =>
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Output(JSON.stringify(params)))
    const executor = executorOf(
      { tool: plan },
      {
        hooks: {
          beforeCall: ({ params }) => {
            seen.push(params)
            return undefined
          },
        },
      },
    )
    await new ScriptedHost(executor, { gate: { params: { path: "b" } } }).run([call])
    expect(seen).toEqual([{ path: "a" }, { path: "b" }])
  })

  it("that answers after its call was cancelled changes nothing", async () => {
    const answered = deferred()
    const log: Array<string> = []
    const note = (name: string) => () => {
      log.push(name)
      return Step.Continue
    }
    const executor = executorOf(
      { tool: pipeline().andThen(note("ran")).finally(note("cleaned")) },
      {
        hooks: {
          beforeCall: async () => {
            await answered.promise
            return { params: {} }
          },
        },
      },
    )
    executor.enqueue([call])
    await turn()
    executor.cancelCall("c")
    const host = new ScriptedHost(executor)
    await host.run()
    answered.resolve()
    await turn()
    expect(log).toEqual([])
    expect(host.tags()).toEqual(["Cancelled"])
    expect(await executor.next()).toBeUndefined()
  })

  it("holds the lane while it thinks, and no other", async () => {
    const decided = deferred()
    const executor = executorOf(
      { tool: echo },
      {
        hooks: {
          beforeCall: async ({ callId }) => {
            if (callId === "slow") await decided.promise
            return undefined
          },
        },
      },
    )
    const host = new ScriptedHost(executor)
    const done = host.run([
      { callId: "slow", name: "tool" },
      { callId: "behind", name: "tool" },
      { agentId: "b", callId: "other", name: "tool" },
    ])
    await turn()
    expect(host.tags()).toEqual(["Started", "Completed"])
    expect(host.terminal("other")).toBeDefined()
    decided.resolve()
    await done
    expect(host.tags("behind")).toEqual(["Started", "Completed"])
  })

  it("is told by its signal when its call is cancelled, of which nothing runs", async () => {
    const signals: Array<AbortSignal> = []
    const executor = executorOf(
      { tool: pipeline().andThen(() => Step.Output("ran")) },
      {
        hooks: {
          beforeCall: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
      },
    )
    executor.enqueue([{ callId: "a", name: "tool" }])
    await until(() => signals.length > 0)
    expect(executor.cancelCall("a")).toBe(true)
    expect((await new ScriptedHost(executor).run()).map((event) => event._tag)).toEqual(["Cancelled"])
    expect(signals[0]!.aborted).toBe(true)
  })
})
