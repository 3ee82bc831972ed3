import { describe, expect, it } from "vitest"
import { ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../../src/index.ts"

const make = (options: unknown) => () => new ToolExecutor(new ToolRegistry(), options as ToolExecutorOptions)

describe("the executor's options", () => {
  for (const name of [
    "backgroundConcurrency",
    "maxTasks",
    "maxPendingActions",
    "eventBuffer",
    "eventBufferBytes",
  ]) {
    it.each([
      [0, "`0` (number)"],
      [-1, "`-1` (number)"],
      [1.5, "`1.5` (number)"],
      [Number.NaN, "`NaN` (number)"],
      ["64", "`64` (string)"],
      [null, "`null` (null)"],
    ])(`refuse a ${name} of %s`, (value, shown) => {
      expect(make({ [name]: value })).toThrow(TypeError)
      expect(make({ [name]: value })).toThrow(`Expected \`${name}\` to be a positive integer, got ${shown}`)
    })

    it(`accept a ${name} of 1, and none`, () => {
      expect(make({ [name]: 1 })).not.toThrow()
      expect(make({ [name]: undefined })).not.toThrow()
    })
  }

  for (const name of [
    "callTimeout",
    "taskTimeout",
    "approvalTimeout",
    "delegateTimeout",
    "finallyTimeout",
    "taskTtl",
  ]) {
    it.each(["soon", -1, Number.NaN, true])(`refuse a ${name} of %s`, (value) => {
      expect(make({ [name]: value })).toThrow(TypeError)
      expect(make({ [name]: value })).toThrow(`Expected \`${name}\` to be a duration`)
    })

    it.each([100, "5 seconds", Number.POSITIVE_INFINITY, undefined])(`accept a ${name} of %s`, (value) => {
      expect(make({ [name]: value })).not.toThrow()
    })
  }

  it("refuse a resolveChoice that there is not", () => {
    expect(make({ resolveChoice: "hard" })).toThrow(
      "Expected `resolveChoice` to be `soft` or `forced`, got `hard` (string)",
    )
    expect(make({ resolveChoice: "forced" })).not.toThrow()
  })

  it("may be left out", () => {
    expect(() => new ToolExecutor(new ToolRegistry())).not.toThrow()
  })
})
