import { describe, expect, it } from "vitest"
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import type { ToolEvent } from "../../src/index.ts"
import {
  actionResolved,
  approvalOf,
  cancelled,
  close,
  diff,
  effectOf,
  open,
  queueOf,
  succeed,
  takeAll,
} from "./questions.ts"

describe("approvals", () => {
  it("come on show one at a time, in the order of asking", () => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"), approvalOf("c"))
    expect(takeAll(queue)).toEqual(["a"])
    expect(queue.approval!.approve()).toBe(true)
    expect(takeAll(queue)).toEqual(["b"])
    expect(queue.approval!.deny()).toBe(true)
    expect(takeAll(queue)).toEqual(["c"])
    expect(queue.approval!.callId).toBe("c")
  })

  it("are passed by what needs no screen", () => {
    const queue = queueOf(
      approvalOf("a"),
      approvalOf("b"),
      effectOf("c", open),
      effectOf("d", { _tag: "Beep" }),
    )
    expect(takeAll(queue)).toEqual(["a", "c", "d"])
    expect(queue.approval!.callId).toBe("a")
  })

  it("block each other wherever the acknowledged one stands", () => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"), approvalOf("c"))
    expect(queue.acknowledge("b")).toBe(true)
    expect(queue.acknowledge("b")).toBe(true)
    expect(queue.acknowledge("c")).toBe(false)
    expect(takeAll(queue)).toEqual([])
    queue.approval!.approve()
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("that are given back are the next of their kind, and nothing takes their place before", () => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"))
    queue.take()
    expect(queue.requeue("a")).toBe(true)
    expect(queue.approval).toBeUndefined()
    expect(queue.requeue("a")).toBe(false)
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("stay on show where an edit was refused", () => {
    const { event } = approvalOf("a")
    const queue = queueOf({ event: { ...event, approve: (options) => options?.params === undefined } })
    queue.take()
    expect(queue.approval!.approve({ params: {} })).toBe(false)
    expect(queue.approval!.callId).toBe("a")
    expect(queue.approval!.approve()).toBe(true)
    expect(queue.approval).toBeUndefined()
  })

  it("that nobody waits for any more make room once they are answered", () => {
    const dead = approvalOf("a")
    const queue = queueOf(dead, approvalOf("b"))
    queue.take()
    dead.dead = true
    expect(queue.approval!.approve()).toBe(false)
    expect(takeAll(queue)).toEqual(["b"])
  })
})

describe("a question that was answered by its call's id", () => {
  it("makes room once the queue is told", () => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"))
    const question = queue.take()!
    expect(queue.answered(question)).toBe(true)
    expect(queue.approval).toBeUndefined()
    expect(queue.answered(question)).toBe(false)
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("closes the preview where that is what it asks", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff))
    queue.take()
    succeed(queue, "a")
    queue.push(effectOf("a", close).event)
    queue.answered(queue.take()!)
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("takes nothing away that its call has asked meanwhile", () => {
    const queue = queueOf(approvalOf("a"))
    const question = queue.take()!
    queue.push(effectOf("a", open).event)
    expect(queue.answered(question)).toBe(false)
    expect(takeAll(queue)).toEqual(["a"])
  })
})

describe("a call that goes on without an answer", () => {
  it("takes its question along when it ends, whether that was on show or waited", () => {
    const queue = queueOf(
      approvalOf("a"),
      approvalOf("b"),
      approvalOf("c"),
      effectOf("d", diff),
      effectOf("e", diff),
    )
    takeAll(queue)
    for (const callId of ["a", "b", "d"]) queue.push(cancelled(callId))
    expect(queue.find("b")).toBeUndefined()
    expect(takeAll(queue)).toEqual(["c", "e"])
    expect(queue.size).toBe(2)
  })

  it.each<[string, ToolEvent]>([
    ["Completed", { ...cancelled("a"), _tag: "Completed", output: { content: [] } } as ToolEvent],
    ["Denied", { ...cancelled("a"), _tag: "Denied", by: "expired" } as ToolEvent],
    ["Error", { ...cancelled("a"), _tag: "Error", reason: "timeout" } as ToolEvent],
    ["BackgroundCompleted", { ...cancelled("a"), _tag: "BackgroundCompleted", status: "error" } as ToolEvent],
    ["ActionResolved", actionResolved("a")],
  ])("takes its question along with %s", (_tag, end) => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"))
    queue.take()
    expect(queue.push(end)).toBe(false)
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("is none of a duplicate's, whose refusal bears its id", () => {
    const queue = queueOf(approvalOf("a"), approvalOf("b"))
    queue.take()
    queue.push({ ...cancelled("a"), _tag: "Error", reason: "duplicate" } as ToolEvent)
    expect(queue.approval!.callId).toBe("a")
  })

  it("has its next question instead of the last one", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff), effectOf("a", close))
    expect(takeAll(queue)).toEqual(["b"])
    expect(queue.size).toBe(1)
  })

  it("keeps its next question when its last one is answered late", () => {
    const queue = queueOf(approvalOf("a"))
    const late = queue.take()!
    queue.push(effectOf("a", open).event)
    if (late._tag === "AwaitingApproval") late.approve()
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("is no matter of an event that ends nothing", () => {
    const queue = queueOf(approvalOf("a"))
    queue.push({ _tag: "BackgroundStarted", agentId: "main", callId: "a", name: "tool", seq: 1, at: 0 })
    queue.push({ _tag: "Delta", agentId: "main", callId: "a", content: "…", seq: 2, at: 0 })
    expect(queue.find("a")).toMatchObject({ _tag: "AwaitingApproval", callId: "a" })
  })
})

describe("clearing", () => {
  it("gives what was not answered, and frees the screen", () => {
    const queue = queueOf(approvalOf("a"), effectOf("b", diff), approvalOf("c"))
    takeAll(queue)
    expect(queue.clear().map(({ callId }) => callId)).toEqual(["a", "b", "c"])
    expect(queue.size).toBe(0)
    queue.push(approvalOf("d").event)
    queue.push(effectOf("e", diff).event)
    expect(takeAll(queue)).toEqual(["d", "e"])
  })

  it("may be of one agent's", () => {
    const asked = approvalOf("a", "one")
    const queue = queueOf(
      asked,
      approvalOf("b", "two"),
      effectOf("c", diff, "one"),
      effectOf("d", diff, "two"),
    )
    takeAll(queue)
    succeed(queue, "c")
    const [question] = queue.clear("one")
    if (question?._tag === "AwaitingApproval") question.deny("The agent is gone")
    expect(asked.answer).toBe("The agent is gone")
    expect(takeAll(queue)).toEqual(["b", "d"])
  })
})

it("knows nothing of a call that asks nothing", () => {
  const queue = new HostEffectQueue()
  expect(queue.push(cancelled("a"))).toBe(false)
  expect(queue.find("a")).toBeUndefined()
  expect(queue.acknowledge("a")).toBe(false)
  expect(queue.requeue("a")).toBe(false)
  expect(queue.take()).toBeUndefined()
})
