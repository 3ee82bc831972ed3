import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { HeadAndTail, headOf, tailOf } from "../../src/io/index.ts"

const text = fc.string({ unit: "binary", maxLength: 200 })

describe("headOf and tailOf", () => {
  it("give the longest beginning and end of whole characters that fit", () => {
    fc.assert(
      fc.property(text, fc.nat(300), (whole, maxBytes) => {
        const head = headOf(whole, maxBytes)
        const tail = tailOf(whole, maxBytes)
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        const next = [...whole.slice(head.length)][0] ?? ""
        const previous = [...whole.slice(0, whole.length - tail.length)].at(-1) ?? ""
        for (const [kept, other] of [
          [head, next],
          [tail, previous],
        ] as const) {
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxBytes)
          if (other !== "") expect(Buffer.byteLength(kept + other)).toBeGreaterThan(maxBytes)
        }
      }),
    )
  })
})

describe("HeadAndTail", () => {
  it("gives a text that fits as it is, in whatever pieces it came", () => {
    fc.assert(
      fc.property(fc.array(text), fc.nat(20), (pieces, spare) => {
        const whole = pieces.join("")
        const limit = Buffer.byteLength(whole) + spare
        const kept = new HeadAndTail(limit)
        for (const piece of pieces) kept.push(piece)
        expect(kept.totalBytes).toBe(limit - spare)
        expect(kept.render(limit)).toBe(whole)
      }),
    )
  })

  it("gives both ends of a text that does not, and tells how much is missing", () => {
    const kept = new HeadAndTail(10)
    for (let index = 0; index < 1000; index++) kept.push(`${index % 10}`)
    expect(kept.render(10)).toBe("01234\n[990 bytes truncated]\n56789")
    expect(kept.render(4)).toBe("01\n[996 bytes truncated]\n89")
  })

  it("never cuts through a character", () => {
    const kept = new HeadAndTail(10)
    kept.push("é€😀".repeat(100))
    expect(kept.render(10)).toBe("é€\n[891 bytes truncated]\n😀")
  })
})
