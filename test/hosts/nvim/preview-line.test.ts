import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { PreviewLine } from "../../../src/hosts/nvim/preview-line.ts"
import { callOf } from "./call-of.ts"

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A line whose previews are shown and closed in a list. */
const lineOf = (maxWait = 1000) => {
  const log: Array<string> = []
  const ids = new Map<string, string>()
  const line = new PreviewLine({
    close: async (id) => {
      log.push(`close ${ids.get(id)}`)
    },
    maxWait,
  })
  const open = (name: string) => async (id: string) => {
    ids.set(id, name)
    log.push(`show ${name}`)
    return true
  }
  const idOf = (name: string): string => [...ids].find(([, each]) => each === name)![0]
  return { line, log, open, idOf }
}

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  let pending = true
  const settled = () => {
    pending = false
  }
  promise.then(settled, settled)
  await vi.advanceTimersByTimeAsync(0)
  return pending
}

describe("previews in line", () => {
  test("are shown in order, each when the one before it was closed", async () => {
    const { line, log, open } = lineOf()
    const calls = ["a", "b", "c"].map((name) => callOf(name, name))
    const shown = calls.map((call) => line.show(call, open(call.callId)))
    expect(await isPending(shown[0]!)).toBe(false)
    expect(await isPending(shown[1]!)).toBe(true)
    for (const call of calls) await line.close(call)
    await Promise.all(shown)
    expect(log).toEqual(["show a", "close a", "show b", "close b", "show c", "close c"])
  })

  test("one that waits in vain lets its call go on, and is shown when its turn comes", async () => {
    const { line, log, open } = lineOf(1000)
    await line.show(callOf("a", "a"), open("a"))
    const second = line.show(callOf("b", "b"), open("b"))
    await vi.advanceTimersByTimeAsync(999)
    expect(await isPending(second)).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    await second
    expect(log).toEqual(["show a"])
    await line.close(callOf("a", "a"))
    expect(log).toEqual(["show a", "close a", "show b"])
  })

  test("one whose call has ended before its turn is never shown", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("a", "a"), open("a"))
    const second = line.show(callOf("b", "b"), open("b"))
    await line.close(callOf("b", "b"))
    await second
    await line.close(callOf("a", "a"))
    expect(log).toEqual(["show a", "close a"])
  })

  test("one whose effect is given up fails with the reason and leaves the line", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("a", "a"), open("a"))
    const controller = new AbortController()
    const second = line.show(callOf("b", "b", controller.signal), open("b"))
    const third = line.show(callOf("c", "c"), open("c"))
    controller.abort(new Error("cancelled"))
    await expect(second).rejects.toThrow("cancelled")
    await line.close(callOf("a", "a"))
    await third
    expect(log).toEqual(["show a", "close a", "show c"])
    await expect(
      line.show(callOf("d", "d", AbortSignal.abort(new Error("late"))), open("d")),
    ).rejects.toThrow("late")
  })

  test("one that is given up while it is being shown is told, and closed", async () => {
    const { line, log } = lineOf()
    const controller = new AbortController()
    let told: AbortSignal | undefined
    const shown = line.show(callOf("a", "a", controller.signal), (_id, signal) => {
      told = signal
      return new Promise(() => {})
    })
    controller.abort(new Error("cancelled"))
    await expect(shown).rejects.toThrow("cancelled")
    expect(told?.aborted).toBe(true)
    expect(log).toEqual(["close undefined"])
  })

  test("an answer that came in time is not undone by the end of its question", async () => {
    const { line, log, open } = lineOf()
    const controller = new AbortController()
    await line.show(callOf("a", "a", controller.signal), open("a"))
    controller.abort()
    expect(log).toEqual(["show a"])
  })

  test("one that cannot be shown does not hold up the next", async () => {
    const { line, log, open } = lineOf()
    const first = line.show(callOf("a", "a"), () => Promise.reject(new Error("no window")))
    const second = line.show(callOf("b", "b"), async () => false)
    const third = line.show(callOf("c", "c"), open("c"))
    await expect(first).rejects.toThrow("no window")
    await second
    await third
    expect(log).toEqual(["close undefined", "show c"])
  })

  test("a second one of the same call takes the place of its first", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("a"), open("a1"))
    await line.show(callOf("a"), open("a2"))
    expect(log).toEqual(["show a1", "close a1", "show a2"])
  })

  test("a second one is shown before those that wait for its call, and keeps its place if it waits itself", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("a"), open("a1"))
    const others = ["b", "c"].map((name) => line.show(callOf(name), open(name)))
    const again = line.show(callOf("b"), open("b2"))
    await others[0]
    await line.show(callOf("a"), open("a2"))
    for (const name of ["a", "b", "c"]) await line.close(callOf(name))
    await Promise.all([again, others[1]])
    expect(log).toEqual([
      "show a1",
      "close a1",
      "show a2",
      "close a2",
      "show b2",
      "close b2",
      "show c",
      "close c",
    ])
  })

  test("a second one fails where the first cannot be closed, and makes room", async () => {
    let closings = 0
    const line = new PreviewLine({
      close: async () => {
        closings += 1
        if (closings === 1) throw new Error("no answer")
      },
      maxWait: 1000,
    })
    const shown: Array<string> = []
    const open = (name: string) => async () => shown.push(name) > 0
    await line.show(callOf("a"), open("a1"))
    const other = line.show(callOf("b"), open("b"))
    await expect(line.show(callOf("a"), open("a2"))).rejects.toThrow("no answer")
    await other
    expect(shown).toEqual(["a1", "b"])
  })

  test("the user's closing makes room, and needs no closing any more", async () => {
    const { line, log, open, idOf } = lineOf()
    await line.show(callOf("a", "a"), open("a"))
    const second = line.show(callOf("b", "b"), open("b"))
    line.wasClosed(idOf("a"))
    await second
    await line.close(callOf("a", "a"))
    line.wasClosed(idOf("a"))
    expect(log).toEqual(["show a", "show b"])
  })

  test("a preview that a call staged is closed by the one that resolves it, and by no other of its agent", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("staging", "main"), open("a"))
    const second = line.show(callOf("other"), open("b"))
    await line.close({ callId: "resolving", sourceCallId: "other" })
    await second
    await line.close({ callId: "resolving" })
    expect(log).toEqual(["show a"])
    await line.close({ callId: "resolving", sourceCallId: "staging" })
    expect(log).toEqual(["show a", "close a"])
  })

  test("an editor that has gone is asked to close nothing", async () => {
    const { line, log, open } = lineOf()
    await line.show(callOf("a", "a"), open("a"))
    line.editorHasGone()
    await line.close(callOf("a", "a"))
    expect(log).toEqual(["show a"])
  })
})
