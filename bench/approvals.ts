/** What 100,000 calls cost that wait at their gates: memory, and the processor's time while nothing happens. */
import { setTimeout as sleep } from "node:timers/promises"
import { type ToolCallInput, ToolExecutor } from "stepline"
import type { Measured, Row, Section } from "./figure.ts"
import { BareExecutor } from "./limit.ts"
import { bareTools, params, registry } from "./tools.ts"

const pending = 100_000
/** The host's own array of ids. */
const bytesOfId = 8

const kinds: Readonly<Record<string, (i: number) => ToolCallInput>> = {
  "an agent each": (i) => ({ name: "gate", params, agentId: `agent-${i}` }),
  "in the background": () => ({ name: "gate", params, background: true }),
  "in the background, behind a handler": () => ({ name: "gated", params, background: true }),
}

const collectGarbage = async (): Promise<void> => {
  // Twice, with a turn between, so that what the first one released is released too.
  globalThis.gc!()
  await sleep(10)
  globalThis.gc!()
}

/** Bytes for each, milliseconds of the processor in three seconds, timers. */
const measureWaiting = async (
  executor: Pick<ToolExecutor, "enqueue" | "next">,
  call: (i: number) => ToolCallInput,
): Promise<ReadonlyArray<number>> => {
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
  await sleep(3000)
  const { user, system } = process.cpuUsage(cpu)
  // Until here the executor, and with it the calls, must not be collected.
  if (ids.length !== pending || executor.enqueue([]).length > 0) throw new Error("Did not expect other calls")
  return [bytes, (user + system) / 1000, timers]
}

export const approvals: Section = {
  title: "100,000 pending approvals",
  baseline: "bare promises",
  rows: Object.keys(kinds).flatMap(
    (kind): Array<Row> => [
      { name: `${kind}: memory of one`, unit: "bytes", most: 1000 },
      { name: `${kind}: processor in 3 seconds`, unit: "ms", most: 15 },
      { name: `${kind}: timers`, unit: "timers", most: 0 },
    ],
  ),
  measure: async () => {
    const figures: Array<Measured> = []
    for (const call of Object.values(kinds)) {
      const limit = new BareExecutor(bareTools)
      const bare = await measureWaiting(limit, call)
      await using executor = new ToolExecutor(registry)
      // The first call loads and compiles what the others share.
      await executor.run({ ...call(0), background: false, decision: "approve" })
      const stepline = await measureWaiting(executor, call)
      // Collected meanwhile, it would be counted as memory that stepline gives back.
      limit.enqueue([])
      figures.push(...stepline.map((value, index) => ({ stepline: value, baseline: bare[index]! })))
    }
    return figures
  },
}
