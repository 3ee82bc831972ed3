import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Fifo } from "../../../src/pipeline/schedule/fifo.ts"
import { Ring } from "../../../src/pipeline/schedule/ring.ts"
import { growth, growthLimit } from "../../support/growth.ts"

const operations = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant("add" as const), value: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ op: fc.constant("delete" as const), value: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ op: fc.constantFrom("shift" as const, "first" as const), value: fc.constant(0) }),
  ),
  { maxLength: 60, size: "max" },
)

describe("Fifo", () => {
  it("gives its values in the order of their adding, also one that left and came again", () => {
    fc.assert(
      fc.property(operations, (steps) => {
        const fifo = new Fifo<number>()
        let model: Array<number> = []
        for (const { op, value } of steps) {
          if (op === "add") {
            fifo.add(value)
            if (!model.includes(value)) model.push(value)
          } else if (op === "delete") {
            expect(fifo.delete(value)).toBe(model.includes(value))
            model = model.filter((item) => item !== value)
          } else if (op === "first") expect(fifo.first()).toBe(model[0])
          else expect(fifo.shift()).toBe(model.shift())
          expect(fifo.size).toBe(model.length)
          expect([...fifo]).toEqual(model)
        }
      }),
      { numRuns: 200 },
    )
  })

  it("gives them at a cost that does not grow with how many left before", async () => {
    const ratio = await growth(async (count) => {
      const fifo = new Fifo<number>()
      for (let i = 0; i < count; i++) fifo.add(i)
      while (fifo.shift() !== undefined) {}
    }, 4000)
    expect(ratio).toBeLessThan(growthLimit)
  })
})

describe("Ring", () => {
  it("gives its values in the order of their pushing, across every resize", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 60 }), { maxLength: 30, size: "max" }), (bursts) => {
        const ring = new Ring<number>()
        const model: Array<number> = []
        let next = 0
        for (const burst of bursts) {
          for (let i = 0; i < burst; i++) {
            ring.push(next)
            model.push(next++)
          }
          for (let i = 0; i < -burst; i++) expect(ring.shift()).toBe(model.shift())
          expect(ring.length).toBe(model.length)
        }
        while (model.length > 0) expect(ring.shift()).toBe(model.shift())
        expect(ring.shift()).toBeUndefined()
      }),
    )
  })

  it("survives a burst of thousands", () => {
    const ring = new Ring<number>()
    for (const size of [5000, 3, 9000]) {
      for (let i = 0; i < size; i++) ring.push(i)
      for (let i = 0; i < size; i++) expect(ring.shift()).toBe(i)
      expect(ring.length).toBe(0)
    }
  })
})
