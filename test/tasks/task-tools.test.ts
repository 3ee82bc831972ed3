import { getEventListeners } from "node:events"
import { describe, expect, it } from "vitest"
import {
  cancelBackgroundTaskTool,
  readBackgroundOutputTool,
  waitBackgroundTaskTool,
} from "../../src/impls/index.ts"
import { pipeline, Step, type ToolCallInput, type ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { never, until } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"
import { virtualTime } from "../support/virtual-time.ts"

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

/** The tools themselves, and one whose calls stream what the test says. */
const streaming = () => {
  const deltas = new Map<string, (text: string) => Promise<void>>()
  const { plan: held, hold, running, release } = heldTool()
  const plan = pipeline()
    .andThen(({ call, delta }) => {
      deltas.set(call.callId, delta)
      return Step.Continue
    })
    .andThen(hold)
  const tools = {
    wait_background_task: waitBackgroundTaskTool,
    read_background_output: readBackgroundOutputTool,
    cancel_background_task: cancelBackgroundTaskTool,
    tool: plan,
    held,
  }
  return { tools, running, release, put: (id: string, text: string) => deltas.get(id)!(text) }
}

const use = async (executor: ToolExecutor, name: string, params: object, agentId = "main") => {
  const { status, content } = await executor.run({
    agentId,
    name: `${name}_background_${name === "read" ? "output" : "task"}`,
    params,
  })
  expect(status).toBe("complete")
  return content
}

describe("wait_background_task", () => {
  it("gives the result once the task has ended, which takes it", async () => {
    const { tools, running, release } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    const waited = use(executor, "wait", { task_id: "t" })
    await until(() => executor.inspect().some(({ waitingFor }) => waitingFor === "WaitBackgroundTask"))
    release("t")
    expect(await waited).toBe("Task t (tool) [Complete]:\nt")
    expect(await use(executor, "wait", { task_id: "t" })).toBe("Task t not found")
  })

  it("says that the task has not ended when its time is over, and leaves nothing behind", async () => {
    const { executor, advance } = await virtualTime({
      ...streaming().tools,
      stuck: pipeline().andThen(() => never()),
    })
    executor.enqueue([bg("t", "stuck")])
    await advance(0)
    const waited = use(executor, "wait", { task_id: "t", seconds: 90 })
    await advance("89 seconds")
    expect(executor.inspect()).toHaveLength(2)
    await advance("1 second")
    expect(await waited).toBe("Task t has not ended within 90 s [Running]")
  })

  it("ends with its call, and the result stays", async () => {
    const { tools, running, release } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    const waited = executor.run({ callId: "w", name: "wait_background_task", params: { task_id: "t" } })
    await until(() => executor.inspect().some(({ waitingFor }) => waitingFor === "WaitBackgroundTask"))
    executor.cancelCall("w")
    expect(await waited).toMatchObject({ status: "cancelled" })
    release("t")
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "complete" })
    expect(executor.tasks.get("t")).toBeDefined()
  })

  it("waits for one that is still at its gate, and for none of another agent", async () => {
    const executor = executorOf({ ...streaming().tools, gated: pipeline().awaitApproval() })
    executor.enqueue([bg("t", "gated")])
    const waited = use(executor, "wait", { task_id: "t" })
    await until(() => executor.inspect().some(({ waitingFor }) => waitingFor === "approval"))
    expect(await use(executor, "wait", { task_id: "t" }, "other")).toBe("Task t not found")
    executor.approve("t")
    expect(await waited).toBe("Task t (gated) [Complete]:\n")
  })
})

describe("read_background_output", () => {
  it("gives what is new since it was last read, and then what was left", async () => {
    const { tools, running, release, put } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    await put("t", "one ")
    await put("t", "two")
    const read = () => use(executor, "read", { task_id: "t" })
    expect(await read()).toBe("Task t (tool) [Running]:\none two")
    expect(await read()).toBe("Task t (tool) [Running]:\n(no new output)")
    await put("t", " three")
    expect(await read()).toBe("Task t (tool) [Running]:\n three")
    await put("t", " four")
    release("t")
    await executor.tasks.wait("t")
    expect(await read()).toBe("Task t (tool) [Complete]:\n four")
    expect(await read()).toBe("Task t (tool) [Complete]:\n(no new output)")
    expect(executor.tasks.take("t")).toMatchObject({ content: "t" })
    expect(await read()).toBe("Task t not found")
  })

  it("gives the result of one that never streamed, as news", async () => {
    const { tools, running, release } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t", "held")])
    await until(() => running.length > 0)
    expect(await use(executor, "read", { task_id: "t" })).toBe("Task t (held) [Running]:\n(no new output)")
    release("t")
    await executor.tasks.wait("t")
    expect(await use(executor, "read", { task_id: "t" })).toBe("Task t (held) [Complete]:\nt")
  })

  it("keeps to the end of what was streamed past the bound, and says so", async () => {
    const { tools, running, put } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    void put("t", "x".repeat(300_000))
    void put("t", "end")
    const text = await use(executor, "read", { task_id: "t" })
    expect(text).toMatch(
      /^Task t \(tool\) \[Running\]:\n\[truncated: the last part of 300003 characters\]\nx+end$/,
    )
    expect(text.length).toBeLessThan(51_000)
  })
})

describe("cancel_background_task", () => {
  it("cancels a task of the calling agent", async () => {
    const { tools, running } = streaming()
    const executor = executorOf(tools)
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    expect(await use(executor, "cancel", { task_id: "t" }, "other")).toBe("Task t not found")
    expect(await use(executor, "cancel", { task_id: "t" })).toBe("Task t is cancelled")
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "cancelled" })
    expect(await use(executor, "cancel", { task_id: "t" })).toBe(
      "Task t (tool) [Cancelled] has ended already",
    )
  })

  it("says that a cancelled task which still cleans up is ending", async () => {
    const { tools, running } = streaming()
    let cleaned = (_step: Step) => {}
    const cleaning = new Promise<Step>((resolve) => (cleaned = resolve))
    const executor = executorOf({ ...tools, tool: tools.tool.finally(() => cleaning) })
    executor.enqueue([bg("t")])
    await until(() => running.length > 0)
    expect(await use(executor, "cancel", { task_id: "t" })).toBe("Task t is cancelled")
    expect(await use(executor, "cancel", { task_id: "t" })).toBe("Task t (tool) [Running] is ending already")
    cleaned(Step.Continue)
    expect(await executor.tasks.wait("t")).toMatchObject({ status: "cancelled" })
  })
})

it("tasks.wait lets go of its signal, and heeds one that is aborted already", async () => {
  const { tools, running, release } = streaming()
  const executor = executorOf(tools)
  executor.enqueue([bg("t", "held")])
  await until(() => running.length > 0)
  expect(await executor.tasks.wait("t", { signal: AbortSignal.abort() })).toBeUndefined()
  const { signal } = new AbortController()
  const waiting = executor.tasks.wait("t", { signal })
  expect(getEventListeners(signal, "abort")).toHaveLength(1)
  release("t")
  expect(await waiting).toMatchObject({ status: "complete" })
  expect(getEventListeners(signal, "abort")).toHaveLength(0)
})
