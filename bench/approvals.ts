/** What 100,000 calls cost that wait at their gates: memory, and the processor's time while nothing happens. */
import { setTimeout as sleep } from "node:timers/promises"
import { ToolExecutor } from "stepline"
import { BareExecutor, type BareInput } from "./bare.ts"
import type { Figure, SectionResult } from "./figure.ts"
import { bareTools, params, registry } from "./tools.ts"

const pending = 100_000
const idleMillis = 3000
/** The host's own array of ids. */
const bytesOfId = 8

interface Executor {
  enqueue(calls: ReadonlyArray<BareInput>): ReadonlyArray<string>
  next(): Promise<{ readonly _tag: string } | undefined>
}

interface Cost {
  readonly bytes: number
  readonly millis: number
  readonly timers: number
}

const collectGarbage = async (): Promise<void> => {
  // Twice, with a turn between, so that what the first one released is released too.
  globalThis.gc?.()
  await sleep(10)
  globalThis.gc?.()
}

const measureWaiting = async (executor: Executor, call: (i: number) => BareInput): Promise<Cost> => {
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  const ids = executor.enqueue(Array.from({ length: pending }, (_, i) => call(i)))
  // The events are dropped: a host that keeps them pays for them.
  for (let waiting = 0; waiting < pending; ) {
    if ((await executor.next())?._tag === "AwaitingApproval") waiting += 1
  }
  await collectGarbage()
  const bytes = (process.memoryUsage().heapUsed - before) / pending - bytesOfId
  // The collector sweeps in the background for a while.
  await sleep(1000)
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length
  const cpu = process.cpuUsage()
  await sleep(idleMillis)
  const { user, system } = process.cpuUsage(cpu)
  // Until here the executor, and with it the calls, must not be collected.
  if (ids.length !== pending || executor.enqueue([]).length > 0) throw new Error("Did not expect other calls")
  return { bytes, millis: (user + system) / 1000, timers }
}

const compare = async (name: string, call: (i: number) => BareInput): Promise<Array<Figure>> => {
  const bare = await measureWaiting(new BareExecutor(bareTools), call)
  const executor = new ToolExecutor(registry)
  // The first call loads and compiles what the others share.
  await executor.run({ ...call(0), background: false, decision: "approve" })
  const stepline = await measureWaiting(executor, call)
  await executor.shutdown()
  return [
    { name: `${name}: each`, unit: "bytes", stepline: stepline.bytes, baseline: bare.bytes, most: 1000 },
    {
      name: `${name}: processor in 3 s`,
      unit: "ms",
      stepline: stepline.millis,
      baseline: bare.millis,
      most: 15,
    },
    { name: `${name}: timers`, unit: "timers", stepline: stepline.timers, baseline: bare.timers, most: 0 },
  ]
}

export const measureApprovals = async (): Promise<SectionResult> => {
  const title = "100,000 pending approvals"
  if (globalThis.gc === undefined)
    return { title, figures: [], notes: ["Skipped: run node with --expose-gc"] }
  return {
    title,
    baseline: "bare promises",
    figures: [
      ...(await compare("1 handler, an agent each", (i) => ({
        name: "approved",
        params,
        agentId: `agent-${i}`,
      }))),
      ...(await compare("1 handler, background", () => ({ name: "approved", params, background: true }))),
      ...(await compare("3 handlers, background", () => ({ name: "gated", params, background: true }))),
    ],
  }
}
