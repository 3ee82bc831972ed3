import { expect, it } from "vitest"
import { isWatchdogTimeout, runBounded, runWatched } from "../../src/text/watchdog.ts"

const spin = (): never => {
  for (;;);
}

const failureOf = (work: () => unknown, milliseconds = 20): unknown => {
  try {
    return { returned: runWatched(work, milliseconds) }
  } catch (error) {
    return error
  }
}

it("gives what the work gives, and throws what it throws", () => {
  const failure = new TypeError("no")
  expect(runWatched(() => 3, 10_000)).toBe(3)
  expect(
    failureOf(() => {
      throw failure
    }, 10_000),
  ).toBe(failure)
  expect([failure, undefined, null, "ERR"].map(isWatchdogTimeout)).toEqual([false, false, false, false])
})

it("breaks off a loop and a match that go on and on, again and again", () => {
  const match = () => /^(a+)+$/.test(`${"a".repeat(60)}b`)
  expect([spin, match, spin].map((work) => isWatchdogTimeout(failureOf(work)))).toEqual([true, true, true])
  expect(runWatched(() => "next", 10_000)).toBe("next")
})

it("breaks off only the inner work where that is too long, and all of it where the outer is", () => {
  const inner = () => (isWatchdogTimeout(failureOf(spin)) ? "went on" : "")
  expect(runWatched(inner, 10_000)).toBe("went on")
  expect(isWatchdogTimeout(failureOf(() => failureOf(spin, 10_000)))).toBe(true)
  expect(runWatched(() => "next", 10_000)).toBe("next")
})

it("ends work that may be repeated without a value, and gives that of any other, also if it is none", () => {
  expect(runBounded(spin, 20)).toBeUndefined()
  expect(runBounded(() => undefined, 10_000)).toEqual({ value: undefined })
})

it("begins again if the time went by without work, as on a busy machine", () => {
  let tries = 0
  const work = () => {
    tries++
    // Waits, as if other processes used the cores.
    if (tries === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    return tries
  }
  expect(runBounded(work, 200)).toEqual({ value: 2 })
})
