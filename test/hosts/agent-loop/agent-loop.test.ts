import { describe, expect, it } from "vitest"
import {
  AgentLoop,
  type AgentLoopOptions,
  type LoopAnswer,
  type LoopCall,
  type LoopQuestion,
  toldBlocks,
} from "../../../src/hosts/agent-loop/index.ts"
import { pipeline, Step, ToolFilters } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"

const work = () => Step.Output("done")

describe("an agent loop", () => {
  it.each([
    ["one gate", pipeline().awaitApproval().andThen(work), {}],
    ["two gates", pipeline().awaitApproval().andThen(work).awaitApproval(), { gates: 2 }],
    ["a person's gate", pipeline().awaitApproval({ person: true }), { person: true }],
    [
      "two gates, the first a person's",
      pipeline().awaitApproval({ person: true }).andThen(work).awaitApproval(),
      { gates: 2, person: true },
    ],
    [
      "a gate before a preview and one behind it",
      pipeline().awaitApproval().awaitResolve({ label: "Change" }).awaitApproval(),
      {},
    ],
  ])("says of %s that it asks, and how", async (_what, tool, asks) => {
    const loop = new AgentLoop(executorOf({ tool }))
    const { verdict, reason, params, ...rest } = await loop.decide({ callId: "c", name: "tool", params: {} })
    expect(verdict).toBe("ask")
    expect(rest).toEqual(asks)
  })

  it("asks nobody about arguments that are not JSON", async () => {
    const loop = new AgentLoop(executorOf({ tool: pipeline().awaitApproval().andThen(work) }))
    const call = { callId: "c", name: "tool", params: '{"text": "cut' }
    expect(await loop.decide(call)).toMatchObject({ verdict: "invalid" })
    expect(await loop.run(call, {})).toMatchObject({ status: "error", reason: "invalid" })
  })

  it("counts only gates that no rule passes", async () => {
    const plan = pipeline().awaitApproval().andThen(work).awaitApproval({ person: true })
    const filters = ToolFilters.compile({ tool: { allow: [".*"] } })
    const loop = new AgentLoop(executorOf({ tool: plan }, { filters }))
    const decision = await loop.decide({ callId: "c", name: "tool", params: {} })
    expect(decision).toMatchObject({ verdict: "ask", person: true })
    expect(decision).not.toHaveProperty("gates")
  })

  it("takes nothing but the parameters from an answer, though a rule was added that passes the gate", async () => {
    const filters = ToolFilters.compile({})
    const tool = pipeline()
      .awaitApproval()
      .andThen(({ call }) => Step.Output(`${call.name} ${JSON.stringify(call.params)}`))
    const loop = new AgentLoop(executorOf({ tool, other: pipeline() }, { filters }))
    const call = { callId: "c", name: "tool", params: {} }
    await loop.decide(call)
    filters.add({ tool: { allow: [".*"] } })
    expect(await loop.decide(call)).toMatchObject({ verdict: "ask" })
    const answer: LoopAnswer & { readonly name: string } = { params: { a: 1 }, name: "other" }
    expect(await loop.run(call, { approval: "a", answer })).toMatchObject({ content: 'tool {"a":1}' })
  })

  it("runs an approved call once for each approval, and asks at its other gates", async () => {
    const ran: Array<string> = []
    const tool = pipeline()
      .awaitApproval()
      .andThen(({ call }) => {
        ran.push(call.callId)
        return Step.Output("done")
      })
      .awaitApproval()
    const asked: Array<string> = []
    const loop = new AgentLoop(executorOf({ tool }), {
      onQuestion: (question) => {
        asked.push(question.callId)
        if (question._tag === "AwaitingApproval") question.deny("not this")
      },
    })
    const call = { callId: "c", name: "tool", params: {} }
    const results = await Promise.all([loop.run(call, { approval: "a" }), loop.run(call, { approval: "a" })])
    expect(results[0]).toBe(results[1])
    expect(results[0]).toMatchObject({ status: "denied" })
    expect(toldBlocks(results[0]!)).toEqual([{ type: "text", text: expect.stringContaining("not this") }])
    expect([ran, asked]).toEqual([["c"], ["c"]])
  })

  it("passes no gate of a nested call by the approval of its outer call", async () => {
    const inner = pipeline()
      .awaitApproval()
      .andThen(async ({ delta }) => {
        await delta("inner")
        return Step.Output("done")
      })
    const outer = pipeline().andThen(async ({ call, delta }) => {
      await delta("outer")
      return Step.Output((await call("inner")).content)
    })
    const asked: Array<string> = []
    const deltas: Array<string> = []
    const loop = new AgentLoop(executorOf({ outer, inner }), {
      onQuestion: (question) => {
        asked.push(question.callId)
        if (question._tag === "AwaitingApproval") question.approve({ params: { edited: true } })
      },
    })
    const run = { approval: "a", onDelta: (text: string) => void deltas.push(text) }
    const result = await loop.run({ callId: "c", name: "outer", params: {} }, run)
    expect(result).toMatchObject({ status: "complete", content: "done" })
    expect(result).not.toHaveProperty("editedParams")
    expect([asked, deltas]).toEqual([["c/1"], ["outer"]])
  })

  it("has the definitions of `resolve` and `read_result` up front, if asked for them", () => {
    const { agent } = new AgentLoop(executorOf({ tool: pipeline() }))
    const names = (options?: { withResolve: boolean }) => agent.definitions(options).map(({ name }) => name)
    expect(names()).toEqual(["tool"])
    expect(names({ withResolve: true })).toEqual(["tool", "read_result", "resolve"])
    expect(() => agent.definitions({ resolve: true } as never)).toThrow("`definitions`")
  })

  it("passes on who gave the SDK's approval, and asks for the others that a gate needs", async () => {
    const plan = pipeline()
      .awaitApproval({ approvers: (by) => by !== "eve", quorum: 2 })
      .andThen(work)
    const single = pipeline()
      .awaitApproval({ approvers: (by) => by !== "eve" })
      .andThen(work)
    const executor = executorOf({ plan, single })
    const by = (_call: LoopCall, context: unknown) => String(context)
    const run = (options: AgentLoopOptions, name: string, context: string) => {
      const call = { callId: `${name} ${context}`, name, params: {} }
      return new AgentLoop(executor, options).run(call, { approval: call.callId, context })
    }
    expect(await run({ by }, "single", "ann")).toMatchObject({
      status: "complete",
      decidedBy: { kind: "user", id: "ann" },
    })
    expect(await run({ by }, "single", "eve")).toMatchObject({ status: "denied" })
    expect(await run({ by }, "plan", "ann")).toMatchObject({
      status: "denied",
      content: expect.stringContaining("The approval before this call is not enough"),
    })
    const onQuestion = (question: LoopQuestion) =>
      question._tag === "AwaitingApproval" && question.approve({ by: "bob" })
    expect(await run({ by, onQuestion }, "plan", "ann, once more")).toMatchObject({
      status: "complete",
      decidedBy: { kind: "user", approvedBy: ["ann, once more", "bob"] },
    })
  })
})
