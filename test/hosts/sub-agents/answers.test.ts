import { afterEach, describe, expect, it, vi } from "vitest"
import { SubAgents } from "../../../src/hosts/sub-agents/index.ts"
import { spawnAgentTool } from "../../../src/impls/spawn-agent.ts"
import { ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { deferred, never } from "../../support/deferred.ts"
import { crewOf } from "./crew.ts"

const ended = (label: string, status: string, message: string) => `Agent ${label} [${status}]:\n${message}`

describe("spawn_agent", () => {
  it("answers at once, and hands the function its task, label and context", async () => {
    const seen = deferred<unknown>()
    const { executor, subAgents } = crewOf((task, { label, context, agentId }) => {
      seen.resolve({ task, label, context, agentId })
      return never()
    })
    const params = { task: "Count", label: "count", context: "In src." }
    const result = await executor.run({ name: "spawn_agent", params, decision: "approve" })
    expect(result).toMatchObject({
      status: "complete",
      content:
        'Spawned agent "count". It works while you go on; get_agent gives its answer once it has ended.',
    })
    const [agent] = subAgents.list()
    expect(await seen.promise).toEqual({ ...params, agentId: agent!.agentId })
    expect(agent).toMatchObject({ label: "count", parentId: "main", status: "running", message: "" })
  })

  it("gives each agent a label of its own, also where two want the same or none", async () => {
    const { spawn, subAgents } = crewOf(never)
    for (const label of ["count", "count", undefined, " count\n", "\u001b[2J", "count"]) await spawn(label)
    const labels = subAgents.list().map(({ label }) => label)
    expect(labels).toEqual(["count", "count-2", "agent-3", "count-3", "[2J", "count-4"])
    const ids = subAgents.list().map(({ agentId }) => agentId)
    expect(new Set(ids).size).toBe(6)
  })

  it("cuts a label that is longer than a line, through no character", async () => {
    const { spawn, subAgents } = crewOf(never)
    await spawn("👩".repeat(200))
    expect(subAgents.list()[0]!.label).toBe("👩".repeat(60))
  })

  it("gives a label that was taken with its agent to the next one that wants it", async () => {
    const { spawn, subAgents, get } = crewOf(async () => "done")
    await spawn("count")
    await subAgents.wait("count")
    await get("count")
    expect(await spawn("count")).toContain('"count"')
  })

  it("is refused while as many work as may, and not once one has ended", async () => {
    const release = deferred<string>()
    const { spawn, subAgents } = crewOf(() => release.promise, { maxRunning: 2 })
    await spawn("one")
    await spawn("two")
    expect(await spawn("three")).toBe("Too many agents are at work (at most 2). Wait until one has ended.")
    release.resolve("done")
    await subAgents.wait("two")
    expect(await spawn("three")).toContain("Spawned")
  })

  it("fails where the host has forgotten to attach the executor", async () => {
    const { delegates } = new SubAgents(never)
    await using executor = new ToolExecutor(new ToolRegistry([spawnAgentTool]), { delegates })
    const call = { name: "spawn_agent", params: { task: "work" }, decision: "approve" } as const
    expect(await executor.run(call)).toMatchObject({
      status: "error",
      content: "SubAgents has no executor: call its `attach` first",
    })
  })
})

describe("list_agents", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("gives a numbered line for each agent, with its status and for how long it has worked", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    const release = deferred<string>()
    const { spawn, list, subAgents } = crewOf((_task, { label }) =>
      label === "short" ? release.promise : never(),
    )
    expect(await list()).toBe("No agents")
    await spawn("short")
    vi.advanceTimersByTime(12_900)
    release.resolve("done")
    await subAgents.wait("short")
    await spawn("long")
    vi.advanceTimersByTime(185_000)
    expect(await list()).toBe("1. short [Complete] 12s\n2. long [Running] 3m 05s")
    vi.advanceTimersByTime(2 * 3_600_000)
    expect(await list()).toBe("1. short [Complete] 12s\n2. long [Running] 2h 03m")
  })

  it("shows an agent those that it has started, and no others", async () => {
    const { spawn, list } = crewOf(never)
    await spawn("mine", "main")
    await spawn("yours", "other")
    expect(await list("main")).toMatch(/^1\. mine \[Running\] \d+s$/)
    expect(await list("other")).toMatch(/^1\. yours \[Running\] \d+s$/)
    expect(await list("third")).toBe("No agents")
  })
})

