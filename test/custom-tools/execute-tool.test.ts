import { describe, expect, it } from "vitest"
import { fromCustomTool } from "../../src/custom-tools/index.ts"
import { foreignOwner } from "../../src/custom-tools/loading/isolation.ts"
import { deferred, never } from "../support/deferred.ts"
import { customTool, endOf, executorFor } from "./tool-runs.ts"

const exit = "sample called process.exit, which would end the program that runs it"

/** A host whose logger is warned once. */
const warnedHost = () => {
  const warning = deferred<string>()
  const ignore = () => undefined
  const logger = { warn: warning.resolve, error: ignore, info: ignore, debug: ignore }
  return { host: { approval: false, logger }, warning: warning.promise }
}

describe("what a tool leaves to nobody", () => {
  it.each([
    ["a rejection", () => Promise.reject(new Error("stray")), "stray"],
    ["an exit", () => setImmediate(() => process.exit(3)), exit],
  ])("is a warning: %s", async (_what, leave, failure) => {
    const { host, warning } = warnedHost()
    const execute = () => {
      void leave()
      return { content: [] }
    }
    const executor = executorFor(fromCustomTool(customTool(execute), host))
    expect(await executor.run({ name: "sample" })).toMatchObject({ status: "complete" })
    expect(await warning).toBe(`sample left a failure to nobody: ${failure}`)
  })
})

describe("a tool that listens to its signal", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("stray")), "stray"],
    ["ends the process", () => process.exit(3), exit],
  ])("costs nothing where the listener %s", async (_what, listener, failure) => {
    const { host, warning } = warnedHost()
    const listening = deferred<void>()
    const execute = (_id: unknown, _params: unknown, _onUpdate: unknown, _ctx: unknown, signal: unknown) => {
      ;(signal as AbortSignal).addEventListener("abort", listener)
      listening.resolve()
      return never()
    }
    const executor = executorFor(fromCustomTool(customTool(execute), host))
    const result = executor.run({ name: "sample" })
    await listening.promise
    executor.cancel()
    expect(await result).toMatchObject({ status: "cancelled" })
    expect(await warning).toBe(`sample left a failure to nobody: ${failure}`)
  })

  it("is told the reason, as foreign code", async () => {
    const heard = deferred<unknown>()
    const listening = deferred<void>()
    const execute = (_id: unknown, _params: unknown, _onUpdate: unknown, _ctx: unknown, given: unknown) => {
      const signal = given as AbortSignal
      signal.addEventListener("abort", () => heard.resolve([foreignOwner(), String(signal.reason)]))
      listening.resolve()
      return never()
    }
    const executor = executorFor(fromCustomTool(customTool(execute), { approval: false }))
    const result = executor.run({ name: "sample" })
    await listening.promise
    executor.cancel({ reason: "enough" })
    await result
    expect(await heard.promise).toEqual(["sample", expect.stringContaining("enough")])
  })
})

describe("what a tool gives", () => {
  it.each([
    [
      "a result",
      () => ({
        get content() {
          return process.exit(3)
        },
      }),
    ],
    [
      "an error",
      () => {
        throw {
          get message() {
            return process.exit(3)
          },
        }
      },
    ],
  ])("cannot end the process when it is read: %s", async (_what, execute) => {
    expect(await endOf(execute)).toMatchObject({ callId: "c" })
  })
})
