import { expect, it } from "vitest"
import { installing, unavailable } from "../../../src/custom-tools/stand-ins/unavailable.ts"

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

it("says where the real package may be had", () => {
  expect(installing("@mariozechner/pi-ai")).toBe("install @mariozechner/pi-ai beside the tool")
  expect(installing("@earendil-works/pi-ai", "20.20.2")).toBe(
    "install @earendil-works/pi-ai@0.74 beside the tool, or run on Node 22.19, which later versions of it need",
  )
  for (const version of ["22.19.0", "24.1.0"]) {
    expect(installing("@earendil-works/pi-ai", version)).toBe("install @earendil-works/pi-ai beside the tool")
  }
  expect(installing("@oh-my-pi/pi-ai")).toBe(
    "@oh-my-pi/pi-ai runs in Bun alone, so only oh-my-pi itself can give it",
  )
})
