import { describe, expect, it } from "vitest"
import { messageOf } from "../../src/text/message-of.ts"

describe("the sentence of what was thrown", () => {
  it("is its message", () => {
    expect(messageOf(new Error("The disk is full"))).toBe("The disk is full")
    expect(messageOf("The disk is full")).toBe("The disk is full")
  })

  it("is made of the failures in an AggregateError, which Node gives no message for a host of several addresses", () => {
    const refused = ["::1", "127.0.0.1"].map((host) => new Error(`connect ECONNREFUSED ${host}:1`))
    expect(messageOf(new AggregateError(refused))).toBe(
      "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1",
    )
    expect(messageOf(new AggregateError([...refused, ...refused]))).toBe(
      "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1",
    )
    expect(messageOf(new AggregateError(refused, "Nobody answers"))).toBe("Nobody answers")
  })

  it("is the name of an AggregateError that holds none, or itself", () => {
    const own = new AggregateError([])
    own.errors.push(own, undefined, "")
    for (const error of [new AggregateError([]), own]) expect(messageOf(error)).toBe("AggregateError")
  })
})
