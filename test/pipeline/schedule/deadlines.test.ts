import { AsyncLocalStorage } from "node:async_hooks"
import { getEventListeners } from "node:events"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Deadlines, type Expiring } from "../../../src/pipeline/time/deadlines.ts"
import { effectIt } from "../../support/effect-it.ts"

const withTestClock = <E>(test: (clock: Clock.Clock) => Effect.Effect<void, E, never>) =>
  Effect.provide(
    Effect.flatMap(
      Clock.clockWith((clock) => Effect.succeed(clock)),
      test,
    ),
    TestClock.layer({ warningDelay: "1 hour" }),
  )

describe("Deadlines", () => {
  it("hold nothing of the async context in which the timer was set", async () => {
    const request = new AsyncLocalStorage<string>()
    const deadlines = new Deadlines(undefined)
    const seen = await new Promise((resolve) => {
      request.run("a request", () => deadlines.after(1, () => resolve(request.getStore())))
    })
    expect(seen).toBeUndefined()
  })

  effectIt("expire in the order of their times, each once, and not once they are cleared", () =>
    withTestClock((clock) =>
      Effect.gen(function* () {
        const log: Array<number> = []
        const deadlines = new Deadlines(clock)
        const entries = [50, 10, 30, 20, 40].map((at) => {
          const entry: Expiring = { expiresAt: 0, expire: () => void log.push(at) }
          deadlines.set(entry, at)
          return entry
        })
        yield* TestClock.adjust(15)
        expect(log).toEqual([10])
        deadlines.clear(entries[2]!)
        deadlines.set(entries[3]!, 100)
        yield* TestClock.adjust(35)
        expect(log).toEqual([10, 40, 50])
        yield* TestClock.adjust(1000)
        expect(log).toEqual([10, 40, 50, 20])
        for (const at of [7, 8]) deadlines.set({ expiresAt: 0, expire: () => void log.push(at) }, at)
        yield* TestClock.adjust(7)
        expect(log.slice(4)).toEqual([7])
        deadlines.dispose()
      }),
    ),
  )

  effectIt("ask for no timer that is longer than one can be", () =>
    withTestClock((clock) =>
      Effect.gen(function* () {
        const waits: Array<number> = []
        const sleep: Clock.Clock["sleep"] = (duration) => {
          waits.push(Duration.toMillis(duration))
          return clock.sleep(duration)
        }
        const deadlines = new Deadlines({
          ...clock,
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
          sleep,
        })
        let isOver = false
        deadlines.after(2 ** 31 + 5, () => {
          isOver = true
        })
        yield* TestClock.adjust(2 ** 31 + 4)
        expect(isOver).toBe(false)
        yield* TestClock.adjust(1)
        expect(isOver).toBe(true)
        expect(waits).toEqual([2 ** 31 - 1, 6])
        deadlines.dispose()
      }),
    ),
  )

  effectIt("that run out one after another cost no look at all the others", () =>
    withTestClock((clock) =>
      Effect.gen(function* () {
        const count = 1000
        let looks = 0
        let expired = 0
        const deadlines = new Deadlines(clock)
        for (let i = 1; i <= count; i++) {
          let at = 0
          const entry = {
            get expiresAt() {
              looks += 1
              return at
            },
            set expiresAt(value: number) {
              at = value
            },
            expire: () => {
              expired += 1
            },
          }
          deadlines.set(entry, i)
        }
        yield* TestClock.adjust(count)
        expect(expired).toBe(count)
        expect(looks).toBeLessThan(count * 100)
        deadlines.dispose()
      }),
    ),
  )

  effectIt("sleep until the time has passed or the signal is aborted, and leave nothing with it", () =>
    withTestClock((clock) =>
      Effect.gen(function* () {
        const deadlines = new Deadlines(clock)
        const controller = new AbortController()
        const { signal } = controller
        const short = deadlines.sleep(10, signal)
        const long = deadlines.sleep(1000, signal)
        yield* TestClock.adjust(10)
        yield* Effect.promise(() => short)
        expect(getEventListeners(signal, "abort")).toHaveLength(1)
        controller.abort()
        yield* Effect.promise(() => long)
        yield* Effect.promise(() => deadlines.sleep(1000, signal))
        expect(getEventListeners(signal, "abort")).toEqual([])
      }),
    ),
  )
})
