import { describe, expect, it } from "vitest"
import { pipeline } from "../../../src/index.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { toolOf } from "../../support/executor-of.ts"
import { crewOf } from "./crew.ts"

const statuses = ({ subAgents }: ReturnType<typeof crewOf>): Array<string> =>
  subAgents.list().map(({ label, status, message }) => `${label} ${status} ${message}`.trim())

describe("a sub-agent", () => {
  it("is cancelled with its parent, and only with its own", async () => {
    const crew = crewOf(never)
    await crew.spawn("one", "main")
    await crew.spawn("two", "other")
    crew.executor.cancel({ agentId: "main", reason: "Stop" })
    expect(statuses(crew)).toEqual(["one cancelled Stop", "two running"])
    crew.executor.cancel()
    expect(statuses(crew)).toEqual(["one cancelled Stop", "two cancelled Cancelled"])
  })

  it("that was started after a cancel of its parent works", async () => {
    const crew = crewOf(never)
    await crew.spawn("one")
    crew.executor.cancel()
    await crew.spawn("two")
    expect(statuses(crew)).toEqual(["one cancelled Cancelled", "two running"])
    crew.executor.cancel()
    expect(statuses(crew)[1]).toBe("two cancelled Cancelled")
  })

  it("is cancelled with its own calls", async () => {
    const crew = crewOf(never)
    await crew.spawn("one")
    crew.executor.cancel({ agentId: crew.subAgents.get("one")!.agentId })
    expect(statuses(crew)).toEqual(["one cancelled Cancelled"])
  })

  it("goes on after a soft cancel of its parent", async () => {
    const crew = crewOf(never)
    await crew.spawn("one")
    crew.executor.cancelForeground({ agentId: "main" })
    expect(statuses(crew)).toEqual(["one running"])
  })

  it("ends with the executor", async () => {
    const crew = crewOf(never)
    await crew.spawn("one")
    await crew.executor.shutdown()
    expect(statuses(crew)).toEqual(["one cancelled Cancelled: the executor was shut down"])
  })

  it("that was cancelled has no tools left, and once it has let go, nothing is remembered of it", async () => {
    const release = deferred<string>()
    const crew = crewOf(() => release.promise, { also: [toolOf("echo", pipeline())] })
    await crew.spawn("one")
    const { agentId } = crew.subAgents.get("one")!
    const names = () =>
      crew.executor
        .agent(agentId)
        .definitions()
        .map(({ name }) => name)
    expect(names()).toEqual(["echo"])
    crew.executor.cancel()
    expect(names()).toEqual([])
    release.resolve("done")
    await turn()
    // As of any agent that the executor knows nothing of.
    expect(names()).toEqual(["spawn_agent", "list_agents", "get_agent", "echo"])
  })
})
