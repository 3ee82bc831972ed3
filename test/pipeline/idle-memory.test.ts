// @module-tag node
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { pipeline, Step, ToolExecutor } from "../../src/index.ts"
import { turn } from "../support/deferred.ts"
import { registryOf } from "../support/executor-of.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const heapUsed = async (): Promise<number> => {
  for (let i = 0; i < 4; i++) {
    await turn()
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

const count = 2000
const registry = registryOf({ tool: pipeline().andThen(() => Step.Output("x")) })

// A server has one for each user.
it.each([
  ["that was just made", 5000, async () => undefined],
  ["that has run a call", 6000, (executor: ToolExecutor) => executor.run({ name: "tool" })],
  [
    "that has told a call's events",
    6000,
    async (executor: ToolExecutor) => {
      executor.enqueue([{ name: "tool" }])
      while ((await executor.next()) !== undefined) {}
    },
  ],
])("an executor %s keeps at most %i bytes", async (_what, most, use) => {
  const make = async () => {
    const executor = new ToolExecutor(registry)
    await use(executor)
    return executor
  }
  for (let i = 0; i < 100; i++) await make()
  const executors: Array<ToolExecutor> = []
  const before = await heapUsed()
  for (let i = 0; i < count; i++) executors.push(await make())
  const each = ((await heapUsed()) - before) / count
  expect(executors).toHaveLength(count)
  expect(each).toBeLessThan(most)
})
