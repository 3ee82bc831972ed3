import { describe, expect, it } from "vitest"
import type { DelegateEvent } from "../../src/index.ts"
import {
  actionPending,
  actionResolved,
  approvalOf,
  cancelled,
  close,
  diff,
  effectOf,
  open,
  preview,
  queueOf,
  stagedEnd,
  succeed,
  takeAll,
} from "./questions.ts"

describe("previews on show", () => {
  it("come on show one at a time, and stay until their call closes them", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", preview), effectOf("c", open))
    expect(takeAll(queue)).toEqual(["a", "c"])
    succeed(queue, "a")
    expect(queue.previewCallId).toBe("a")
    expect(takeAll(queue)).toEqual([])
    queue.push(approvalOf("a").event)
    expect(takeAll(queue)).toEqual(["a"])
    queue.approval!.approve()
    queue.push(effectOf("a", close).event)
    expect(takeAll(queue)).toEqual(["a"])
    expect(queue.previewCallId).toBe("a")
    succeed(queue, "a")
    expect(takeAll(queue)).toEqual(["b"])
    expect(queue.previewCallId).toBe("b")
  })

  it("make room where the editor could not show or close them", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", preview), effectOf("c", preview))
    queue.take()
    ;(queue.find("a") as DelegateEvent).fail("no editor")
    expect(takeAll(queue)).toEqual(["b"])
    succeed(queue, "b")
    queue.push(effectOf("b", close).event)
    queue.take()
    ;(queue.find("b") as DelegateEvent).fail("no editor")
    expect(takeAll(queue)).toEqual(["c"])
  })

  it("are closed by no other call: its closing is answered without the host", () => {
    const late = effectOf("b", close)
    const queue = queueOf(effectOf("a", diff), late)
    expect(takeAll(queue)).toEqual(["a"])
    expect(late.answer).toBe("succeeded")
    expect(queue.previewCallId).toBe("a")
  })

  it("may be closed by the host where it shows none", () => {
    const queue = queueOf(effectOf("a", close))
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("that are given back make room for nothing but themselves", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff))
    queue.take()
    queue.requeue("a")
    expect(queue.previewCallId).toBeUndefined()
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("make room when a person closes them, and their call's own closing is answered without the host", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff))
    queue.take()
    succeed(queue, "a")
    expect(queue.previewClosed("b")).toBe(false)
    expect(queue.previewClosed("a")).toBe(true)
    const late = effectOf("a", close)
    queue.push(late.event)
    expect(takeAll(queue)).toEqual(["b"])
    expect(queue.previewCallId).toBe("b")
    expect(takeAll(queue)).toEqual([])
    expect(late.answer).toBe("succeeded")
  })

  it("of what a call staged are its own where another call resolves it", () => {
    const queue = queueOf(effectOf("a", diff))
    queue.take()
    succeed(queue, "a")
    queue.push(actionPending("action"))
    queue.push(stagedEnd("a", "action"))
    queue.push(effectOf("b", diff).event)
    queue.push(effectOf("resolve", diff, "main", "a").event)
    expect(takeAll(queue)).toEqual(["resolve"])
    expect(queue.previewCallId).toBe("a")
    succeed(queue, "resolve")
    queue.push(cancelled("resolve"))
    expect(takeAll(queue)).toEqual([])
    queue.push(actionResolved("action"))
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("end with their call where its action was over before that", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff))
    queue.take()
    queue.push(actionPending("action"))
    queue.push(actionResolved("action"))
    expect(queue.previewCallId).toBe("a")
    queue.push(stagedEnd("a", "action"))
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("of a call may follow each other, before those of calls that wait for it", () => {
    const queue = queueOf(effectOf("a", diff), effectOf("b", diff))
    queue.take()
    succeed(queue, "a")
    queue.push(effectOf("a", diff).event)
    expect(takeAll(queue)).toEqual(["a"])
  })
})
