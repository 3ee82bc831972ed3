import { describe, expect, it } from "vitest"
import { toPlainJson } from "../../src/output/to-plain-json.ts"

describe("toPlainJson", () => {
  it("sees values as JSON does", () => {
    const value = {
      text: "x",
      no: undefined,
      when: new Date(0),
      list: [1, undefined, Number.NaN],
      run: () => 1,
      nothing: null,
    }
    expect(toPlainJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)))
  })

  it("keeps what JSON loses or fails at", () => {
    const self: Record<string, unknown> = { name: "self" }
    self.self = self
    const value = {
      big: 10n ** 20n,
      map: new Map([["a", 1]]),
      pairs: new Map([[1, "a"]]),
      set: new Set([1]),
      error: new RangeError("far"),
      bytes: new Uint8Array(3),
      self,
    }
    expect(toPlainJson(value)).toStrictEqual({
      big: "100000000000000000000",
      map: { a: 1 },
      pairs: [[1, "a"]],
      set: [1],
      error: { name: "RangeError", message: "far" },
      bytes: "[3 bytes]",
      self: { name: "self", self: "[circular]" },
    })
  })

  it("is a copy", () => {
    const list = [1]
    const copy = toPlainJson({ list })
    list.push(2)
    expect(copy).toStrictEqual({ list: [1] })
  })

  it("copies what is held twice in both places", () => {
    const held = { x: 1 }
    expect(toPlainJson([held, held])).toStrictEqual([{ x: 1 }, { x: 1 }])
  })

  it("takes little time for a value that holds its parts over and over", () => {
    let value: unknown = "leaf"
    for (let i = 0; i < 100; i++) value = [value, value]
    const top = toPlainJson(value) as [unknown, unknown]
    expect(top[0]).toBe(top[1])
  })

  it("cuts what is nested too deeply", () => {
    let value: unknown = "leaf"
    for (let i = 0; i < 100_000; i++) value = { value }
    expect(JSON.stringify(toPlainJson(value))).toContain("[too deep]")
  })

  it("leaves out what cannot be read", () => {
    const value = {
      kept: 1,
      get broken() {
        throw new Error("no")
      },
      toText: {
        toJSON() {
          throw new Error("no")
        },
      },
    }
    expect(toPlainJson(value)).toStrictEqual({ kept: 1 })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    expect(toPlainJson({ kept: 1, revoked: revoked.proxy })).toStrictEqual({ kept: 1 })
  })

  it("keeps a property named __proto__ as a property", () => {
    const copy = toPlainJson(JSON.parse('{"__proto__": {"admin": true}}')) as { admin?: boolean }
    expect(copy.admin).toBeUndefined()
    expect(Object.keys(copy)).toEqual(["__proto__"])
  })
})

describe("bounds", () => {
  it("hold for an array that is nothing but long", () => {
    const sparse: Array<unknown> = ["first"]
    sparse[4_000_000_000] = "last"
    const copied = toPlainJson({ sparse }) as { readonly sparse: Array<unknown> }
    expect(copied.sparse).toHaveLength(99_999)
    expect(copied.sparse[0]).toBe("first")
    expect(copied.sparse.at(-1)).toBe("[3999900003 more left out]")
  })

  it("hold for many values, however they are kept", () => {
    const list = Array.from({ length: 60_000 }, (_, index) => index)
    const [array, set, object] = toPlainJson([list, new Set(list), { list }]) as readonly [
      Array<unknown>,
      Array<unknown>,
      object,
    ]
    expect(array).toHaveLength(60_000)
    expect(set.at(-1)).toBe("[20003 more left out]")
    expect(object).toBe("[1 more left out]")
  })

  it("hold for objects with many properties", () => {
    const wide = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`k${index}`, index]))
    const copied = toPlainJson(wide) as Readonly<Record<string, unknown>>
    expect(Object.keys(copied)).toHaveLength(100_000)
    expect(copied["…"]).toBe("[50001 more left out]")
  })

  it("hold for long texts, and let those through that fit", () => {
    const long = "x".repeat(15_000_000)
    expect(toPlainJson([long, long, "short"])).toEqual([long, "[15000000 characters left out]", "short"])
  })
})
