import { expect, it } from "vitest"
import { KeptResults } from "../../../src/pipeline/stores/kept-results.ts"

it("the oldest of the kept results are forgotten for later ones, and one that alone is too long is not kept", () => {
  const results = new KeptResults(100)
  const keep = (callId: string, length: number) => results.keep("main", callId, Buffer.alloc(length, callId))
  const kept = () => ["a", "b", "c", "d"].filter((callId) => results.get("main", callId) !== undefined)
  expect([keep("a", 40), keep("b", 40), keep("c", 20)]).toEqual([true, true, true])
  expect(kept()).toEqual(["a", "b", "c"])
  keep("d", 1)
  expect(kept()).toEqual(["b", "c", "d"])
  // The same id again: its first text counts no more, and it is the latest.
  keep("b", 60)
  expect(kept()).toEqual(["b", "c", "d"])
  keep("a", 30)
  expect(kept()).toEqual(["a", "b", "d"])
  expect(keep("b", 101)).toBe(false)
  expect(kept()).toEqual(["a", "d"])
  expect(results.get("other", "a")).toBeUndefined()
})
