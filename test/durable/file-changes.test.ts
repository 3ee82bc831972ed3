/** The changes of a file of SQLite are looked for by one timer, however many wait. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { FileChanges } from "../../src/durable/sqlite/file-changes.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const counted = () => {
  const file = { version: 1, looks: 0 }
  const changes = new FileChanges(() => {
    file.looks += 1
    if (file.version < 0) throw new Error("The file is gone")
    return file.version
  })
  return { file, changes }
}

it("one look is for all, and there is none where nobody waits", async () => {
  const { file, changes } = counted()
  const all = Promise.all(Array.from({ length: 1000 }, () => changes.after(1)))
  file.looks = 0
  await vi.advanceTimersByTimeAsync(500)
  expect(file.looks).toBe(10)
  file.version = 2
  await vi.advanceTimersByTimeAsync(50)
  await all
  expect(vi.getTimerCount()).toBe(0)
})

it("who waits for a later version goes on waiting", async () => {
  const { file, changes } = counted()
  const woken: Array<number> = []
  void changes.after(1).then(() => woken.push(1))
  file.version = 2
  const later = changes.after(2).then(() => woken.push(2))
  await vi.advanceTimersByTimeAsync(50)
  expect(woken).toEqual([1])
  file.version = 3
  await vi.advanceTimersByTimeAsync(50)
  await later
  expect(woken).toEqual([1, 2])
})

it("a file that changes all the time is looked at no more often", async () => {
  const { file, changes } = counted()
  let reads = 0
  const reading = (async () => {
    for (; reads < 20; reads += 1) await changes.after(file.version++)
  })()
  await vi.advanceTimersByTimeAsync(500)
  expect(reads).toBe(10)
  await vi.advanceTimersByTimeAsync(500)
  await reading
})

it("a signal lets one go, and an end all", async () => {
  const { changes } = counted()
  const controller = new AbortController()
  const [one, other] = [changes.after(1, controller.signal), changes.after(1)]
  controller.abort()
  await one
  expect(vi.getTimerCount()).toBe(1)
  changes.end()
  await other
  expect(vi.getTimerCount()).toBe(0)
  await changes.after(1, controller.signal)
})

it("a file that cannot be read is told to all", async () => {
  const { file, changes } = counted()
  const all = Promise.allSettled([changes.after(1), changes.after(1)])
  file.version = -1
  await vi.advanceTimersByTimeAsync(50)
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(vi.getTimerCount()).toBe(0)
})
