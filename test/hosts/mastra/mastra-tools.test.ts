import { expect, it } from "vitest"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { describeWith } from "../../support/needs.ts"
import { agentOf, type MastraStream, newStore } from "./mastra.ts"

const text = (value: string) => ({ type: "text", value })
const drain = async ({ fullStream }: MastraStream): Promise<void> => {
  for await (const _ of fullStream);
}
const write = pipeline()
  .awaitApproval()
  .andThen(({ call }) => Step.Output(`wrote ${JSON.stringify(call.params)}`))
const writes = (id: string, params = { text: id }) => ({ id, name: "write", params })

describeWith("mastra")("Mastra: calls", () => {
  it("are run, and the model is told their results", async () => {
    const executor = executorOf({
      greet: ({ whom }) => pipeline().andThen(() => Step.Output(`hello ${whom}`)),
      fail: pipeline().andThen(() => Step.Error("The disk is full")),
    })
    const calls = [
      { id: "a", name: "greet", params: { whom: "you" } },
      { id: "b", name: "fail" },
    ]
    const { agent, told } = agentOf(executor, [calls, "done"])
    expect((await agent.generate("Greet")).text).toBe("done")
    expect(told()).toEqual({ a: text("hello you"), b: text("The disk is full") })
  })

  it("of each step are a turn: a preview withholds others, until `resolve` is called", async () => {
    const change = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(() => Step.Output("changed"))
    const note = pipeline().andThen(() => Step.Output("noted"))
    const { agent, told } = agentOf(executorOf({ change, note }), [
      [{ id: "a", name: "change" }],
      [{ id: "b", name: "note" }],
      [{ id: "r", name: "resolve", params: { action: "apply", reason: "good" } }],
      "done",
    ])
    await agent.generate("Change")
    expect(told()).toMatchObject({
      b: { value: expect.stringContaining("was not executed") },
      r: text("changed"),
    })
  })

  it("end with the run", async () => {
    const controller = new AbortController()
    const started = deferred<undefined>()
    const held = pipeline().andThen(({ signal }) => {
      started.resolve(undefined)
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    })
    const executor = executorOf({ held })
    const { agent } = agentOf(executor, [[{ id: "a", name: "held" }], "done"])
    const run = agent.generate("Hold", { abortSignal: controller.signal }).catch(() => undefined)
    await started.promise
    controller.abort()
    await run
    expect(executor.inspect()).toEqual([])
  })
})

describeWith("mastra")("Mastra: a gate", () => {
  it("suspends the run, which goes on once the call is approved", async () => {
    const { plan, log } = gatedTool()
    const { agent, told } = agentOf(executorOf({ write: plan }), [[writes("a")], "done"])
    const first = await agent.generate("Write")
    expect(first.finishReason).toBe("suspended")
    expect(first.suspendPayload).toMatchObject({
      toolCallId: "a",
      suspendPayload: { name: "write", args: { text: "a" }, argsSchema: { type: "object" } },
    })
    expect(log).toEqual([])
    const second = await agent.resumeGenerate({ type: "approve" }, { runId: first.runId, toolCallId: "a" })
    expect([second.text, log]).toEqual(["done", ["before", "after", "closed"]])
    expect(told()).toEqual({ a: text("after") })
  })

  it.each([
    [{ type: "reject", message: "Not today" }, "Not today"],
    [
      { type: "edit", editedAction: { args: { text: "b" } } },
      expect.stringMatching(/^wrote {"text":"b"}\n.*changed/),
    ],
  ])("is answered with %j", async (answer, value) => {
    const { agent, told } = agentOf(executorOf({ write }), [[writes("a")], "done"])
    const { runId } = await agent.generate("Write")
    await agent.resumeGenerate(answer, { runId, toolCallId: "a" })
    expect(told()).toEqual({ a: { type: "text", value } })
  })

  it("is not passed by anything else", async () => {
    const { plan, log } = gatedTool()
    const { agent, told } = agentOf(executorOf({ write: plan }), [[writes("a")], "done"])
    const { runId } = await agent.generate("Write")
    await agent.resumeGenerate({ approved: true }, { runId, toolCallId: "a" })
    expect(log).toEqual([])
    expect(JSON.stringify(told())).toContain("Resume a suspended call with")
  })

  it("of each call of a turn is answered on its own", async () => {
    const { agent, told } = agentOf(executorOf({ write }), [[writes("a"), writes("b")], "done"])
    const first = await agent.stream("Write", {})
    await drain(first)
    // `resumeGenerate` rejects where another call is still suspended.
    for (const [toolCallId, type] of [
      ["a", "reject"],
      ["b", "approve"],
    ])
      await drain(await agent.resumeStream({ type }, { runId: first.runId, toolCallId }))
    expect(told()).toEqual({ a: text("Denied by user"), b: text('wrote {"text":"b"}') })
  })

  it("is answered in another process, and once, however often its snapshot is resumed", async () => {
    const { plan, log } = gatedTool()
    const store = newStore()
    const first = agentOf(executorOf({ write: plan }), [[writes("a")]], { store })
    const { runId } = await first.agent.generate("Write")
    const later = agentOf(executorOf({ write: plan }), ["done", "done"], { store })
    const resume = () => later.agent.resumeGenerate({ type: "approve" }, { runId, toolCallId: "a" })
    await Promise.allSettled([resume(), resume()])
    await expect(resume()).rejects.toThrow("could not find a suspended run")
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("is no question about arguments that are not JSON, which Mastra takes for none", async () => {
    const tool = defineTool({
      name: "write",
      description: "Writes.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      compose: () => write,
    })
    const calls = [{ id: "a", name: "write", params: '{"text": "cut' }]
    const { agent, told } = agentOf(new ToolExecutor(new ToolRegistry([tool])), [calls, "done"])
    expect((await agent.generate("Write")).text).toBe("done")
    expect(JSON.stringify(told())).toContain("must have required property 'text'")
  })

  it("is no question where a rule decides", async () => {
    const { plan, log } = gatedTool()
    const filters = ToolFilters.compile({ write: { allow: [".*"] } })
    const { agent } = agentOf(executorOf({ write: plan }, { filters }), [[writes("a")], "done"])
    expect((await agent.generate("Write")).text).toBe("done")
    expect(log).toEqual(["before", "after", "closed"])
  })
})