describe("get_agent", () => {
  it("gives the last message of an agent that has ended, once", async () => {
    const { spawn, get, list, subAgents } = crewOf(async (task) => `I did the ${task}`)
    await spawn("count")
    await subAgents.wait("count")
    expect(await get("count")).toBe(ended("count", "Complete", "I did the work"))
    expect(await get("count")).toBe("Agent count not found. There are no agents.")
    expect(await list()).toBe("No agents")
  })

  it("says so while the agent works, and takes nothing", async () => {
    const release = deferred<string>()
    const { spawn, get, subAgents } = crewOf(() => release.promise)
    await spawn("count")
    expect(await get("count")).toMatch(/^Agent count is still running \(\d+s\)\. Ask again later\.$/)
    release.resolve("12")
    await subAgents.wait("count")
    expect(await get("count")).toBe(ended("count", "Complete", "12"))
  })

  it.each([
    [async () => Promise.reject(new Error("out of tokens"))],
    [
      () => {
        throw new Error("out of tokens")
      },
    ],
  ])("tells why an agent failed", async (run) => {
    const { spawn, get, subAgents } = crewOf(run)
    await spawn("count")
    await subAgents.wait("count")
    expect(await get("count")).toBe(ended("count", "Error", "out of tokens"))
  })

  it("finds no agent of another parent, and names those there are", async () => {
    const { spawn, get, executor } = crewOf(never)
    await spawn("one", "main")
    await spawn("two", "main")
    await spawn("secret", "other")
    const call = { name: "get_agent", params: { label: "secret" } }
    expect(await executor.run(call)).toMatchObject({
      status: "error",
      content: "Agent secret not found. Agents: one, two",
    })
    expect(await get("one", "other")).toBe("Agent one not found. Agents: secret")
  })

  it("cuts a message past 50,000 bytes", async () => {
    const { spawn, get, subAgents } = crewOf(async () => `first ${"ü".repeat(100_000)} last`)
    await spawn("count")
    await subAgents.wait("count")
    const answer = await get("count")
    expect(answer).toContain("\nfirst ü")
    expect(answer).toMatch(/ü last$/)
    expect(answer).toMatch(/\n\[\d+ bytes truncated\]\n/)
    expect(Buffer.byteLength(answer)).toBeLessThan(50_200)
  })
})

describe("agents that nobody takes", () => {
  it("are dropped past a number, those that ended first going first", async () => {
    const releases = new Map<string, (message: string) => void>()
    const { spawn, subAgents } = crewOf(
      (_task, { label }) => new Promise((resolve) => releases.set(label, resolve)),
      { maxEnded: 2 },
    )
    for (const label of ["one", "two", "three"]) await spawn(label)
    const agentId = subAgents.get("two")!.agentId
    for (const label of ["two", "three", "one"]) {
      releases.get(label)!("done")
      await subAgents.wait(label)
    }
    expect(subAgents.list().map(({ label }) => label)).toEqual(["one", "three"])
    expect(subAgents.labelOf(agentId)).toBeUndefined()
  })
})

it.each(["maxRunning", "maxEnded"])("%s must be a positive integer", (name) => {
  for (const value of [0, -1, 1.5, Number.NaN, "2"]) {
    expect(() => new SubAgents(never, { [name]: value })).toThrow(
      new TypeError(`Expected \`${name}\` to be a positive integer, got \`${value}\` (${typeof value})`),
    )
  }
})
