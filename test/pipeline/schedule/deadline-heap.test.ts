import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DeadlineHeap, type Expiring } from "../../../src/pipeline/time/deadline-heap.ts"

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ op: fc.constant("add" as const), value: fc.nat(30) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("delete" as const), value: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("take" as const), value: fc.constant(0) }) },
  ),
  { maxLength: 100, size: "max" },
)

const entryAt = (expiresAt: number): Expiring => ({ expiresAt, expire: () => undefined })

describe("DeadlineHeap", () => {
  it("has the earliest first, whatever came and left before", () => {
    fc.assert(
      fc.property(steps, (operations) => {
        const heap = new DeadlineHeap()
        const model: Array<Expiring> = []
        const gone: Array<Expiring> = []
        const forget = (entry: Expiring) => {
          expect(heap.delete(entry)).toBe(true)
          gone.push(...model.splice(model.indexOf(entry), 1))
        }
        for (const { op, value } of operations) {
          if (op === "add") {
            const entry = entryAt(value)
            heap.add(entry)
            model.push(entry)
          } else if (op === "take") {
            const first = heap.first()
            if (first !== undefined) forget(first)
          } else if (model.length > 0) forget(model[value % model.length]!)
          expect(heap.size).toBe(model.length)
          const earliest = model.length === 0 ? undefined : Math.min(...model.map((entry) => entry.expiresAt))
          expect(heap.first()?.expiresAt).toBe(earliest)
        }
        expect(model.every((entry) => heap.has(entry))).toBe(true)
        expect(gone.some((entry) => heap.has(entry) || heap.delete(entry))).toBe(false)
        const drained: Array<number> = []
        for (let first = heap.first(); first !== undefined; first = heap.first()) {
          drained.push(first.expiresAt)
          heap.delete(first)
        }
        expect(drained).toEqual(model.map((entry) => entry.expiresAt).sort((a, b) => a - b))
      }),
      { numRuns: 200 },
    )
  })

  it("takes an entry back that had left, at its new time", () => {
    const heap = new DeadlineHeap()
    const [early, late] = [entryAt(1), entryAt(2)]
    heap.add(late)
    heap.add(early)
    heap.delete(early)
    early.expiresAt = 3
    heap.add(early)
    expect(heap.first()).toBe(late)
    heap.clear()
    expect([heap.size, heap.first(), heap.has(early), heap.has(late)]).toEqual([0, undefined, false, false])
  })
})
