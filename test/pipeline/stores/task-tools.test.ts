import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolCallInput, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { never, until } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const bg = (callId: string, name = "tool", agentId = "main"): ToolCallInput => ({
  agentId,
  callId,
  name,
  background: true,
})

const echo = pipeline().andThen(({ call }) => Step.Output(`output of ${call.callId}`))

/** As the tools of background tasks ask: through the pipeline of the calling agent. */
const asking = {
  list: pipeline().andThen(() => Step.Delegate({ _tag: "ListBackgroundTasks" })),
  get: ({ task_id }: Record<string, unknown>) =>
    pipeline().andThen(() => Step.Delegate({ _tag: "GetBackgroundTask", taskId: String(task_id) })),
}

const ask = async (executor: ToolExecutor, name: "list" | "get", taskId?: string, agentId = "main") => {
  const { status, content } = await executor.run({ agentId, name, params: { task_id: taskId } })
  expect(status).toBe("complete")
  return content
}

describe("ListBackgroundTasks, answered by the executor itself", () => {
  it("tells the calling agent's tasks, a line each", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({
      ...asking,
      tool: plan,
      fails: pipeline().andThen(() => Step.Error("no")),
      stuck: pipeline().andThen(() => never()),
    })
    expect(await ask(executor, "list")).toBe("No background tasks")
    const host = new ScriptedHost(executor)
    executor.enqueue([bg("t1"), bg("t2", "fails"), bg("t3", "stuck"), bg("other", "fails", "other")])
    await until(() => running.length > 0 && executor.inspect().length === 2)
    executor.cancelCall("t3")
    const lines = (await ask(executor, "list")).split("\n")
    expect(lines.sort()).toEqual(["t1 (tool) [Running]", "t2 (fails) [Error]", "t3 (stuck) [Cancelled]"])
    release("t1")
    await host.run()
    expect(await ask(executor, "list")).toContain("t1 (tool) [Complete]")
    expect(await ask(executor, "list", undefined, "other")).toBe("other (fails) [Error]")
    expect(await ask(executor, "list", undefined, "nobody")).toBe("No background tasks")
  })

  it("needs no host, and tells none", async () => {
    const executor = executorOf(asking)
    const events = await new ScriptedHost(executor).run([{ name: "list" }])
    expect(events.map((event) => event._tag)).toEqual(["Started", "Completed"])
  })
})

describe("GetBackgroundTask, answered by the executor itself", () => {
  it("gives a finished task, which takes it", async () => {
    const executor = executorOf({ ...asking, tool: echo })
    await new ScriptedHost(executor).run([bg("t")])
    expect(await ask(executor, "get", "t")).toBe("Task t (tool) [Complete]:\noutput of t")
    expect(await ask(executor, "get", "t")).toBe("Task t not found or still running")
    expect(executor.tasks.get("t")).toBeUndefined()
  })

  it("gives the error of one that failed", async () => {
    const executor = executorOf({ ...asking, tool: pipeline().andThen(() => Step.Error("disk full")) })
    await new ScriptedHost(executor).run([bg("t")])
    expect(await ask(executor, "get", "t")).toBe("Task t (tool) [Error]:\ndisk full")
  })

  it("gives nothing of a task that is unknown, still runs or is another agent's", async () => {
    const { plan, running, release } = heldTool()
    const executor = executorOf({ ...asking, tool: plan, echo })
    const done = new ScriptedHost(executor).run([bg("runs"), bg("other", "echo", "other")])
    await until(() => running.length > 0)
    for (const id of ["runs", "other", "nobody"]) {
      expect(await ask(executor, "get", id)).toBe(`Task ${id} not found or still running`)
    }
    expect(executor.tasks.get("other")).toBeDefined()
    release("runs")
    await done
  })

  it("says so where a result was dropped unread", async () => {
    const { executor, advance } = await virtualTime(
      { ...asking, tool: echo },
      { taskTtl: "1 minute", maxTasks: 2 },
    )
    const host = new ScriptedHost(executor)
    await host.run([bg("a"), bg("b"), bg("c")])
    expect(await ask(executor, "get", "a")).toBe("Task a expired")
    await advance("1 minute")
    expect(await ask(executor, "get", "b")).toBe("Task b expired")
    await host.run([bg("b")])
    expect(await ask(executor, "get", "b")).toBe("Task b (tool) [Complete]:\noutput of b")
    expect(await ask(executor, "get", "b")).toBe("Task b not found or still running")
  })

  it("tells an agent nothing of another's dropped task", async () => {
    const executor = executorOf({ ...asking, tool: echo }, { maxTasks: 1 })
    await new ScriptedHost(executor).run([bg("a", "tool", "other"), bg("b", "tool", "other")])
    expect(await ask(executor, "get", "a", "other")).toBe("Task a expired")
    expect(await ask(executor, "get", "a", "main")).toBe("Task a not found or still running")
  })
})
