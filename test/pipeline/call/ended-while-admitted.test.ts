/** A host's filter, and a compose that is not as pure as it should be, may end the very call that they are asked about. */
import { describe, expect, it } from "vitest"
import { type CallFilter, pipeline, Step, type ToolExecutor } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { executorOf } from "../../support/executor-of.ts"

type End = (executor: ToolExecutor) => unknown

const ends: ReadonlyArray<[string, End]> = [
  ["cancels all", (executor) => executor.cancel()],
  ["cancels the call", (executor) => executor.cancelCall("c")],
  ["shuts down", (executor) => executor.shutdown()],
]

const gated = (log: Array<string>) =>
  pipeline()
    .awaitApproval()
    .andThen(() => {
      log.push("ran")
      return Step.Continue
    })
    .finally(() => {
      log.push("cleaned")
      return Step.Continue
    })

it.each(ends)("a filter that %s at its first look is followed by nothing of the call", async (_, end) => {
  const log: Array<string> = []
  const filters: CallFilter = {
    evaluate: () => {
      end(executor)
      return "approve"
    },
  }
  const executor = executorOf({ tool: gated(log) }, { filters })
  const host = new ScriptedHost(executor)
  await host.run([{ callId: "c", name: "tool" }])
  expect(host.tags("c")).toEqual(["Cancelled"])
  expect(log).toEqual([])
})

describe.each([false, true])("with background: %s", (background) => {
  const call = { callId: "c", name: "tool", background }

  it("a filter that ends the call at its gate is not followed by a question", async () => {
    const log: Array<string> = []
    let looks = 0
    const filters: CallFilter = {
      evaluate: () => {
        looks += 1
        if (looks === 2) executor.cancelCall("c")
        return undefined
      },
    }
    const executor = executorOf({ tool: gated(log) }, { filters })
    const host = new ScriptedHost(executor)
    await host.run([call])
    expect(host.tags("c")).toEqual(["Started", "Cancelled"])
    expect(log).toEqual(["cleaned"])
  })

  it("a filter that ends the call as it remembers is not followed by its start", async () => {
    const log: Array<string> = []
    const filters: CallFilter = {
      evaluate: () => undefined,
      remember: () => executor.cancelCall("c"),
    }
    const executor = executorOf({ tool: gated(log) }, { filters })
    const host = new ScriptedHost(executor, { gate: { remember: true } })
    await host.run([call])
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Cancelled"])
    expect(log).toEqual(["cleaned"])
  })
})

it.each(ends)("a compose that %s is not followed by its pipeline", async (_, end) => {
  const log: Array<string> = []
  const executor = executorOf({
    tool: () => {
      end(executor)
      return gated(log)
    },
  })
  const host = new ScriptedHost(executor)
  await host.run([{ callId: "c", name: "tool", decision: "approve" }])
  expect(host.tags("c")).toEqual(["Cancelled"])
  expect(log).toEqual([])
})
