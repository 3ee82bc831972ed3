// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import { editFileTool } from "../../src/impls/edit-file.ts"
import { type HostQuestion, pipeline, Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { executorIn } from "../impls/executor-in.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { toolOf } from "../support/executor-of.ts"

const path = useTempFolder()

/** A host with one screen: reads an executor's events to their end, and notes what it shows and closes. */
const watch = async (
  executor: ToolExecutor,
  show: (question: HostQuestion, queue: HostEffectQueue) => void,
  onEvent: (event: ToolEvent, queue: HostEffectQueue) => void = () => undefined,
): Promise<HostEffectQueue> => {
  const queue = new HostEffectQueue()
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    queue.push(event)
    onEvent(event, queue)
    for (let next = queue.take(); next !== undefined; next = queue.take()) show(next, queue)
  }
  return queue
}

const agents = ["one", "two", "three"]

const editAll = async (): Promise<ToolExecutor> => {
  const executor = executorIn(path(), [editFileTool])
  await Promise.all(agents.map((agentId) => writeFile(path(agentId), "old")))
  executor.enqueue(
    agents.map((agentId) => ({
      agentId,
      callId: agentId,
      name: "edit_file",
      params: { path: agentId, edits: [{ old_string: "old", new_string: "new" }] },
    })),
  )
  return executor
}

describe("a host with one screen", () => {
  it("shows the edits of three agents one after the other, and lets each be decided", async () => {
    const executor = await editAll()
    const screen: Array<string> = []
    const queue = await watch(executor, (question) => {
      const { callId } = question
      if (question._tag === "AwaitingApproval") {
        screen.push(`${callId} asks`)
        question.approve()
        return
      }
      const { _tag } = question.effect
      if (_tag === "IdeShowDiffPreview") screen.push(`${callId} shows`)
      if (_tag === "IdeClosePreview") screen.push(`${callId} closes`)
      question.succeed()
    })
    const order = screen.filter((line) => line.endsWith("shows")).map((line) => line.split(" ")[0])
    expect(order.toSorted()).toEqual(agents.toSorted())
    expect(screen).toEqual(
      order.flatMap((callId) => ["shows", "asks", "closes"].map((what) => `${callId} ${what}`)),
    )
    for (const agent of agents) expect(await readFile(path(agent), "utf8")).toBe("new")
    expect(queue.size).toBe(0)
  })

  it("goes on to the next when the call that it shows is cancelled", async () => {
    const executor = await editAll()
    const shown: Array<string> = []
    const queue = await watch(executor, (question) => {
      if (question._tag === "Delegate") {
        question.succeed()
        return
      }
      shown.push(question.callId)
      // Not answered: the user walks away from the first, and everything else goes on without it.
      if (shown.length === 1) executor.cancelCall(question.callId)
      else question.approve()
    })
    expect(new Set(shown)).toEqual(new Set(agents))
    expect(queue.size).toBe(0)
    const contents = await Promise.all(shown.map((agent) => readFile(path(agent), "utf8")))
    expect(contents).toEqual(["old", "new", "new"])
  })

  it("forgets what waits behind the screen when its call is cancelled", async () => {
    const gated = toolOf("gated", pipeline().awaitApproval())
    const executor = executorIn(path(), [gated])
    executor.enqueue(agents.map((agentId) => ({ agentId, callId: agentId, name: "gated" })))
    const shown: Array<string> = []
    const queue = await watch(
      executor,
      ({ callId }) => {
        shown.push(callId)
        if (shown.length > 1) executor.approve(callId)
      },
      (_event, { size }) => {
        if (size < 3) return
        executor.cancelCall("two")
        // The end of the cancelled call is told once the host's own code has returned.
        setImmediate(() => executor.approve("one"))
      },
    )
    expect(shown).toEqual(["one", "three"])
    expect(queue.size).toBe(0)
  })

  it("drops a preview that the executor has stopped waiting for", async () => {
    const preview = toolOf(
      "preview",
      pipeline()
        .andThen(() =>
          Step.Delegate({ _tag: "IdeShowPreview", preview: { path: "/file", content: "" } }, { timeout: 1 }),
        )
        .finally(() => Step.Delegate({ _tag: "IdeClosePreview" })),
    )
    const executor = executorIn(path(), [preview])
    executor.enqueue([{ callId: "late", name: "preview" }])
    const asked: Array<string> = []
    const queue = await watch(executor, (question) => {
      if (question._tag !== "Delegate") return
      asked.push(question.effect._tag)
      // The editor takes too long to show it, and closes it at once.
      if (question.effect._tag === "IdeClosePreview") question.succeed()
    })
    expect(asked).toEqual(["IdeShowPreview", "IdeClosePreview"])
    expect(queue.previewCallId).toBeUndefined()
    expect(queue.size).toBe(0)
  })
})
