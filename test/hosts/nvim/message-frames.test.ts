import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MessageFrames } from "../../../src/hosts/nvim/message-frames.ts"

// The client's own: nothing else is to be understood.
const { encode, decode } = createRequire(fileURLToPath(import.meta.resolve("neovim")))("@msgpack/msgpack")

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.constantFrom(null, true, false),
    fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
    fc.double(),
    fc.string({ maxLength: 70_000 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 20 }),
  ),
})).value

const message = fc.array(value, { minLength: 3, maxLength: 4 }).map((parts) => Buffer.from(encode(parts)))

describe("messages", () => {
  it("come whole, however they were cut", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (sent, size) => {
        const frames = new MessageFrames()
        const all = Buffer.concat(sent)
        const got: Array<Buffer> = []
        for (let at = 0; at < all.length; at += size) got.push(...frames.push(all.subarray(at, at + size)))
        expect(got.map((each) => each.toString("hex"))).toEqual(sent.map((each) => each.toString("hex")))
      }),
    )
  })

  it("that are whole can be decoded, whatever their bytes", () => {
    const bytes = fc.uint8Array({ maxLength: 40, size: "max" }).map((rest) => Buffer.from([0x93, ...rest]))
    fc.assert(
      fc.property(bytes, (chunk) => {
        let got: Array<Buffer> = []
        try {
          got = new MessageFrames().push(chunk)
        } catch {
          // The connection ends.
        }
        for (const each of got) expect(decode(each)).toBeInstanceOf(Array)
      }),
      { numRuns: 5000 },
    )
  })

  it("are long strings, and lists and tables of many, too", () => {
    const many = Array.from({ length: 70_000 }, (_, index) => index)
    const table = Object.fromEntries(many.map((index) => [`key ${index}`, -index]))
    for (const part of ["x".repeat(70_000), many, table, Buffer.alloc(70_000)]) {
      const sent = Buffer.from(encode([1, 2, part]))
      const [got] = new MessageFrames().push(sent)
      expect(got?.equals(sent)).toBe(true)
    }
  })

  it("end with what is none, what is nested without end, and what never ends", () => {
    const push =
      (...bytes: ReadonlyArray<number>) =>
      () =>
        new MessageFrames().push(Buffer.from(bytes))
    expect(push(0x48)).toThrow("The message is none of MessagePack-RPC")
    expect(push(0x93, 0xc1)).toThrow("The message is no MessagePack")
    expect(push(0x93, 0x81, 0x90)).toThrow("The message has a key that is no string")
    expect(push(0x93, 0xd4, 0xff, 0x00)).toThrow("The message has a handle that is none")
    expect(push(0x93, 0xd4, 0x01, 0xc1)).toThrow("The message is no MessagePack")
    expect(push(...Array(200).fill(0x93))).toThrow("The message is nested too deeply")
    const endless = Buffer.concat([Buffer.from([0x93, 0xc6, 0xff, 0xff, 0xff, 0xff]), Buffer.alloc(2 ** 24)])
    expect(() => new MessageFrames().push(endless)).toThrow("The message is too long")
  })
})
