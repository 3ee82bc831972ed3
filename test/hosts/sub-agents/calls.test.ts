import { describe, expect, it } from "vitest"
import { SubAgents } from "../../../src/hosts/sub-agents/index.ts"
import { allTools, subagentTools } from "../../../src/impls/index.ts"
import { spawnAgentTool } from "../../../src/impls/spawn-agent.ts"
import { pipeline, Step, ToolExecutor, ToolRegistry, type ToolResult } from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import { toolOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { crewOf } from "./crew.ts"

const echo = toolOf(
  "echo",
  pipeline().andThen(({ call }) => Step.Output(call.agentId)),
)

const gated = toolOf(
  "gated",
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Delta("…"))
    .andThen(() => Step.Delegate({ _tag: "Ask" }))
    .andThen(() => Step.Output("acted")),
)

describe("a sub-agent's calls", () => {
  it("run under its own agent id, in a lane of its own", async () => {
    const held = heldTool()
    const { executor, spawn, get, subAgents } = crewOf(
      async (_task, { call }) => (await call({ name: "echo" })).content,
      { also: [echo, toolOf("held", held.plan)] },
    )
    await spawn("one")
    const { agentId } = subAgents.get("one")!
    // The parent's lane is taken all the while.
    const parent = executor.run({ callId: "held", name: "held" })
    expect(await subAgents.wait("one")).toMatchObject({ status: "complete", message: agentId })
    held.release("held")
    await parent
    expect(await get("one")).toContain(agentId)
  })

  it("tell and ask the host with the label, and are answered there", async () => {
    const { executor, spawn, subAgents, told } = crewOf(
      async (_task, { call }) => (await call({ name: "gated" })).content,
      {
        also: [gated],
        answer: (event) => {
          if (event._tag === "AwaitingApproval") event.approve()
          if (event._tag === "Delegate") event.succeed()
        },
      },
    )
    await spawn("one")
    const { agentId } = subAgents.get("one")!
    expect(subAgents.labelOf(agentId)).toBe("one")
    expect(subAgents.labelOf("main")).toBeUndefined()
    expect(await subAgents.wait("one")).toMatchObject({ message: "acted" })
    const expected = ["Started", "AwaitingApproval", "Delta", "Delegate", "Completed"]
    expect(told.map(({ event }) => event._tag)).toEqual(expected)
    for (const { event, label } of told)
      expect({ label, agentId: event.agentId }).toEqual({ label: "one", agentId })
    // They are not among the executor's own.
    expect(await executor.next()).toBeUndefined()
  })

  it("are denied at gates where nobody is told", async () => {
    const { spawn, subAgents } = crewOf(async (_task, { call }) => (await call({ name: "gated" })).status, {
      also: [gated],
      onEvent: undefined as never,
    })
    await spawn("one")
    expect(await subAgents.wait("one")).toMatchObject({ message: "denied" })
  })

  it("may go through the executor as well, which knows the agent's tools", async () => {
    const crew = crewOf(
      async (_task, { agentId }) => {
        const result = await crew.executor.run({ agentId, name: "spawn_agent", params: { task: "more" } })
        return result.content
      },
      { also: [echo] },
    )
    await crew.spawn("one")
    const { message } = (await crew.subAgents.wait("one"))!
    expect(message).toBe('Unknown tool "spawn_agent". Available tools: echo')
  })
})

describe("a sub-agent's tools", () => {
  const toolsOf = async (registry: ToolRegistry, active?: ReadonlyArray<string>) => {
    const seen = deferred<Array<string>>()
    const subAgents = new SubAgents(async (_task, { tools }) => {
      seen.resolve(tools.map(({ name }) => name))
      return ""
    })
    await using executor = new ToolExecutor(registry, { delegates: subAgents.delegates })
    subAgents.attach(executor)
    if (active !== undefined) executor.agent("main").setActiveTools(active)
    await executor.run({ name: "spawn_agent", params: { task: "work" }, decision: "approve" })
    return seen.promise
  }

  it("are those of sub-agents, which start none", async () => {
    const others = allTools().filter(({ name }) => name !== "spawn_agent")
    const names = await toolsOf(new ToolRegistry([...others, spawnAgentTool]))
    expect(names.toSorted()).toEqual(
      subagentTools()
        .map(({ name }) => name)
        .toSorted(),
    )
    expect(names).not.toContain("spawn_agent")
  })

  it("are no more than its parent's", async () => {
    const others = allTools().filter(({ name }) => name !== "spawn_agent")
    const registry = new ToolRegistry([...others, spawnAgentTool])
    expect(await toolsOf(registry, ["read_file", "spawn_agent"])).toEqual(["read_file"])
  })

  it("do not let it spawn agents even where the host hands it that tool", async () => {
    const { spawn, subAgents } = crewOf(
      async (_task, { call }) => {
        const again = { name: "spawn_agent", params: { task: "more" }, decision: "approve" } as const
        return (await call(again)).content
      },
      { tools: ["spawn_agent"] },
    )
    await spawn("one")
    expect(await subAgents.wait("one")).toMatchObject({
      message: "An agent that was spawned cannot spawn others. Do the task yourself.",
    })
    expect(subAgents.list()).toHaveLength(1)
  })

  it("include `resolve` while something is pending", async () => {
    const preview = toolOf("preview", pipeline().awaitResolve({ label: "Rename" }))
    const names: Array<Array<string>> = []
    const { spawn, subAgents } = crewOf(
      async (_task, run) => {
        const results: Array<ToolResult> = []
        names.push(run.tools.map(({ name }) => name))
        results.push(await run.call({ name: "preview" }))
        names.push(run.tools.map(({ name }) => name))
        results.push(await run.call({ name: "resolve", params: { action: "apply", reason: "so" } }))
        names.push(run.tools.map(({ name }) => name))
        return results.map(({ status }) => status).join()
      },
      { also: [preview] },
    )
    await spawn("one")
    expect(await subAgents.wait("one")).toMatchObject({ message: "complete,complete" })
    expect(names).toEqual([["preview"], ["preview", "resolve"], ["preview"]])
  })
})
