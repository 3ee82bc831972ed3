import { Type } from "@sinclair/typebox"
import { beforeEach, expect, it, vi } from "vitest"
import { defineTool, pipeline, Step } from "../../../src/index.ts"
import { deferred, never } from "../../support/deferred.ts"
import { approve, connect, revisions, textOfResult } from "./connected.ts"

const send = defineTool({
  name: "send",
  description: "Sends.",
  parameters: Type.Object({}),
  compose: () =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("sent")),
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  return () => vi.useRealTimers()
})

const beats = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ progress: index + 1, message: "Waiting for an answer" }))

it("tells a client every 15 seconds that its call waits for the answer of its user", async () => {
  const shown = deferred()
  const answered = deferred<ReturnType<typeof approve>>()
  const { client } = await connect([send], {
    revision: "2025-11-25",
    answer: () => {
      shown.resolve()
      return answered.promise
    },
  })
  const progress: Array<unknown> = []
  const call = client.callTool(
    { name: "send", arguments: {} },
    { onprogress: (told) => void progress.push(told) },
  )
  await shown.promise
  await vi.advanceTimersByTimeAsync(14_999)
  expect(progress).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(progress).toEqual(beats(4))
  answered.resolve(approve())
  expect(textOfResult(await call)).toBe("sent")
  expect(vi.getTimerCount()).toBe(0)
})

it.each(revisions)("tells a client of revision %s the same while somebody else decides", async (revision) => {
  const asked = deferred<() => void>()
  const { client } = await connect([send], {
    revision,
    server: {
      questions: (question) => {
        if (question._tag === "AwaitingApproval") asked.resolve(() => void question.approve())
      },
    },
  })
  const progress: Array<unknown> = []
  const options = { onprogress: (told: unknown) => void progress.push(told) }
  const call = client.callTool({ name: "send", arguments: {} }, options)
  const go = await asked.promise
  await vi.advanceTimersByTimeAsync(30_000)
  expect(progress).toEqual(beats(2))
  go()
  expect(textOfResult(await call)).toBe("sent")
  expect(vi.getTimerCount()).toBe(0)
})

it("keeps no time for a client that asked for no progress, and none for a request that was cancelled", async () => {
  const shown = [deferred(), deferred()]
  let count = 0
  const { client, executor } = await connect([send], {
    revision: "2025-11-25",
    answer: () => {
      shown[count++]!.resolve()
      return never()
    },
  })
  const abort = new AbortController()
  const { signal } = abort
  const silent = client.callTool({ name: "send", arguments: {} }, { signal })
  await shown[0]!.promise
  expect(vi.getTimerCount()).toBe(0)
  const told = client.callTool({ name: "send", arguments: {} }, { signal, onprogress: () => {} })
  await shown[1]!.promise
  expect(vi.getTimerCount()).toBe(1)
  abort.abort()
  await expect(silent).rejects.toThrow()
  await expect(told).rejects.toThrow()
  await expect.poll(() => executor.inspect()).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it("denies a call whose user does not answer in time, and says so", async () => {
  const { client, executor } = await connect([send], {
    revision: "2025-11-25",
    answer: () => never(),
    server: { answerTimeout: 1 },
  })
  expect(await client.callTool({ name: "send", arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: "Nobody answered within 1 ms. Call it again if it is still needed." }],
  })
  expect(executor.inspect()).toEqual([])
})
