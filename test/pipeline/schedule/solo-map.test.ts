import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SoloMap } from "../../../src/pipeline/schedule/solo-map.ts"

type Act = readonly ["set" | "delete", string] | readonly ["clear"]

const keys = fc.constantFrom("a", "b", "c", "")
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant("set" as const), keys) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("delete" as const), keys) },
  { weight: 1, arbitrary: fc.constant(["clear"] as const) },
)

describe("a SoloMap", () => {
  it("holds what a Map holds, in its order, whatever is done to both", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const solo = new SoloMap<string, { readonly at: number }>()
        const map = new Map<string, { readonly at: number }>()
        for (const [at, [kind, key]] of acts.entries()) {
          const value = { at }
          if (kind === "clear") {
            solo.clear()
            map.clear()
          } else if (kind === "set") {
            solo.set(key, value)
            map.set(key, value)
          } else {
            solo.delete(key)
            map.delete(key)
          }
          expect(solo.size).toBe(map.size)
          expect(solo.values()).toEqual([...map.values()])
          for (const known of ["a", "b", "c", ""]) {
            expect(solo.has(known)).toBe(map.has(known))
            expect(solo.get(known)).toBe(map.get(known))
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
