import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Deadlines, type Expiring } from "../../../src/pipeline/schedule/deadlines.ts"
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
})
