import { describe, expect, it, onTestFinished } from "vitest"
import type { AgentRun } from "../../../src/hosts/sub-agents/index.ts"
import { pipeline, Step, type ToolResult } from "../../../src/index.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { toolOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { crewOf } from "./crew.ts"

const gated = toolOf(
  "gated",
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("acted")),
)

/** A tool whose calls run until they are released, and when so many of them run. */
const heldTools = (count: number) => {
  const held = heldTool()
  const allRun = deferred()
  let begun = 0
  const note = () => {
    begun += 1
    if (begun === count) allRun.resolve()
    return Step.Continue
  }
  return { held, tool: toolOf("held", pipeline().andThen(note).andThen(held.hold)), allRun: allRun.promise }
}

const failureOf = (promise: Promise<ToolResult>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error.name,
  )

/** An agent that runs three calls at once: one runs, one is queued behind it, one waits at a gate in the background. */
const busyCrew = async () => {
  const { held, tool, allRun } = heldTools(1)
  const failures = deferred<Array<unknown>>()
  const isAsked = deferred()
  let run!: AgentRun
  const crew = crewOf(
    async (_task, given) => {
      run = given
      const calls = [
        run.call({ callId: "running", name: "held" }),
        run.call({ callId: "queued", name: "held" }),
        run.call({ callId: "waiting", name: "gated", background: true }),
      ]
      failures.resolve(await Promise.all(calls.map(failureOf)))
      return "I finished all the same"
    },
    {
      also: [tool, gated],
      answer: ({ _tag }) => {
        if (_tag === "AwaitingApproval") isAsked.resolve()
      },
    },
  )
  await crew.spawn("busy")
  await Promise.all([allRun, isAsked.promise])
  return { ...crew, held, run, failures: failures.promise }
}

describe("cancelling a sub-agent", () => {
  it("ends all that it runs, and tells its function", async () => {
    const { subAgents, run, failures, told, executor, held } = await busyCrew()
    expect(subAgents.cancel({ agentId: "main", reason: "Not needed any more" })).toBe(1)
    expect(run.signal.reason).toMatchObject({ name: "AbortError", message: "Not needed any more" })
    expect(await failures).toEqual(["AbortError", "AbortError", "AbortError"])
    expect(executor.inspect()).toEqual([])
    const ends = told.flatMap(({ event }) => (event._tag === "Cancelled" ? [event.callId] : []))
    expect(ends.toSorted()).toEqual(["queued", "running", "waiting"])
    expect(told.some(({ event }) => event._tag === "Started" && event.callId === "queued")).toBe(false)
    expect(held.running).toEqual(["running"])
  })

  it("is final, whatever its function gives", async () => {
    const { subAgents, get, ended } = await busyCrew()
    subAgents.cancel({ reason: "Not needed any more" })
    await turn()
    expect(await get("busy")).toBe("Agent busy [Cancelled]:\nNot needed any more")
    expect(ended).toMatchObject([{ label: "busy", status: "cancelled" }])
    expect(subAgents.cancel()).toBe(0)
  })

  it("leaves the other agents and their parents alone", async () => {
    const { subAgents, spawn, executor } = crewOf(never, { also: [gated] })
    await spawn("one", "main")
    await spawn("two", "main")
    await spawn("three", "other")
    executor.enqueue([{ callId: "parent", name: "gated" }])
    expect(subAgents.cancel({ label: "two" })).toBe(1)
    expect(subAgents.cancel({ agentId: "other" })).toBe(1)
    const statuses = subAgents.list().map(({ label, status }) => `${label} ${status}`)
    expect(statuses).toEqual(["one running", "two cancelled", "three cancelled"])
    expect(executor.inspect()).toMatchObject([{ callId: "parent" }])
    executor.cancel()
  })

  it("refuses its later calls", async () => {
    const { subAgents, run } = await busyCrew()
    subAgents.cancel()
    expect(await failureOf(run.call({ name: "gated" }))).toBe("AbortError")
  })

  it("gives its place free only once its function has settled", async () => {
    const release = deferred<string>()
    const { subAgents, spawn } = crewOf(() => release.promise, { maxRunning: 1 })
    await spawn("stubborn")
    const { agentId } = subAgents.get("stubborn")!
    subAgents.cancel()
    subAgents.take("stubborn")
    expect(await spawn("next")).toContain("Too many agents are at work")
    expect(subAgents.labelOf(agentId)).toBe("stubborn")
    release.resolve("done")
    await turn()
    expect(await spawn("next")).toContain("Spawned")
    expect(subAgents.labelOf(agentId)).toBeUndefined()
  })
})

it("a sub-agent that is cancelled before it has begun never begins, and gives its place free", async () => {
  let begun = 0
  const { subAgents, spawn } = crewOf(
    async () => {
      begun += 1
      return "done"
    },
    { maxRunning: 1 },
  )
  const { signal } = new AbortController()
  const spawning = { _tag: "SpawnAgent", task: "work", label: "early" } as const
  subAgents.delegates.SpawnAgent(spawning, { agentId: "main", callId: "1", signal })
  expect(subAgents.cancel({ reason: "Not needed" })).toBe(1)
  await turn()
  expect(begun).toBe(0)
  expect(subAgents.take("early")).toMatchObject({ status: "cancelled", message: "Not needed" })
  expect(await spawn("next")).toContain("Spawned")
})

