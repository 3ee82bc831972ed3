import { expect, it } from "vitest"
import { unavailable } from "../../../src/custom-tools/stand-ins/unavailable.ts"

const sentence = /needs a model provider; install @mariozechner\/pi-ai beside the tool\.$/

const make = () =>
  unavailable("complete", "a model provider", "@mariozechner/pi-ai") as (new () => object) & {
    (): unknown
    inMemory(): unknown
  }

it("says what is missing when it is called, constructed or asked for a member", () => {
  const complete = make()
  expect(() => complete()).toThrow(
    "complete() needs a model provider; install @mariozechner/pi-ai beside the tool.",
  )
  expect(() => new complete()).toThrow(sentence)
  expect(() => complete.inMemory()).toThrow(/^complete\.inMemory needs a model provider/)
})

it("can be extended: only making one throws", () => {
  class Own extends make() {}
  expect(() => new Own()).toThrow(sentence)
})

it("is no promise", async () => {
  const complete = make()
  expect(await Promise.resolve(complete)).toBe(complete)
})
