import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { until } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"

const staging = pipeline()
  .andThen(() => Step.Output("preview"))
  .awaitResolve({ label: "Change it" })
  .andThen(() => Step.Output("changed"))

const note = pipeline().andThen(({ call }) => Step.Output(`note of ${call.agentId}`))

const names = (definitions: ReadonlyArray<{ readonly name: string }>) => definitions.map(({ name }) => name)

describe("a view of an agent", () => {
  it("has the agent's tools, and no other agent's", () => {
    const executor = executorOf({ note, staging })
    const agent = executor.agent("a")
    agent.setActiveTools(["note"])
    expect(names(agent.definitions())).toEqual(["note"])
    expect(names(executor.agent("b").definitions())).toEqual(["note", "staging"])
    expect(agent.tool("note")?.name).toBe("note")
    expect(agent.tool("staging")).toBeUndefined()
    agent.forget()
    expect(names(executor.agent("a").definitions())).toEqual(["note", "staging"])
  })

  it("tells when its definitions may be others", async () => {
    const executor = executorOf({ note, staging })
    const agent = executor.agent("a")
    const told: Array<string> = []
    const stop = agent.onDefinitionsChange(() => void told.push(names(agent.definitions()).join(" ")))
    agent.onDefinitionsChange(() => {
      throw new Error("a listener that fails")
    })
    executor.agent("b").setActiveTools(["note"])
    agent.setActiveTools(["staging"])
    await agent.runTurn([{ name: "staging" }])
    await agent.resolve({ action: "discard", reason: "no" })
    agent.setStandingResolveHandler(async () => ({ content: [] }))
    agent.forget()
    expect(told).toEqual(["staging", "staging resolve", "staging", "staging resolve", "note staging"])
    stop()
    agent.setActiveTools(["note"])
    expect(told).toHaveLength(5)
  })

  it("is of the agent `main` by default", () => {
    expect(executorOf({ note }).agent().agentId).toBe("main")
  })

  it("lists and resolves the agent's pending actions", async () => {
    const executor = executorOf({ staging })
    const agent = executor.agent("a")
    await executor.run({ name: "staging", agentId: "a" })
    expect(executor.agent("b").pendingActions.hasPending).toBe(false)
    expect(agent.pendingActions.peek()).toMatchObject({ label: "Change it", sourceToolName: "staging" })
    expect(agent.toolChoice()).toMatchObject({ mode: "remind", toolName: "resolve" })
    expect(names(agent.definitions())).toEqual(["staging", "resolve"])
    expect(await agent.resolve({ action: "apply", reason: "right" })).toMatchObject({
      status: "complete",
      content: "changed",
    })
    expect(agent.pendingActions.hasPending).toBe(false)
  })

  it("has a standing handler of its own", async () => {
    const executor = executorOf({ note })
    executor.agent("a").setStandingResolveHandler(() => "approved")
    expect(await executor.agent("a").resolve({ action: "apply", reason: "go" })).toMatchObject({
      status: "complete",
      content: "approved",
    })
    expect(await executor.agent("b").resolve({ action: "apply", reason: "go" })).toMatchObject({
      status: "error",
    })
  })

  it("cancels the agent's calls alone, and aborts its signal", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan })
    const { signal } = executor.agent("a")
    const ofA = executor.run({ name: "held", agentId: "a" })
    const ofB = executor.run({ name: "held", agentId: "b" })
    await until(() => held.running.length === 2)
    expect(executor.agent("a").cancel({ reason: "enough" })).toBe(1)
    expect(await ofA).toMatchObject({ status: "cancelled", content: "enough" })
    expect([signal.aborted, executor.agent("b").signal.aborted]).toEqual([true, false])
    executor.cancel()
    await ofB
  })
})

describe("a turn that is run", () => {
  it("gives the results in the order of its calls", async () => {
    const executor = executorOf({ note, fails: pipeline().andThen(() => Step.Error("no")) })
    const told: Array<string> = []
    const results = await executor
      .agent("a")
      .runTurn([{ name: "fails" }, { name: "note" }], ({ _tag }) => told.push(_tag))
    expect(results.map(({ status, content }) => [status, content])).toEqual([
      ["error", "no"],
      ["complete", "note of a"],
    ])
    expect(told).toEqual(["Started", "Error", "Started", "Completed"])
  })

  it("is withheld while a preview waits that it ignores", async () => {
    const executor = executorOf({ note, staging })
    const agent = executor.agent("a")
    await agent.runTurn([{ name: "staging" }])
    await agent.runTurn([{ name: "note" }])
    const [result] = await agent.runTurn([{ name: "note" }])
    expect(result?.isError).toBe(true)
    expect(agent.toolChoice()?.mode).toBe("force")
  })

  it("gives what each call came to where its signal is aborted, once all are over", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan, note })
    const controller = new AbortController()
    const { signal } = controller
    const told: Array<string> = []
    const calls = [{ name: "note" }, { name: "held" }, { name: "note" }]
    const turn = executor.agent("a").runTurn(calls, (event) => told.push(event._tag), { signal })
    await until(() => held.running.length === 1)
    controller.abort()
    const results = await turn
    expect(results.map(({ status, content, isError, by }) => [status, content, isError, by])).toEqual([
      ["complete", "note of a", false, undefined],
      ["cancelled", "Cancelled", true, "call"],
      ["cancelled", "Cancelled", true, "call"],
    ])
    expect(told).toEqual(["Started", "Completed", "Started", "Cancelled", "Cancelled"])
    expect(executor.inspect()).toEqual([])
    expect(await executor.agent("a").runTurn(calls, undefined, { signal })).toMatchObject(
      calls.map(() => ({ status: "cancelled", content: "Cancelled" })),
    )
    await expect(
      executor.agent("a").beginTurn().run({ name: "note" }, undefined, { signal }),
    ).rejects.toThrow(expect.objectContaining({ name: "AbortError" }))
  })

  it("refuses what is no array of calls", async () => {
    const agent = executorOf({ note }).agent()
    await expect(agent.runTurn({} as never)).rejects.toThrow(
      "Expected `runTurn` to be given an array of calls",
    )
  })
})

describe("a turn whose calls come one by one", () => {
  const force = async () => {
    const executor = executorOf({ note, staging })
    const agent = executor.agent("a")
    await agent.runTurn([{ name: "staging" }])
    const turn = agent.beginTurn()
    turn.end()
    expect(agent.toolChoice()?.mode).toBe("force")
    return agent
  }

  it("is withheld as its first call says, and counts once", async () => {
    const agent = await force()
    const turn = agent.beginTurn()
    const results = await Promise.all([turn.run({ name: "note" }), turn.run({ name: "note" })])
    expect(results.map(({ reason }) => reason)).toEqual(["withheld", "withheld"])
    turn.end()
    // Three forced turns in vain set the choice free: this was the first.
    agent.beginTurn().end()
    expect(agent.toolChoice()?.mode).toBe("force")
    agent.beginTurn().end()
    expect(agent.toolChoice()?.mode).toBe("auto")
  })

  it("resolves, and lets what follows run", async () => {
    const agent = await force()
    const turn = agent.beginTurn()
    const resolved = await turn.run({ name: "resolve", params: { action: "discard", reason: "no" } })
    const noted = await turn.run({ name: "note" })
    expect([resolved.status, noted.status]).toEqual(["complete", "complete"])
  })

  it("throws for what is no call", () => {
    const turn = executorOf({ note }).agent().beginTurn()
    expect(() => turn.run({ name: 1 } as never)).toThrow(TypeError)
  })
})
