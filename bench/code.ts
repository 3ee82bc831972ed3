/** Code of a model beside the package `run` alone: the same source, and a host function in place of the tool. */
import { setTimeout as sleep } from "node:timers/promises"
import { run } from "run"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "stepline"
import { runCodeTool } from "stepline/code"
import type { Section } from "./figure.ts"
import { interleave } from "./measure.ts"

const calls = 200
const manyCalls = 10_000

const sourceOf = (count: number) => `for (let i = 0; i < ${count}; i++) await tools.echo({ i })`

/** Called by the tool, and by the host function. */
let onCall: (place: number) => unknown = () => undefined

const bare = async (source: string): Promise<void> => {
  const echo = async ({ i }: { readonly i: number }) => {
    await onCall(i)
    return i
  }
  // The worker of `run` holds no process.
  const held = setInterval(() => undefined, 60_000)
  await run({
    source,
    hostFunctions: { tools: { echo } },
    limits: { maxBridgeRequests: manyCalls + 1, timeoutMs: 600_000 },
  })
  clearInterval(held)
}

const echo = defineTool({
  name: "echo",
  description: "Gives its number.",
  parameters: { type: "object", properties: { i: { type: "integer" } }, required: ["i"] },
  compose: ({ i }) =>
    pipeline().andThen(async () => {
      await onCall(Number(i))
      return Step.Output({ content: [], structured: i })
    }),
})

/** Milliseconds of the processor, in all threads: the code has one of its own. */
const millisOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Bytes of each call that has ended, in a run of many that goes on. */
const growth = async (work: (source: string) => Promise<unknown>): Promise<number> => {
  const used: Array<number> = []
  const counted = [manyCalls / 10, manyCalls - 1]
  onCall = async (place) => {
    if (!counted.includes(place)) return
    for (let times = 0; times < 2; times++) {
      globalThis.gc!()
      await sleep(10)
    }
    used.push(process.memoryUsage().heapUsed)
  }
  await work(sourceOf(manyCalls))
  onCall = () => undefined
  return (used[1]! - used[0]!) / (counted[1]! - counted[0]!)
}

export const code: Section = {
  title: "Code of a model",
  baseline: "`run` alone",
  rows: [
    { name: "an empty run", unit: "ms", mostTimes: 1.2 },
    { name: "a call of a tool", unit: "ms", mostMore: 0.7 },
    { name: "a call that has ended: memory", unit: "bytes", mostMore: 100 },
  ],
  measure: async (quick) => {
    const filters = ToolFilters.compile({ run_code: { allow: [".*"] } })
    const tool = runCodeTool({ tools: ["echo"], limits: { calls: manyCalls, time: "10 minutes" } })
    await using executor = new ToolExecutor(new ToolRegistry([echo, tool]), { filters })
    const stepline = async (source: string) => {
      const { status, content } = await executor.run(
        { name: "run_code", params: { source } },
        () => undefined,
      )
      if (status !== "complete") throw new Error(content)
    }
    const rounds = { warmUp: 3, counted: quick ? 10 : 50 }
    const empty = await interleave(
      { bare: () => millisOf(() => bare("")), stepline: () => millisOf(() => stepline("")) },
      rounds,
    )
    const source = sourceOf(calls)
    const called = await interleave(
      {
        bare: async () => ((await millisOf(() => bare(source))) - empty.bare) / calls,
        stepline: async () => ((await millisOf(() => stepline(source))) - empty.stepline) / calls,
      },
      { warmUp: 1, counted: quick ? 3 : 20 },
    )
    return [
      { stepline: empty.stepline, baseline: empty.bare },
      { stepline: called.stepline, baseline: called.bare },
      { stepline: await growth(stepline), baseline: await growth(bare) },
    ]
  },
}