describe("a sub-agent that ends", () => {
  it("leaves no calls, tasks or pending actions behind", async () => {
    const { tool, allRun } = heldTools(2)
    let closed = 0
    const preview = toolOf(
      "preview",
      pipeline()
        .awaitResolve({ label: "Rename" })
        .finally(() => {
          closed += 1
          return Step.Continue
        }),
    )
    const quick = toolOf("quick", pipeline())
    const finish = deferred()
    const { subAgents, spawn, executor } = crewOf(
      async (_task, { call }) => {
        await call({ name: "preview" })
        await call({ callId: "quick", name: "quick", background: true })
        await call({ callId: "task", name: "held", background: true })
        void call({ callId: "gate", name: "gated", background: true }).catch(() => undefined)
        void call({ callId: "lane", name: "held" }).catch(() => undefined)
        await finish.promise
        return "done"
      },
      { also: [preview, quick, gated, tool] },
    )
    await spawn("one")
    const { agentId } = subAgents.get("one")!
    await allRun
    expect(executor.inspect()).toHaveLength(3)
    finish.resolve()
    expect(await subAgents.wait("one")).toMatchObject({ status: "complete", message: "done" })
    while ((await executor.next()) !== undefined) {}
    expect(executor.inspect()).toEqual([])
    await turn()
    expect(executor.tasks.list(agentId)).toEqual([])
    expect(executor.agent(agentId).pendingActions.hasPending).toBe(false)
    expect(closed).toBe(1)
  })

  it("fails where its function gives no text", async () => {
    for (const [value, kind] of [
      [Object.create(null), "object"],
      [null, "null"],
      [undefined, "undefined"],
    ]) {
      const { subAgents, spawn } = crewOf(async () => value)
      await spawn("one")
      const message = `The agent's function gave no text but ${kind}`
      expect(await subAgents.wait("one")).toMatchObject({ status: "error", message })
    }
  })

  it("has no tools any more, and its id spawns none, taken or not", async () => {
    let run!: AgentRun
    const { subAgents, spawn } = crewOf(
      async (_task, given) => {
        run = given
        return "done"
      },
      { also: [gated] },
    )
    await spawn("one")
    await subAgents.wait("one")
    await turn()
    expect(run.tools).toEqual([])
    subAgents.take("one")
    expect(await spawn("two", run.agentId)).toBe(
      "An agent that was spawned cannot spawn others. Do the task yourself.",
    )
  })

  it("may have made many calls at once", async () => {
    const warnings: Array<Error> = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on("warning", onWarning)
    onTestFinished(() => void process.off("warning", onWarning))
    const quick = toolOf("quick", pipeline())
    const { subAgents, spawn } = crewOf(
      async (_task, { call }) => {
        await Promise.all(Array.from({ length: 20 }, () => call({ name: "quick" })))
        return "done"
      },
      { also: [quick], maxRunning: 20 },
    )
    await Promise.all(Array.from({ length: 20 }, (_, index) => spawn(`agent ${index}`)))
    for (let index = 0; index < 20; index++) await subAgents.wait(`agent ${index}`)
    await turn()
    expect(warnings).toEqual([])
  })

  it("aborts the signal of its run, for what its function has left behind", async () => {
    let signal: AbortSignal | undefined
    const { subAgents, spawn } = crewOf(async (_task, run) => {
      signal = run.signal
      return "done"
    })
    await spawn("one")
    await subAgents.wait("one")
    expect(signal?.aborted).toBe(true)
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("the listener is broken")
      },
    ],
    ["rejects", () => Promise.reject(new Error("the listener is broken"))],
  ])("is told once, also to a listener that %s, and to all that wait", async (_, fail) => {
    const release = deferred<string>()
    let told = 0
    const { subAgents, spawn } = crewOf(() => release.promise, {
      onEnd: () => {
        told += 1
        return fail()
      },
    })
    await spawn("one")
    const waiting = [subAgents.wait("one"), subAgents.wait("one")]
    release.resolve("done")
    const ends = await Promise.all(waiting)
    expect(ends.map((end) => end?.message)).toEqual(["done", "done"])
    expect(told).toBe(1)
    expect(await subAgents.wait("one")).toMatchObject({ message: "done" })
    expect(await subAgents.wait("two")).toBeUndefined()
  })
})

it("sub-agents are taken by hosts as by their parents", async () => {
  const release = deferred<string>()
  const { subAgents, spawn } = crewOf(() => release.promise)
  await spawn("one")
  expect(subAgents.take("one")).toBeUndefined()
  release.resolve("done")
  await subAgents.wait("one")
  expect(subAgents.take("one")).toMatchObject({ label: "one", status: "complete", message: "done" })
  expect(subAgents.get("one")).toBeUndefined()
})
