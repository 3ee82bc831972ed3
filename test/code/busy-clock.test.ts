import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { BusyClock } from "../../src/code/busy-clock.ts"

vi.mock("../../src/io/busy-machine.ts", () => ({ busyFactor: () => 3 }))

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it("gives code on a busy machine as much more time, and takes as much less off", async () => {
  const late = vi.fn()
  const clock = new BusyClock(100, late)
  clock.start()
  vi.advanceTimersByTime(150)
  await clock.during(Promise.resolve())
  vi.advanceTimersByTime(149)
  expect(late).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(late).toHaveBeenCalledOnce()
})
